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
