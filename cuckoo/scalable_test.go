package cuckoo

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// The measured rate should differ from FalsePositiveRate by less than five
// standard deviations, for both the queries and the family.
func TestScalableKeepsItsRateAsItGrows(t *testing.T) {
	times := []int{1, 3, 10, 30}
	if checks.Long(t, 0.2, 0.1) {
		times = append(times, 100, 300, 1000)
	}
	for _, c := range []ScalableConfig{{Expected: 2000, FPRate: 0.01}, {Expected: 1000, FPRate: 0.3, Compact: true}} {
		s, r := mustScale(t, c), rand.New(rand.NewPCG(5, 6))
		for _, x := range times {
			for s.Len() < uint64(x)*c.Expected {
				require.NoError(t, s.AddDigest(hashfam.Digest(r.Uint64())))
			}
			const queries = 200_000
			found := 0
			for range queries {
				if s.ContainsDigest(hashfam.Digest(r.Uint64())) {
					found++
				}
			}
			rate := s.FalsePositiveRate()
			t.Logf("%v, %dx: rate %.5f, measured %.5f, %.2f bits per key, %d pages", c, x, rate,
				float64(found)/queries, 8*float64(s.SizeBytes())/float64(s.Len()), s.pages.Pages())
			if x == 300 && c.FPRate == 0.01 {
				checks.Documented(t, "theory.md", "the measured rate is %.2f%% when the filter contains 300 times Expected keys", 100*float64(found)/queries)
			}
			require.Less(t, rate, c.FPRate)
			require.InDelta(t, rate, float64(found)/queries, 5*math.Sqrt(rate/queries)+0.03*rate)
		}
	}
}

// A filter uses almost all of MemoryBytes, even if it was decoded. Deleting
// keys makes room.
func TestScalableUsesMemoryBytes(t *testing.T) {
	for _, c := range []ScalableConfig{
		{Expected: 1, FPRate: 0.9}, {Expected: 1000, FPRate: 0.01}, {Expected: 5000, FPRate: 0.3, Compact: true},
	} {
		first, err := c.InitialBytes()
		require.NoError(t, err)
		c.MemoryBytes = first - 1
		_, err = NewScalable(c)
		requireField(t, err, hashfam.ErrParams, "ScalableConfig.MemoryBytes")
		require.ErrorContains(t, err, fmt.Sprint("at least ", first))
		for _, times := range []uint64{1, 2, 9, 60} {
			c.MemoryBytes = times*first + first/2
			created := mustScale(t, c)
			require.Equal(t, first, created.SizeBytes())
			b, err := created.MarshalBinary()
			require.NoError(t, err)
			s, r := new(Scalable), rand.New(rand.NewPCG(3, times))
			require.NoError(t, s.UnmarshalBinary(b))
			var in []hashfam.Digest
			for refused := 0; refused < 2000; {
				d := hashfam.Digest(r.Uint64())
				if err := s.AddDigest(d); err == nil {
					in = append(in, d)
				} else {
					require.ErrorIs(t, err, ErrFull)
					refused++
				}
			}
			require.LessOrEqual(t, s.SizeBytes(), c.MemoryBytes)
			require.Less(t, c.MemoryBytes-s.SizeBytes(), 3*first)
			require.NotContains(t, s.ContainsAll(nil, in), false)
			require.Equal(t, len(in), s.DeleteAll(in))
			_, err = s.AddAll(in[:len(in)/2])
			require.NoError(t, err)
		}
	}
}

// A refused Add changes nothing, so a filter depends only on the operations
// that it has accepted. A twin, for which only these are repeated, therefore
// stays equal. Adds are refused if keys have many copies, or if the memory is
// limited.
func TestARefusedAddChangesNothing(t *testing.T) {
	seeds := uint64(1)
	if checks.Long(t, 2, 0.1) {
		seeds = 400
	}
	for _, test := range []struct {
		keys    uint64
		deletes int // one of this number of operations deletes a key
		memory  uint64
		compact bool
	}{
		{30, 3, 0, false}, {150, 3, 0, false}, {150, 1000, 0, true}, {1000, 3, 0, false}, {1000, 3, 20_000, true},
		{1 << 40, 1000, 20_000, false}, {1 << 40, 5, 20_000, true}, {1 << 40, 5, 15_000, false},
	} {
		c := ScalableConfig{Expected: 20, FPRate: 0.01, Compact: test.compact, MemoryBytes: test.memory}
		refused := 0
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, test.keys))
			refused += requireTwins(t, c, r, test.keys, test.deletes)
		}
		t.Logf("%+v: %d refused", test, refused)
		require.Greater(t, refused, 10)
	}
}

// requireTwins performs random operations on a filter and, if it accepts them,
// on a twin. It returns the number of refused operations.
func requireTwins(t *testing.T, c ScalableConfig, r *rand.Rand, keys uint64, deletes int) (refused int) {
	s := mustScale(t, c)
	twin := mustScale(t, c)
	var present []hashfam.Digest
	for range 20_000 {
		if len(present) > 0 && r.IntN(deletes) == 0 {
			n := r.IntN(len(present))
			require.True(t, s.DeleteDigest(present[n]))
			require.True(t, twin.DeleteDigest(present[n]))
			present[n] = present[len(present)-1]
			present = present[:len(present)-1]
			continue
		}
		d := c.Family.SumUint64(r.Uint64N(keys))
		if s.AddDigest(d) == nil {
			require.NoError(t, twin.AddDigest(d))
			present = append(present, d)
			continue
		}
		refused++
		requireSame(t, twin, s)
	}
	requireSame(t, twin, s)
	return refused
}

// requireSame checks that two filters have the same bytes and statistics.
func requireSame(t *testing.T, want, got *Scalable) {
	t.Helper()
	a, err := want.MarshalBinary()
	require.NoError(t, err)
	b, err := got.MarshalBinary()
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b), "the encodings differ")
	require.Equal(t, want.SizeBytes(), got.SizeBytes())
	require.Equal(t, want.Len(), got.Len())
	require.Equal(t, want.FalsePositiveRate(), got.FalsePositiveRate())
}
