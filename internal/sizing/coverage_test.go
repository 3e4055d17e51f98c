package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing/oracle"
)

// The fast sum over the query equals the plain sum over the bits of the filter.
// The largest relative difference on this grid is 5e-14.
func TestRateIsExact(t *testing.T) {
	for m := uint64(1); m <= 4096; m *= 2 {
		for _, k := range []int{1, 2, 3, 7, 13, 30, 64, 255} {
			for _, n := range []uint64{1, 2, m/20 + 1, m/10 + 1, m/5 + 1, m, 3 * m} {
				if uint64(k)*n > 6000 {
					continue
				}
				exact := oracle.ExactRate(m, k, n)
				if exact < 1e-280 {
					require.Less(t, Rate(m, k, n), 1e-279)
					continue
				}
				require.InEpsilon(t, exact, Rate(m, k, n), 1e-12, "m=%d k=%d n=%d", m, k, n)
			}
		}
	}
}

// TestRateMatchesItsExpansion checks sizes that are too large for the plain
// sum, with the second-order expansion of E[(X/m)^k] around the mean of X,
//
//	(mean/m)^k * (1 + k(k-1)/2 * variance/mean^2)
//
// whose own relative error is about a = k(k-1)/2 * variance/mean^2 squared,
// plus k^3/m^2 for the skewness.
func TestRateMatchesItsExpansion(t *testing.T) {
	for m := uint64(1 << 10); m <= 1<<44; m <<= 2 {
		for _, k := range []int{1, 2, 5, 10, 20, 30} {
			for _, perBit := range []float64{0.05, 0.4, math.Ln2, 1, 3} {
				n := uint64(perBit * float64(m) / float64(k))
				second, a := secondOrderRate(m, k, n)
				cubic := math.Pow(float64(k), 3) / float64(m) / float64(m) / min(1, perBit*perBit)
				require.InEpsilon(t, second, Rate(m, k, n), a*a+cubic+1e-12, "m=%d k=%d n=%d", m, k, n)
			}
		}
	}
}

// secondOrderRate returns the expansion and its correction term a.
func secondOrderRate(m uint64, k int, n uint64) (rate, correction float64) {
	mean, variance := occupancyMoments(float64(m), float64(k)*float64(n))
	a := float64(k) * float64(k-1) / 2 * variance / mean / mean
	return math.Pow(mean/float64(m), float64(k)) * (1 + a), a
}

func TestTheClassicFormulaIsTooLowForSmallFilters(t *testing.T) {
	for _, v := range []struct {
		m, n  uint64
		k     int
		ratio float64
	}{{8, 1, 2, 1.031}, {16, 2, 3, 1.063}, {64, 8, 4, 1.033}, {256, 26, 7, 1.025}, {1024, 106, 7, 1.006}} {
		require.InDelta(t, v.ratio, Rate(v.m, v.k, v.n)/ClassicRate(v.m, v.k, v.n), 0.001)
	}
}

func TestSurjectionsMatchStirlingNumbers(t *testing.T) {
	s := newSurjection(12, 1)
	for j := 1; j <= 12; j++ {
		s.advance()
		for throws := range 20 {
			want := 0.0 // j! * S(throws, j) / j^throws
			if throws >= j {
				count, _ := oracle.Stirling(throws)[j].Float64()
				want = count * math.Gamma(float64(j+1)) / math.Pow(float64(j), float64(throws))
			}
			require.InDelta(t, want, s.at(throws), 1e-13)
		}
	}
}

func TestBinomialMean(t *testing.T) {
	const n, p = 1000.0, 0.03
	t.Run("the mean of an indicator is the tail", func(t *testing.T) {
		for _, from := range []int{0, 1, 20, 30, 45, 80, 120} {
			var want float64
			for x := from; x <= n; x++ {
				want += binomial(n, p, float64(x))
			}
			got := binomialMean(n, p, func(x int) float64 {
				if x >= from {
					return 1
				}
				return 0
			})
			require.InEpsilon(t, want, got, 1e-10)
		}
	})
	t.Run("the mean of a power is the generating function", func(t *testing.T) {
		for _, n := range []float64{1, 7, 1e3, 1e9, 1e15} {
			p := min(0.5, 20/n)
			got := binomialMean(n, p, func(x int) float64 { return 1 - math.Pow(0.9, float64(x)) })
			require.InEpsilon(t, -math.Expm1(n*math.Log1p(-0.1*p)), got, 1e-12)
		}
	})
	t.Run("probability one leaves one term", func(t *testing.T) {
		require.Equal(t, 7.0, binomialMean(7, 1, func(x int) float64 { return float64(x) }))
	})
}

// binomial returns P(Binomial(n, p) = x), by logarithms.
func binomial(n, p, x float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(x + 1)
	c, _ := math.Lgamma(n - x + 1)
	return math.Exp(a - b - c + x*math.Log(p) + (n-x)*math.Log1p(-p))
}
