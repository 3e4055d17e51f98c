package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestRatesOfEmptyAndFullFilters(t *testing.T) {
	for _, l := range layouts {
		require.Zero(t, l.rate(512, 3, 0), l.name)
		require.Equal(t, 1.0, l.rate(512, 3, math.MaxUint64), l.name)
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

// exactRate returns E[(X/m)^k], where X is the number of distinct bits among kn
// uniform ones. This is the expected rate of classic filters (Bose et al. 2008;
// Christensen et al. 2010). It uses the distribution of X in O(kn*min(m, kn))
// time.
func exactRate(m uint64, k int, n uint64) float64 {
	var rate float64
	for x, p := range occupied(m, uint64(k)*n) {
		rate += p * math.Pow(float64(x)/float64(m), float64(k))
	}
	return rate
}

// occupied returns the distribution of the number of distinct bits. Element x
// is the probability of exactly x bits. When x bits are set, the next throw
// hits a set bit with probability x/m.
func occupied(m, throws uint64) []float64 {
	now, next := []float64{1}, []float64(nil)
	for range throws {
		next = append(next[:0], make([]float64, len(now)+1)...)
		for x, p := range now {
			next[x] += p * float64(x) / float64(m)
			next[x+1] += p * float64(m-uint64(x)) / float64(m)
		}
		if uint64(len(now)) > m {
			next = next[:len(now)] // no more than m bits can be set
		}
		now, next = next, now
	}
	return now
}

func TestKnownRates(t *testing.T) {
	machine.Matters(t)
	for _, c := range []struct {
		want      float64
		m         uint64
		k         int
		n         uint64
		tolerance float64
	}{
		{151133581. / (1 << 32), 16, 3, 2, 1e-14},
		{29. / 512, 8, 2, 1, 1e-14},
		{0.0253544346, 64, 4, 8, 2e-9},
		{0.00913464653, 256, 7, 26, 2e-9},
		{0.00975425389, 1024, 7, 106, 2e-9},
	} {
		require.InEpsilon(t, c.want, exactRate(c.m, c.k, c.n), c.tolerance)
		require.InEpsilon(t, c.want, Rate(c.m, c.k, c.n), c.tolerance)
	}
}

// The largest relative difference is 5e-14.
func TestRateIsExact(t *testing.T) {
	for m := uint64(1); m <= 1024; m *= 2 {
		for _, k := range []int{1, 2, 3, 7, 13, 30, 64, 255} {
			for _, n := range []uint64{1, 2, m/20 + 1, m/10 + 1, m/5 + 1, m, 3 * m} {
				if uint64(k)*n > 2000 {
					continue
				}
				if exact := exactRate(m, k, n); exact < 1e-280 {
					require.Less(t, Rate(m, k, n), 1e-279)
				} else {
					require.InEpsilon(t, exact, Rate(m, k, n), 1e-12, "m=%d k=%d n=%d", m, k, n)
				}
			}
		}
	}
}

func TestThrowsBeyondTheTableUseTheLastProbability(t *testing.T) {
	machine.Matters(t)
	s := newSurjection(50)
	s.advance(1)
	require.Equal(t, s.at(len(s)-1), s.at(math.MaxInt))
}

func TestDigestRates(t *testing.T) {
	require.InEpsilon(t, 5e8/math.Exp2(64), DigestRate(5e8), 1e-10)
	require.InEpsilon(t, 1-1/math.E, DigestRate(math.MaxUint64), 1e-12)

	n, d := uint64(1)<<62, 1-math.Exp(-0.25) // either cause is enough for a false positive
	require.InEpsilon(t, 1-(1-0.5)*(1-d), WithDigest(0.5, n), 1e-14)
	require.InEpsilon(t, d, WithDigest(0, n), 1e-14)
	require.Equal(t, 1.0, WithDigest(1, n))

	fill := 1 - math.Pow(1-1.0/1000, 300) // the sum is written out for three functions
	require.InEpsilon(t, DigestRate(100)*(1+2*(fill+fill*fill)), ClassicDigestRate(1000, 3, 100), 1e-12)
	require.InEpsilon(t, DigestRate(100), ClassicDigestRate(1000, 1, 100), 1e-12)
	require.Equal(t, 1.0, ClassicDigestRate(64, 64, math.MaxUint64))
	d = ClassicDigestRate(1<<61, 3, 1<<60)
	require.InEpsilon(t, 1-(1-0.5)*(1-d), WithClassicDigest(0.5, 1<<61, 3, 1<<60), 1e-14)
}
