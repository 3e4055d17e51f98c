package counting

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMergeAllEqualsMergingEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShared(t)
		p.Layout = rapid.SampledFrom([]Layout{Classic, Blocked}).Draw(t, "layout")
		each, all := newFilter(p, make(nibbles, p.words())), newFilter(p, make(nibbles, p.words()))
		var others []*Filter
		for range rapid.IntRange(0, 20).Draw(t, "filters") {
			other := newFilter(p, make(nibbles, p.words()))
			for range rapid.IntRange(0, 10).Draw(t, "keys") {
				other.AddUint64(rapid.Uint64Range(0, 3).Draw(t, "key"))
			}
			others = append(others, other)
			require.NoError(t, each.Merge(other))
		}
		require.NoError(t, all.MergeAll(others...))
		require.True(t, all.Equal(each))
		p.Hashes++
		different := newFilter(p, make(nibbles, p.words()))
		require.ErrorIs(t, all.MergeAll(append(others, different)...), ErrIncompatible)
		require.ErrorIs(t, all.MergeAll(append(others, nil)...), ErrIncompatible)
		require.True(t, all.Equal(each), "a failed merge changed the filter")
	})
	require.ErrorIs(t, (*Filter)(nil).MergeAll(), ErrParams)
	require.ErrorIs(t, (*Filter)(nil).MergeAll(nil), ErrParams)
}

// Errors about several filters name the package and the reason once, and say
// which filter they are about. Those of a single one do not.
func TestTheTextOfMergeErrors(t *testing.T) {
	p := Params{Counters: 1024, Hashes: 2, Layout: Blocked}
	f := mustNew(t, p)
	c, err := NewConcurrentFrom(f)
	require.NoError(t, err)
	p.Counters = 512
	other, zero := mustNew(t, p), new(Filter)
	for _, e := range []struct {
		err    error
		reason error
		text   string
	}{
		{f.Merge(other), ErrIncompatible, "Params.Counters = 512, want 1024"},
		{f.MergeAll(f, f, other), ErrIncompatible, "others[2]: Params.Counters = 512, want 1024"},
		{f.Merge(nil), ErrIncompatible, "other = nil, want a filter"},
		{f.MergeAll(nil), ErrIncompatible, "others[0] = nil, want a filter"},
		{f.Merge(zero), ErrIncompatible, "other = a zero Filter, want one made by New or by decoding"},
		{f.MergeAll(f, zero), ErrIncompatible, "others[1] = a zero Filter, want one made by New or by decoding"},
		{zero.Merge(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{zero.MergeAll(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{c.Merge(other), ErrIncompatible, "Params.Counters = 512, want 1024"},
		{c.Merge(nil), ErrIncompatible, "other = nil, want a filter"},
		{c.Merge(zero), ErrIncompatible, "other = a zero Filter, want one made by New or by decoding"},
		{new(Concurrent).Merge(f), ErrParams, "receiver = a zero Concurrent, want one made by NewConcurrent"},
	} {
		require.EqualError(t, e.err, "counting: "+e.reason.Error()+": "+e.text)
		require.ErrorIs(t, e.err, e.reason)
		require.ErrorAs(t, e.err, new(*FieldError))
	}
	require.True(t, zero.Equal(new(Filter)), "a failed merge changed the filter")
	require.NoError(t, new(Concurrent).Merge(zero))
}
