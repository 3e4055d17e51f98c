package cuckoo

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// MergeAll equals merges in turn, and changes nothing if one filter does not
// fit or differs.
func TestMergeAll(t *testing.T) {
	p := Params{Buckets: 100, FingerprintBits: 12, Compact: true}
	filters := make([]*Filter, 4)
	for k := range filters {
		filters[k] = mustNew(t, p)
		for n := range 80 {
			require.NoError(t, filters[k].AddString(fmt.Sprint(k, " ", n)))
		}
	}
	all, turns := mustNew(t, p), mustNew(t, p)
	require.NoError(t, all.MergeAll(filters...))
	for _, f := range filters {
		require.NoError(t, turns.Merge(f))
	}
	require.True(t, all.Equal(turns))
	require.EqualValues(t, 320, all.Len())

	before := all.Clone()
	require.ErrorIs(t, all.MergeAll(filters[0], filters[1]), ErrFull)
	require.True(t, all.Equal(before), "80 of 160 keys would have fit")
	require.ErrorIs(t, all.MergeAll(mustNew(t, p), nil), ErrIncompatible)
	require.ErrorIs(t, all.MergeAll(filters[0], mustNew(t, Params{Buckets: 100, FingerprintBits: 13})), ErrIncompatible)
	require.True(t, all.Equal(before))
	require.NoError(t, all.MergeAll())
	require.ErrorIs(t, (*Filter)(nil).MergeAll(), ErrParams)
}

// If there are more fingerprints than free slots, Merge returns ErrFull, and
// not ErrCopies, since it does not begin.
func TestAMergeOfMoreKeysThanSlots(t *testing.T) {
	p := Params{Buckets: 2, FingerprintBits: 12}
	f, other := mustNew(t, p), mustNew(t, p)
	for range 8 {
		require.NoError(t, f.AddString("copy"))
	}
	require.NoError(t, other.AddString("copy"))
	require.Equal(t, errFull, f.Merge(other))
	require.Equal(t, errFull, other.Merge(f))
	require.NoError(t, f.Merge(mustNew(t, p)))
}

// Errors about several filters name the package and the reason once, and say
// which filter they are about. Those of a single one do not.
func TestTheTextOfMergeErrors(t *testing.T) {
	f, zero := mustNew(t, Params{Buckets: 48, FingerprintBits: 12}), new(Filter)
	other := mustNew(t, Params{Buckets: 270, FingerprintBits: 12})
	for _, e := range []struct {
		err    error
		reason error
		text   string
	}{
		{f.Merge(other), ErrIncompatible, "Params.Buckets = 270, want 48"},
		{f.MergeAll(f, f, other), ErrIncompatible, "others[2]: Params.Buckets = 270, want 48"},
		{f.Merge(nil), ErrIncompatible, "other = nil, want a filter"},
		{f.MergeAll(nil), ErrIncompatible, "others[0] = nil, want a filter"},
		{f.Merge(zero), ErrIncompatible, "other = a zero Filter, want one made by New or by decoding"},
		{f.MergeAll(f, zero), ErrIncompatible, "others[1] = a zero Filter, want one made by New or by decoding"},
		{zero.Merge(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{zero.MergeAll(f), ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
	} {
		require.EqualError(t, e.err, "cuckoo: "+e.reason.Error()+": "+e.text)
		require.ErrorIs(t, e.err, e.reason)
		require.ErrorAs(t, e.err, new(*FieldError))
	}
	require.True(t, zero.Equal(new(Filter)), "a failed merge changed the filter")
}
