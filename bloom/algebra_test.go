package bloom

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// Merging several filters in one call, some of them in several pieces, equals
// merging each, and fails whole if one of them differs.
func TestMergeOfSeveralEqualsMergingEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.Bits *= rapid.SampledFrom([]uint64{1, 1000}).Draw(t, "times")
		each, all := mustNew(t, p), mustNew(t, p)
		var others []*Filter
		for range rapid.IntRange(0, 5).Draw(t, "filters") {
			other := mustNew(t, p)
			for range rapid.IntRange(0, 50).Draw(t, "keys") {
				other.AddDigest(hashfam.Digest(rapid.Uint64().Draw(t, "digest")))
			}
			others = append(others, other)
			require.NoError(t, each.Merge(other))
		}
		require.NoError(t, all.Merge(others...))
		require.True(t, all.Equal(each))
		p.Hashes++
		if other, err := NewFromParams(p); err == nil {
			require.ErrorIs(t, all.Merge(append(others, other)...), ErrIncompatible)
			require.True(t, all.Equal(each), "a failed merge changed the filter")
		}
	})
}

// Errors name the field that differs. Those about several filters say which of
// them it is.
func TestTheTextOfMergeErrors(t *testing.T) {
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
		{f.Merge(other), "Params.Bits = 512, want 1024"},
		{f.Intersect(other), "Params.Bits = 512, want 1024"},
		{errorOf(f.EstimatedUnionLen(other)), "Params.Bits = 512, want 1024"},
		{errorOf(f.Jaccard(other)), "Params.Bits = 512, want 1024"},
		{errorOf(f.Cosine(other)), "Params.Bits = 512, want 1024"},
		{f.Merge(g, g, other), "others[2]: Params.Bits = 512, want 1024"},
		{other.Merge(other, foreign), "others[1]: Params.Family = " + keyed.String() + ", want public"},
		{c.Merge(other), "Params.Bits = 512, want 1024"},
		{c.Merge(g, other), "others[1]: Params.Bits = 512, want 1024"},
		{s.Attach(foreign), "Params.Family = " + keyed.String() + ", want public"},
	} {
		require.EqualError(t, e.err, "bloom: incompatible structures: "+e.text)
		require.ErrorIs(t, e.err, ErrIncompatible)
		var field *FieldError
		require.True(t, errors.As(e.err, &field))
	}
	require.True(t, f.Equal(before))
	require.Zero(t, c.FillRatio())
	require.Equal(t, 1, s.Stages())
}

// To merge and to compare allocates nothing.
func TestMergesDoNotAllocate(t *testing.T) {
	p := Params{Bits: 1 << 17, Hashes: 2}
	f, g, c := mustNew(t, p), mustNew(t, p), newConcurrent(mustNew(t, p))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		f.Merge(g, g)
		c.Merge(g, g)
		f.Intersect(g)
		f.Jaccard(g)
		f.Cosine(g)
	}))
}

func TestFoldEqualsBuildingTheSmallerFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := drawParams(t)
		full := half
		full.Bits *= 2
		small, large := mustNew(t, half), mustNew(t, full)
		for i := range rapid.IntRange(0, 200).Draw(t, "n") {
			d := half.Family.SumUint64(uint64(i))
			small.AddDigest(d)
			large.AddDigest(d)
		}
		require.NoError(t, large.Fold())
		require.True(t, large.Equal(small))
	})
}

func TestFoldRejectsOddLengths(t *testing.T) {
	for _, p := range []Params{
		{Bits: 63, Hashes: 3},
		{Bits: 63, Hashes: 3, Layout: Partitioned},
		{Bits: 512 * 3, Hashes: 3, Layout: Blocked},
	} {
		f := mustNew(t, p)
		f.AddString("kept")
		before := f.Clone()
		requireField(t, f.Fold(), ErrParams, "Params.Bits")
		require.True(t, f.Equal(before))
	}
}

func TestConfiguredFiltersFoldThreeTimes(t *testing.T) {
	for _, layout := range layouts {
		f, err := New(Config{Capacity: 100_003, FPRate: 0.01, Layout: layout})
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, f.Fold())
		}
	}
}

// FoldTo ends at the last fold within the rate, which is the filter built in
// that size.
func TestFoldToStopsAtTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		f, err := New(Config{Capacity: 20_000, FPRate: 0.01, Layout: layout})
		require.NoError(t, err)
		n := rapid.Uint64Range(0, 30_000).Draw(t, "keys")
		rate := rapid.Float64Range(0.001, 0.5).Draw(t, "rate")
		for i := range n {
			f.AddDigest(sum(f, i))
		}
		want := f.Clone()
		for {
			half := want.Clone()
			if half.Fold() != nil || half.FalsePositiveRate() > rate {
				break
			}
			want = half
		}
		require.NoError(t, f.FoldTo(rate))
		require.True(t, f.Equal(want))
		built := mustNew(t, f.Params())
		for i := range n {
			built.AddDigest(sum(built, i))
		}
		require.True(t, f.Equal(built))
	})
}

// FoldTo folds to a rate that is exactly the one it would have.
func TestFoldToTheExactRate(t *testing.T) {
	f, err := NewFromParams(Params{Bits: 1 << 12, Hashes: 3})
	require.NoError(t, err)
	for i := range uint64(100) {
		f.AddDigest(sum(f, i))
	}
	half := f.Clone()
	require.NoError(t, half.Fold())
	require.Less(t, half.FalsePositiveRate(), 1.)
	require.NoError(t, f.FoldTo(half.FalsePositiveRate()))
	require.True(t, f.Equal(half))
}

func TestFoldToIsChecked(t *testing.T) {
	f := mustNew(t, Params{Bits: 1024, Hashes: 3})
	for _, rate := range []float64{0, 1, -1, math.NaN()} {
		requireField(t, f.FoldTo(rate), ErrParams, "rate")
	}
	require.EqualValues(t, 1024, f.Params().Bits)
}

func TestIntersectKeepsCommonKeysAndDoesNotRaiseTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		a, b, common := mustNew(t, p), mustNew(t, p), mustNew(t, p)
		for i := range rapid.IntRange(0, 100).Draw(t, "n") {
			d := p.Family.SumUint64(uint64(i))
			in := rapid.IntRange(1, 3).Draw(t, "in")
			if in&1 != 0 {
				a.AddDigest(d)
			}
			if in&2 != 0 {
				b.AddDigest(d)
			}
			if in == 3 {
				common.AddDigest(d)
			}
		}
		both := a.Clone()
		require.NoError(t, both.Intersect(b))
		for i, w := range common.words {
			require.Equal(t, w, w&both.words[i], "a bit of the common keys is missing")
		}
		require.LessOrEqual(t, both.FalsePositiveRate(), min(a.FalsePositiveRate(), b.FalsePositiveRate()))
	})
}
