package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var rates = map[string]func(uint64, int, uint64) float64{
	"classic": Rate, "partitioned": PartitionedRate, "blocked": BlockedRate,
}

func TestRatesOfEmptyAndFullFilters(t *testing.T) {
	for name, rate := range rates {
		require.Zero(t, rate(512, 3, 0), name)
		require.Equal(t, 1.0, rate(512, 3, math.MaxUint64), name)
	}
	require.Equal(t, 1.0, PartitionedRate(3, 3, 1))
}

// Plans use bisection, which needs this.
func TestRatesDecreaseWithSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 40).Draw(t, "k")
		blocks := rapid.Uint64Range(1, 1<<rapid.IntRange(0, 30).Draw(t, "log")).Draw(t, "blocks")
		n := uint64(float64(blocks)*rapid.Float64Range(0, 1000).Draw(t, "load")) + 1
		m := blocks * LineBits
		const up = 1 + 1e-12
		require.LessOrEqual(t, Rate(m+8, k, n), Rate(m, k, n)*up)
		require.LessOrEqual(t, PartitionedRate(m+8, k, n), PartitionedRate(m, k, n)*up)
		require.LessOrEqual(t, BlockedRate(m+LineBits, k, n), BlockedRate(m, k, n)*up)
	})
}

// The largest relative difference is 5e-14.
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

// The mean of 1-0.9^X is known from the generating function.
func TestBinomialMean(t *testing.T) {
	for _, n := range []float64{1, 7, 1e3, 1e9, 1e15} {
		p := min(0.5, 20/n)
		got := binomialMean(n, p, func(x int) float64 { return 1 - math.Pow(0.9, float64(x)) })
		require.InEpsilon(t, -math.Expm1(n*math.Log1p(-0.1*p)), got, 1e-12)
	}
	require.Equal(t, 7.0, binomialMean(7, 1, func(x int) float64 { return float64(x) }))
}

func TestThrowsBeyondTheTableUseTheLastProbability(t *testing.T) {
	s := newSurjection(50)
	s.advance(1)
	last := s.at(len(s) - 1)
	require.Equal(t, last, s.at(len(s)))
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
