package bloom

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func mustScale(t require.TestingT, c ScalableConfig) *Scalable {
	s, err := NewScalable(c)
	require.NoError(t, err)
	return s
}

// found returns the fraction of n absent keys that f contains.
func found(f interface {
	Family() hashfam.Family
	ContainsDigest(hashfam.Digest) bool
}, n uint64) float64 {
	hits := 0
	for i := range n {
		if f.ContainsDigest(sum(f, 1<<63|i)) {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

// A filter that has grown to 100 times its expected size finds every key, keeps
// its rate, and is not larger than its comment says. FalsePositiveRate must not
// be below the measured rate, even if FPRate is so high that the stages depend
// on one another: a key that an older stage finds is not stored, so a stage has
// fewer keys that are similar to older ones. The tolerances of six standard
// deviations fail a correct program with probability below 1e-7 in total.
func TestScalableKeepsItsRateAsItGrows(t *testing.T) {
	const expected = 1000
	bits := map[uint64]float64{1: 11.1, 3: 12.8, 10: 21.8, 100: 21.5} // per key, with the default layout and a rate of 1%
	for _, layout := range layouts {
		for _, rate := range []float64{0.9, 0.5, 0.3, 0.1, 0.01, 0.001} {
			s, added := mustScale(t, ScalableConfig{Expected: expected, FPRate: rate, Layout: layout}), uint64(0)
			keys := sums(s, 100*expected)
			for _, times := range []uint64{1, 3, 10, 100} {
				s.AddAll(keys[added : times*expected])
				added = times * expected
				require.LessOrEqual(t, requireStated(t, s), 1.1*rate, "%v %g, %d times as many", layout, rate, times)
				if layout == Classic && rate == 0.01 {
					require.LessOrEqual(t, float64(8*s.SizeBytes())/float64(added), bits[times], "%d times as many", times)
				}
			}
			require.False(t, slices.Contains(s.ContainsAll(nil, keys), false), "lost a key")
			if rate <= 0.01 { // keys that are found when they are added are not stored
				require.Len(t, s.list, 7)
				require.InEpsilon(t, float64(len(keys))*(1-0.4*rate), s.EstimatedLen(), 0.01)
			}
		}
	}
}

// requireStated checks that s states a rate that is not below the measured one,
// and returns it.
func requireStated(t *testing.T, s *Scalable) float64 {
	const queries = 20_000
	measured, stated := found(s, queries), s.FalsePositiveRate()
	require.GreaterOrEqual(t, stated*1.01+6*math.Sqrt(measured*(1-measured)/queries), measured, "%v", s)
	return stated
}

func TestScalableThatCannotGrowKeepsEveryKey(t *testing.T) {
	// The second stage has 0.15 times the rate; the first one can have half.
	c := ScalableConfig{Expected: 1 << 20, FPRate: 2.1 / (1 << 43)}
	require.ErrorIs(t, errorOf(c.stage(1).Params()), hashfam.ErrParams)
	s := &Scalable{config: c, stages: newStages(Params{Bits: 1 << 12, Hashes: 3}, 1)}
	s.stored = s.capacity() - 1 // as if the stage were full
	for i := range uint64(100) {
		s.AddDigest(sum(s, i))
		require.True(t, s.ContainsDigest(sum(s, i)))
	}
	require.Len(t, s.list, 1)
	require.LessOrEqual(t, s.stored, s.capacity())
	fewer := s.Clone()
	fewer.stored--
	require.False(t, fewer.Equal(s), "%v: a full last stage equals one with room for a key", s)
}

// A filter with MemoryBytes uses all of this memory, and keeps its rate until
// its last stage is full. Then it accepts further keys without losing any. Its
// rate rises, and FalsePositiveRate reports this.
func TestScalableUsesItsMemoryLimit(t *testing.T) {
	const expected = 1000
	for _, layout := range layouts {
		c := ScalableConfig{Expected: expected, FPRate: 0.01, Layout: layout}
		first, err := c.InitialBytes()
		require.NoError(t, err)
		for _, times := range []float64{1, 1.9, 2.1, 3.3, 9.3} {
			c.MemoryBytes = uint64(times * float64(first))
			s, end := mustScale(t, c), 0
			keys := sums(s, 15*expected)
			for i, d := range keys {
				s.AddDigest(d)
				require.LessOrEqual(t, s.SizeBytes(), c.MemoryBytes)
				if end == 0 && s.SizeBytes()+64 > c.MemoryBytes { // the last stage
					end = i + int(s.newest().params.CapacityAt(c.restOf(s.grown()-1)))
				}
				if i == end {
					require.LessOrEqual(t, s.FalsePositiveRate(), 1.1*c.FPRate)
				}
			}
			require.Less(t, end, len(keys))
			require.Positive(t, end)
			require.False(t, slices.Contains(s.ContainsAll(nil, keys), false), "lost a key")
			require.Greater(t, requireStated(t, s), c.FPRate)
			before := s.Clone()
			s.Reset()
			s.AddAll(keys)
			require.True(t, s.Equal(before), "a Reset changes how the filter grows")
		}
		c.MemoryBytes = first - 1
		_, err = NewScalable(c)
		requireField(t, err, hashfam.ErrParams, "ScalableConfig.MemoryBytes")
		require.ErrorContains(t, err, fmt.Sprint("at least ", first))
	}
}

func TestAttachedFiltersCountTowardsTheLimit(t *testing.T) {
	for _, bytes := range []uint64{100_000, 9800} { // no room, or less than the first stage
		s := mustScale(t, ScalableConfig{Expected: 100, FPRate: 0.01, MemoryBytes: 10_000})
		require.NoError(t, s.Attach(mustNew(t, Params{Bits: 8 * bytes, Hashes: 7})))
		s.AddAll(sums(s, 1000))
		require.Len(t, s.list, 2)
	}
}

// The rates add up, and the capacities do not overflow.
func TestRatesOfManyStagesAddUp(t *testing.T) {
	c, rates := ScalableConfig{Expected: 3, FPRate: 0.01}, 0.0
	for i := range 200 {
		rates += c.rateOf(i)
	}
	require.InDelta(t, c.FPRate, rates, 1e-12)
	require.InDelta(t, 0.005, c.rateOf(0), 1e-12)
	require.InDelta(t, 0.0015*0.7, c.rateOf(2), 1e-12)
	for i, want := range map[int]uint64{0: 3, 62: 3 << 62, 63: math.MaxUint64, 1000: math.MaxUint64} {
		require.Equal(t, want, c.capacityOf(i))
	}
}
