package sharded_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam/sharded"
)

// overflow bounds the probability that one of n shards receives more than c of
// total keys: n times the upper tail of the binomial distribution, which is at
// most its first term over 1-r, where r is the ratio of the first two.
func overflow(total uint64, n int, c uint64) float64 {
	if c >= total {
		return 0
	}
	t, k, p := float64(total), float64(c+1), 1/float64(n)
	choose := lgamma(t+1) - lgamma(k+1) - lgamma(t-k+1)
	first := math.Exp(choose + k*math.Log(p) + (t-k)*math.Log1p(-p))
	return float64(n) * first / (1 - (t-k)/(k+1)*p/(1-p))
}

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// The exact tail of the binomial distribution is below one in a million. It is
// not for shards whose room above a mean of a hundred keys or more is a fifth
// smaller.
func TestCapacityIsEnoughAndNotMuchMore(t *testing.T) {
	for n := 2; n <= 1<<16; n *= 2 {
		for total := uint64(1); total <= 1<<36; total = total*3/2 + 1 {
			c := sharded.Capacity(total, n)
			require.LessOrEqual(t, c, total)
			require.Less(t, overflow(total, n, c), 1e-6, "%d keys in %d shards of %d", total, n, c)
			mean := float64(total) / float64(n)
			if less := mean + 0.8*(float64(c)-mean); mean >= 100 {
				require.Greater(t, overflow(total, n, uint64(less)), 1e-6, "%d keys in %d shards of %d", total, n, c)
			}
		}
	}
}

func TestCapacityOfTheSmallestAndTheLargest(t *testing.T) {
	for _, n := range []int{math.MinInt, -1, 0, 1} {
		require.EqualValues(t, 17, sharded.Capacity(17, n))
		require.EqualValues(t, uint64(math.MaxUint64), sharded.Capacity(math.MaxUint64, n))
	}
	for n := 2; n > 0; n *= 2 {
		require.Zero(t, sharded.Capacity(0, n))
		require.EqualValues(t, 1, sharded.Capacity(1, n))
		c := sharded.Capacity(math.MaxUint64, n)
		require.GreaterOrEqual(t, float64(c), 0x1p64/float64(n))
		require.LessOrEqual(t, float64(c), 0x1p64/float64(n)+0x1p40, "%d", n)
	}
	last := uint64(0)
	for total := range uint64(10_000) {
		c := sharded.Capacity(total, 64)
		require.GreaterOrEqual(t, c, last)
		last = c
	}
}
