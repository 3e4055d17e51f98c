package sizing

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestCuckooTableRate(t *testing.T) {
	require.Zero(t, CuckooTableRate(2, 8, 0))
	require.InEpsilon(t, 2.0/(100*255), CuckooTableRate(100, 8, 1), 1e-12)
	// Fan et al. 2014, section 5.1, use eight slots with random fingerprints:
	// 1-(1-1/2^f)^{8*load}. In this package an empty slot is zero.
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		const load, n = 0.95, 3_984_588 // of 2^22 slots
		printed := -math.Expm1(8 * load * math.Log1p(-1/(math.Exp2(float64(f))-1)))
		require.InEpsilon(t, printed, CuckooTableRate(1<<20, f, n), 0.04)
		require.Less(t, CuckooTableRate(1<<20, f, n), printed)
	}
}

// crowdedExactly returns the expected number of bucket pairs that are shared by
// more than eight of n keys. A pair at distance d is tied by T of the 2^f-1
// fingerprints, where T is binomial. A key then has this pair with probability
// 2T/(m(2^f-1)).
func crowdedExactly(m uint64, f int, n uint64) float64 {
	fingerprints, sum := math.Exp2(float64(f))-1, 0.0
	for d := uint64(1); d < m; d += 2 {
		sum += float64(m) / 2 * binomialMean(fingerprints, tieChance(m, min(d, m-d)), func(ties int) float64 {
			return moreThanEight(float64(n), 2*float64(ties)/(float64(m)*fingerprints))
		})
	}
	return sum
}

// moreThanEight returns P(X > 8) for X ~ Binomial(n, p).
func moreThanEight(n, p float64) float64 {
	return binomialMean(n, p, func(x int) float64 {
		if x > 8 {
			return 1
		}
		return 0
	})
}

// The bound counts each way to choose nine keys, so it can be several times the
// exact number when many keys share a pair.
func TestCrowdedPairs(t *testing.T) {
	require.Zero(t, CrowdedPairs(4, 32, 8))
	require.InEpsilon(t, 4*math.Pow(0.25, 9), CrowdedPairs(4, 32, 9), 1e-6)
	require.InEpsilon(t, 220*4*math.Pow(0.25, 9), CrowdedPairs(4, 32, 12), 1e-6)
	for _, m := range []uint64{2, 4, 6, 10, 14, 16, 30, 32, 34, 62, 84, 126, 128, 130, 510, 682, 1022, 1024, 1026} {
		for f := MinFingerprintBits; f < 10; f++ {
			n := CuckooCapacity(m, f)
			if n <= 9 {
				continue
			}
			exact, bound := crowdedExactly(m, f, n), CrowdedPairs(m, f, n)
			require.LessOrEqual(t, exact, bound, "m = %d, f = %d", m, f)
			require.LessOrEqual(t, bound, 7*exact, "m = %d, f = %d, n = %d", m, f, n)
			require.GreaterOrEqual(t, CrowdedPairs(m, f, n), CrowdedPairs(m, f+1, n)*(1-1e-9), "m = %d, f = %d", m, f)
		}
	}
}

// Every fingerprint ties each bucket to exactly one bucket. The moments are
// bounds, which exceed the sums of powers by 73% or less.
func TestTieChances(t *testing.T) {
	for m := uint64(2); m < 600; m += 2 {
		var sums [pairSlots + 1]float64
		for d := uint64(1); d < m; d += 2 {
			for k := range sums {
				sums[k] += float64(m) / 2 * math.Pow(tieChance(m, min(d, m-d)), float64(k+1))
			}
		}
		require.InEpsilon(t, float64(m)/2, sums[0], 1e-9, "m = %d", m)
		for k, bound := range tieMoments(m) {
			require.True(t, 1-1e-12 < bound/sums[k] && bound/sums[k] < 1.73, "m = %d, power %d: %g", m, k+1, bound/sums[k])
		}
	}
	require.InEpsilon(t, 2.0/1024, tieChance(1024, 1), 1e-12)
	require.InEpsilon(t, 2.0/1024, tieChance(1024, 511), 1e-12)
	// 6 = 4 + 2: neighbors are in the block of four in three rotations out of
	// six, where one of two patterns ties them, and in the block of two in one
	// rotation.
	require.InEpsilon(t, 3.0/6/2+1.0/6, tieChance(6, 1), 1e-12)
	// Opposite buckets are in the block of four in one rotation, and in another
	// when it wraps around.
	require.InEpsilon(t, 1.0/6/2+1.0/6/2, tieChance(6, 3), 1e-12)
}

func TestCuckooCapacityIsTheLargestThatFits(t *testing.T) {
	machine.Matters(t)
	for _, m := range []uint64{2, 4, 8, 16, 64, 250, 1024, 1 << 14, 1 << 20, 1 << 30} {
		for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
			n := CuckooCapacity(m, f)
			require.GreaterOrEqual(t, n, uint64(pairSlots))
			require.True(t, cuckooFits(m, f, n), "m = %d, f = %d, n = %d", m, f, n)
			require.False(t, cuckooFits(m, f, n+1), "m = %d, f = %d, n = %d", m, f, n)
			if f < MaxFingerprintBits {
				require.LessOrEqual(t, n, CuckooCapacity(m, f+1))
			}
		}
	}
	require.EqualValues(t, 8, CuckooCapacity(2, 32))
	require.EqualValues(t, 4_068_474, CuckooCapacity(1<<20, 12)) // 0.97 of 2^22
}

// The minimum width increases with the logarithm of the size (Fan et al.,
// section 4). Each additional bit ties pairs about eight times less often. A
// width that is sufficient for these sizes, at a quarter of the slots, is not
// sufficient for twice the buckets.
func TestLeastFingerprintBits(t *testing.T) {
	for shift, least := range map[int]int{10: 4, 18: 4, 19: 5, 26: 5, 27: 6, 35: 6, 36: 7, 43: 7, 44: 8} {
		require.Equal(t, least, LeastFingerprintBits(1<<shift), "2^%d buckets", shift)
		require.Equal(t, least, LeastFingerprintBits(1<<shift+1<<(shift-1)), "rounded down to 2^%d buckets", shift)
	}
}

// smallerTable returns a smaller table for n keys at the rate eps, or false. It
// searches the numbers of buckets around those that each width needs: all of
// them, or 2,000 numbers if there are more.
func smallerTable(n uint64, eps float64, saved int, size uint64) (CuckooShape, bool) {
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		most := (size - 1) / uint64(f-saved) &^ 1
		rated := 2 * float64(n) / (math.Exp2(float64(f)) * -math.Log1p(-eps))
		least := max(2, uint64(max(float64(n)/4, 0.99*rated))&^1)
		if least > most || f < LeastFingerprintBits(least) {
			continue
		}
		step := max(2, (most-least)/2000&^1)
		for m := most; m >= least; m -= step {
			if f >= LeastFingerprintBits(m) && WithDigest(CuckooTableRate(m, f, n), n) <= eps && cuckooFits(m, f, n) {
				return CuckooShape{m, f}, true
			}
		}
	}
	return CuckooShape{}, false
}

// No table that is 0.2% smaller meets the rate, and in small tables none at
// all.
func TestCuckooPlanIsTheSmallestTable(t *testing.T) {
	for _, n := range []uint64{1, 8, 9, 10, 15, 33, 60, 100, 250, 897, 5000, 100_000, 10_000_000} {
		for _, saved := range []int{0, 1} {
			for _, eps := range []float64{0.9, 0.5, 0.30008, 0.115833, 0.1, 0.03, 0.01, 1e-4, 1e-8} {
				best, ok := CuckooPlan(n, eps, saved)
				require.True(t, ok)
				require.LessOrEqual(t, WithDigest(CuckooTableRate(best.Buckets, best.FingerprintBits, n), n), eps)
				require.True(t, cuckooFits(best.Buckets, best.FingerprintBits, n))
				require.GreaterOrEqual(t, best.FingerprintBits, LeastFingerprintBits(best.Buckets))
				size := best.Buckets * uint64(best.FingerprintBits-saved)
				within, ok := CuckooWithin(n, slotsPerBucket*size, saved)
				require.True(t, ok && within.Buckets*uint64(within.FingerprintBits-saved) <= size)
				rate := CuckooTableRate(best.Buckets, best.FingerprintBits, n)
				require.LessOrEqual(t, CuckooTableRate(within.Buckets, within.FingerprintBits, n), rate)
				if size > 1000 {
					size -= size / 500
				}
				smaller, found := smallerTable(n, eps, saved, size)
				require.False(t, found, "n = %d, eps = %g: %v, not %v", n, eps, best, smaller)
			}
		}
	}
	plan, ok := CuckooPlan(100_000, 0.115833, 1) // the fewest buckets need 7 bits
	require.True(t, ok)
	require.Equal(t, 6, plan.FingerprintBits)
	plan, ok = CuckooPlan(1_000_000, 1.9e-9, 0)
	require.True(t, ok)
	require.Equal(t, MaxFingerprintBits, plan.FingerprintBits)
	_, ok = CuckooPlan(1000, 2e-10, 0)
	require.False(t, ok)
	_, ok = CuckooPlan(1<<60, 0.1, 0)
	require.False(t, ok)
}

// A plan for more keys or a lower rate is never smaller, and it exists only if
// the other plan does.
func TestCuckooPlansGrow(t *testing.T) {
	size := func(n uint64, eps float64, saved int) uint64 {
		p, ok := CuckooPlan(n, eps, saved)
		if !ok {
			return math.MaxUint64
		}
		return p.Buckets * uint64(p.FingerprintBits-saved)
	}
	for _, eps := range []float64{0.9, 0.30008, 0.1, 0.01, 1.024e-9} {
		for saved := range 2 {
			before := uint64(0)
			for n := range uint64(1000) {
				after := size(n+1, eps, saved)
				require.LessOrEqual(t, before, after, "%d keys, rate %g", n+1, eps)
				before = after
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := uint64(math.Exp(rapid.Float64Range(0, 30).Draw(t, "ln n")))
		eps := math.Exp(rapid.Float64Range(-22, -0.001).Draw(t, "ln eps"))
		saved := rapid.IntRange(0, 1).Draw(t, "saved")
		more := n + uint64(float64(n)*rapid.Float64Range(0, 0.1).Draw(t, "more keys")) + 1
		lower := eps * rapid.Float64Range(0.9, 1).Draw(t, "lower rate")
		least := size(n, eps, saved)
		require.LessOrEqual(t, least, size(more, eps, saved))
		require.LessOrEqual(t, least, size(n, lower, saved))
	})
}

// No table is more crowded than mostTies says, and none less than leastTies.
func TestBoundsOfTies(t *testing.T) {
	requireBounds := func(m uint64) {
		least, most := leastTies(m), mostTies(m)
		for k, sum := range tieMoments(m) {
			require.True(t, least[k]*(1-1e-9) <= sum && sum <= most[k], "m = %d, power %d", m, k+1)
		}
	}
	for m := uint64(2); m < 20_000; m += 2 {
		requireBounds(m)
	}
	for high := range 46 {
		for low := 1; low < high; low++ {
			requireBounds(1<<(high+1) - 1<<low)
		}
	}
}

func BenchmarkCuckooPlan(b *testing.B) {
	for _, n := range []uint64{1000, 1e6, 1e8} {
		for _, eps := range []float64{0.3, 0.1, 0.01, 1e-6} {
			b.Run(fmt.Sprintf("n=%d/eps=%g", n, eps), func(b *testing.B) {
				for b.Loop() {
					CuckooPlan(n, eps, 1)
				}
			})
		}
	}
}
