package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var rates = map[string]func(uint64, int, uint64) float64{
	"classic": Rate, "partitioned": PartitionedRate, "blocked": blockedRate,
}

func TestRatesOfEmptyAndOfFullFilters(t *testing.T) {
	for name, rate := range rates {
		require.Zero(t, rate(512, 3, 0), name)
		require.Equal(t, 1.0, rate(512, 3, math.MaxUint64), name)
	}
	require.Equal(t, 1.0, PartitionedRate(3, 3, 1))
}

// Bisection over the size relies on this.
func TestRatesDecreaseWithSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 40).Draw(t, "k")
		blocks := rapid.Uint64Range(1, 1<<rapid.IntRange(0, 30).Draw(t, "log")).Draw(t, "blocks")
		n := uint64(float64(blocks)*rapid.Float64Range(0, 1000).Draw(t, "load")) + 1
		m := blocks * LineBits
		const up = 1 + 1e-12
		require.LessOrEqual(t, Rate(m+8, k, n), Rate(m, k, n)*up)
		require.LessOrEqual(t, PartitionedRate(m+8, k, n), PartitionedRate(m, k, n)*up)
		require.LessOrEqual(t, blockedRate(m+LineBits, k, n), blockedRate(m, k, n)*up)
	})
}

// The fast sum over the query equals the plain sum over the bits of the filter.
// The largest relative difference on this grid is 5e-14.
func TestRateIsExact(t *testing.T) {
	for m := uint64(1); m <= 4096; m *= 2 {
		for _, k := range []int{1, 2, 3, 7, 13, 30, 64, 255} {
			for _, n := range []uint64{1, 2, m/20 + 1, m/10 + 1, m/5 + 1, m, 3 * m} {
				if uint64(k)*n > 6000 {
					continue
				}
				exact := exactRate(m, k, n)
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
				mean, variance := occupancyMoments(float64(m), float64(k)*float64(n))
				a := float64(k) * float64(k-1) / 2 * variance / mean / mean
				second := math.Pow(mean/float64(m), float64(k)) * (1 + a)
				cubic := math.Pow(float64(k), 3) / float64(m) / float64(m) / min(1, perBit*perBit)
				require.InEpsilon(t, second, Rate(m, k, n), a*a+cubic+1e-12, "m=%d k=%d n=%d", m, k, n)
			}
		}
	}
}

// occupancyMoments returns the exact mean and variance of the number of
// occupied cells. With q = (1-1/m)^t the variance is m(m-1)(1-2/m)^t + mq - m^2
// q^2. The terms are regrouped so that none of order m^2 cancel.
func occupancyMoments(m, throws float64) (mean, variance float64) {
	q := math.Exp(throws * math.Log1p(-1/m))
	pair := math.Expm1(throws * math.Log1p(-1/((m-1)*(m-1))))
	return m * (1 - q), m*q*(1-q) + m*(m-1)*q*q*pair
}

// The mean of 1-0.9^X is known by the generating function.
func TestBinomialMean(t *testing.T) {
	for _, n := range []float64{1, 7, 1e3, 1e9, 1e15} {
		p := min(0.5, 20/n)
		got := binomialMean(n, p, func(x int) float64 { return 1 - math.Pow(0.9, float64(x)) })
		require.InEpsilon(t, -math.Expm1(n*math.Log1p(-0.1*p)), got, 1e-12)
	}
	require.Equal(t, 7.0, binomialMean(7, 1, func(x int) float64 { return float64(x) }))
}

// Beyond the throws in the table, the probability is that of the last of them.
func TestThrowsBeyondTheTable(t *testing.T) {
	s := newSurjection(3, 1)
	s.advance()
	last := s.at(len(s.onto) - 1)
	require.Equal(t, last, s.at(len(s.onto)))
	require.Equal(t, last, s.at(math.MaxInt))
}

func TestDigestRates(t *testing.T) {
	t.Run("the rate of equal digests is n over 2^64", func(t *testing.T) {
		require.InEpsilon(t, 5e8/math.Exp2(64), DigestRate(5e8), 1e-10)
		require.InEpsilon(t, 1-1/math.E, DigestRate(math.MaxUint64), 1e-12)
	})
	t.Run("either cause is enough for a false positive", func(t *testing.T) {
		n := uint64(1) << 62
		d := 1 - math.Exp(-0.25)
		require.InEpsilon(t, 1-(1-0.5)*(1-d), WithDigest(0.5, n), 1e-14)
		require.InEpsilon(t, d, WithDigest(0, n), 1e-14)
		require.Equal(t, 1.0, WithDigest(1, n))
	})
	t.Run("digests on both sides of a member's count, too", func(t *testing.T) {
		fill := 1 - math.Pow(1-1.0/1000, 300) // the sum is written out for three functions
		require.InEpsilon(t, DigestRate(100)*(1+2*(fill+fill*fill)), ClassicDigestRate(1000, 3, 100), 1e-12)
		require.InEpsilon(t, DigestRate(100), ClassicDigestRate(1000, 1, 100), 1e-12)
		require.Equal(t, 1.0, ClassicDigestRate(64, 64, math.MaxUint64))
	})
}
