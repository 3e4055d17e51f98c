package bloom

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

func TestMergeAllEqualsMergingEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.Bits *= rapid.SampledFrom([]uint64{1, 1000}).Draw(t, "times") // some in several pieces
		each, all := mustNew(t, p), mustNew(t, p)
		var others []*Filter
		for range rapid.IntRange(0, 5).Draw(t, "filters") {
			other := mustNew(t, p)
			for range rapid.IntRange(0, 50).Draw(t, "keys") {
				other.AddUint64(rapid.Uint64().Draw(t, "key"))
			}
			others = append(others, other)
			require.NoError(t, each.Merge(other))
		}
		before := make([]*Filter, len(others))
		for i, other := range others {
			before[i] = other.Clone()
		}
		require.NoError(t, all.MergeAll(others...))
		require.True(t, all.Equal(each))
		for i, other := range others {
			require.True(t, other.Equal(before[i]), "merging changed an argument")
		}
		p.Hashes++
		if p.check(ErrParams) == nil {
			err := all.MergeAll(append(others, mustNew(t, p))...)
			require.ErrorIs(t, err, ErrIncompatible)
			require.Equal(t, fmt.Sprintf("others[%d]: %s", len(others), errorField(t, all.Merge(mustNew(t, p)))), errorField(t, err))
			require.True(t, all.Equal(each), "a failed merge changed the filter")
		}
		require.ErrorIs(t, all.MergeAll(append(others, nil)...), ErrIncompatible)
	})
	require.ErrorIs(t, (*Filter)(nil).MergeAll(), ErrParams)
	require.ErrorIs(t, (*Filter)(nil).MergeAll(nil), ErrParams)
}

// Errors about several filters name the package and the reason once, and say
// which filter they are about. Those of a single one do not.
func TestTheTextOfMergeErrors(t *testing.T) {
	p := Params{Bits: 1024, Hashes: 2, Layout: Blocked}
	f, g, zero, c := mustNew(t, p), mustNew(t, p), new(Filter), newConcurrent(mustNew(t, p))
	p.Bits = 512
	other := mustNew(t, p)
	p.Family = hashfam.New(hashfam.Key{1})
	keyed := p.Family.String()
	s := mustScale(t, ScalableConfig{Expected: 10, FPRate: 0.1})
	for _, e := range []struct {
		err    error
		reason error
		text   string
	}{
		{f.Merge(other), ErrIncompatible, "Params.Bits = 512, want 1024"},
		{f.Intersect(other), ErrIncompatible, "Params.Bits = 512, want 1024"},
		{errorOf(f.Jaccard(other)), ErrIncompatible, "Params.Bits = 512, want 1024"},
		{f.MergeAll(other), ErrIncompatible, "others[0]: Params.Bits = 512, want 1024"},
		{f.MergeAll(g, g, other), ErrIncompatible, "others[2]: Params.Bits = 512, want 1024"},
		{other.MergeAll(other, mustNew(t, p)), ErrIncompatible, "others[1]: Params.Family = " + keyed + ", want public"},
		{f.Merge(nil), ErrIncompatible, "other = nil, want a filter"},
		{f.MergeAll(g, nil), ErrIncompatible, "others[1] = nil, want a filter"},
		{f.Merge(zero), ErrIncompatible, "other = a zero Filter, want one made by New or by decoding"},
		{f.MergeAll(g, NewReceiver(p.Family)), ErrIncompatible, "others[1] = a zero Filter, want one made by New or by decoding"},
		{zero.Merge(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{zero.MergeAll(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{zero.Intersect(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{errorOf(zero.Cosine(f)), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{c.Merge(other), ErrIncompatible, "Params.Bits = 512, want 1024"},
		{c.Merge(nil), ErrIncompatible, "other = nil, want a filter"},
		{c.Merge(zero), ErrIncompatible, "other = a zero Filter, want one made by New or by decoding"},
		{new(Concurrent).Merge(f), ErrParams, "receiver = a zero Concurrent, want one made by NewConcurrent"},
		{s.Merge(nil), ErrIncompatible, "other = nil, want a filter"},
		{s.Merge(zero), ErrIncompatible, "other = a zero Filter, want one made by New or by decoding"},
		{s.Merge(mustNew(t, p)), ErrIncompatible, "Params.Family = " + keyed + ", want public"},
		{new(Scalable).Merge(f), ErrParams, "receiver = a zero Scalable, want one made by NewScalable or by decoding"},
		{new(Scalable).Merge(mustNew(t, p)), ErrParams, "receiver = a zero Scalable, want one made by NewScalable or by decoding"},
	} {
		require.EqualError(t, e.err, "bloom: "+e.reason.Error()+": "+e.text)
		require.ErrorIs(t, e.err, e.reason)
		require.NotEmpty(t, errorField(t, e.err))
	}
	require.True(t, zero.Equal(new(Filter)), "a failed merge changed the filter")
	require.NoError(t, new(Concurrent).Merge(zero))
	require.NoError(t, zero.Merge(new(Filter)))
}

func errorField(t require.TestingT, err error) string {
	var field *FieldError
	require.ErrorAs(t, err, &field)
	return field.Field
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
			f.AddUint64(i)
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
			built.AddUint64(i)
		}
		require.True(t, f.Equal(built))
	})
}

func TestFoldToIsChecked(t *testing.T) {
	f := mustNew(t, Params{Bits: 1024, Hashes: 3})
	for _, rate := range []float64{0, 1, -1, math.NaN()} {
		requireField(t, f.FoldTo(rate), ErrParams, "rate")
	}
	require.EqualValues(t, 1024, f.Params().Bits)
	require.ErrorIs(t, (*Filter)(nil).FoldTo(0.1), ErrParams)
	require.ErrorIs(t, new(Filter).FoldTo(0.1), ErrParams)
}
