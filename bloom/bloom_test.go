package bloom

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// drawParams draws the parameters of a filter, usually a small one.
func drawParams(t *rapid.T, fam hashfam.Family) Params {
	p := Params{
		Hashes: rapid.IntRange(1, 20).Draw(t, "hashes"),
		Layout: rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family: fam,
	}
	size := uint64(rapid.OneOf(rapid.IntRange(1, 200), rapid.IntRange(1, 200), rapid.IntRange(2000, 20_000)).Draw(t, "size"))
	switch p.Layout {
	case Partitioned:
		size *= uint64(p.Hashes)
	case Blocked:
		size *= lineBits
	}
	p.Bits = size
	return p
}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

// sum returns an integer's digest, computed by the family of f.
func sum(f interface{ Family() hashfam.Family }, i uint64) hashfam.Digest {
	return f.Family().SumUint64(i)
}

// sums returns the digests of all integers below n.
func sums(f interface{ Family() hashfam.Family }, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range n {
		digests[i] = sum(f, i)
	}
	return digests
}

// With 32-bit indexes, only the first 512 MiB would be used. The filters use
// the same array, in which their bits hardly ever overlap.
func TestFiltersAboveFourGigabitsUseAllTheirBits(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	words := make([]uint64, 5<<30/64)
	for _, layout := range layouts {
		f, before := newFilter(Params{Bits: 5 << 30, Hashes: 4, Layout: layout}, words), ones(words[1<<32/64:])
		keys := sums(f, 20_000)
		f.AddAll(keys[:10_000])
		for _, d := range keys[10_000:] {
			f.AddDigest(d)
		}
		for i, found := range f.ContainsAll(nil, keys) {
			require.True(t, found && f.ContainsDigest(keys[i]))
		}
		// Of the 80,000 positions, 16,000 are above 2^32. The standard
		// deviation is below 270 even if four positions are in the same line.
		require.InDelta(t, 16_000, float64(ones(words[1<<32/64:])-before), 6*270, "%v", layout)
	}
}

// Errors name the field that differs and, if there are several filters, which
// of them differs.
func TestMergeErrorsNameTheField(t *testing.T) {
	p := Params{Bits: 1024, Hashes: 2, Layout: Blocked}
	f, g := mustNew(t, p), mustNew(t, p)
	c, s := newConcurrent(mustNew(t, p)), mustScale(t, ScalableConfig{Expected: 10, FPRate: 0.1})
	p.Bits = 512
	other := mustNew(t, p)
	p.Family = keyed
	foreign := mustNew(t, p)
	f.AddString("kept")
	before := f.Clone()
	for _, e := range []struct {
		err  error
		text string
	}{
		{f.Intersect(other), "Params.Bits = 512, want 1024"},
		{errorOf(f.Jaccard(other)), "Params.Bits = 512, want 1024"},
		{other.Merge(other, foreign), "others[1]: Params.Family = " + keyed.String() + ", want public"},
		{c.Merge(g, other), "others[1]: Params.Bits = 512, want 1024"},
		{s.Attach(nil), "other = nil, want a filter"},
		{s.Attach(foreign), "Params.Family = " + keyed.String() + ", want public"},
	} {
		require.EqualError(t, e.err, "bloom: incompatible structures: "+e.text)
		require.ErrorIs(t, e.err, hashfam.ErrIncompatible)
	}
	require.True(t, f.Equal(before))
	require.Zero(t, c.FillRatio())
	require.Len(t, s.list, 1)
}

func TestConfiguredFiltersCanBeFolded(t *testing.T) {
	for c, least := range map[Config]int{
		{Capacity: 100_003, FPRate: 0.01}:                            3,
		{Capacity: 100_003, FPRate: 0.01, Layout: Partitioned}:       3,
		{Capacity: 100_003, FPRate: 0.01, Layout: Blocked}:           3,
		{Capacity: 100_003, FPRate: 0.01, MemoryBytes: 1 << 20}:      3,
		{Capacity: 100_003, MemoryBytes: 100_007}:                    6,
		{FPRate: 0.01, MemoryBytes: 100_007}:                         6,
		{Capacity: 100_003, MemoryBytes: 2052 * 64, Layout: Blocked}: 2, // 2,052 lines
		{FPRate: 0.01, MemoryBytes: 2049 * 64, Layout: Blocked}:      0, // 2,049 lines
		{FPRate: 0.01, MemoryBytes: 1016, Layout: Partitioned}:       0, // 7 slices of 1,161 bits
	} {
		f, err := New(c)
		require.NoError(t, err)
		folds := 0
		for f.Fold() == nil {
			folds++
		}
		require.GreaterOrEqual(t, folds, least, "%v", c)
		require.True(t, least >= 3 || folds == least, "%v: %d folds", c, folds)
	}
}

// FoldTo stops at the last fold within the rate, which can be exactly the rate.
func TestFoldToStopsAtTheRate(t *testing.T) {
	for i, layout := range layouts {
		for _, rate := range []float64{0.001, 0.02, 0.3} {
			f, err := New(Config{Capacity: 20_000, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			f.AddAll(sums(f, uint64(1500*(1+i))))
			want, half, exact := f.Clone(), f.Clone(), f.Clone()
			for half.Fold() == nil && half.FalsePositiveRate() <= rate {
				want = half.Clone()
			}
			require.NoError(t, f.FoldTo(rate))
			require.True(t, f.Equal(want))
			require.NoError(t, exact.FoldTo(want.FalsePositiveRate()))
			require.True(t, exact.Equal(want))
		}
	}
}
