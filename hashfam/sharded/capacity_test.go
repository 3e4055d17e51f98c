package sharded_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
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

// The fullest of n shards never exceeds the capacity in 10^5 draws, and often
// exceeds 3.5 standard deviations above the mean.
func TestCapacityHoldsInSimulation(t *testing.T) {
	draws := 100_000
	if testing.Short() {
		draws = 2_000
	}
	for n := 2; n <= 1024; n *= 2 {
		r := rand.New(rand.NewPCG(70, uint64(n)))
		total := 2 * n
		c, high := int(sharded.Capacity(uint64(total), n)), 0
		shards := make([]int, n)
		for range draws {
			clear(shards)
			fullest := 0
			for range total {
				i := hashfam.Digest(r.Uint64()).Shard(n)
				shards[i]++
				fullest = max(fullest, shards[i])
			}
			require.LessOrEqual(t, fullest, c, "%d shards", n)
			if float64(fullest) > 2+3.5*math.Sqrt2 {
				high++
			}
		}
		require.True(t, n < 32 || high > draws/100, "%d shards: %d", n, high)
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
