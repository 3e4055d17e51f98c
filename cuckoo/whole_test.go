package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergeTakesAllOrNothing(t *testing.T) {
	for _, p := range kinds {
		a, b := mustNew(t, p), mustNew(t, p)
		for key := range uint64(400) {
			require.NoError(t, a.AddDigest(p.Family.SumUint64(key)))
			require.NoError(t, b.AddDigest(p.Family.SumUint64(key|1<<20)))
		}
		both := a.Clone()
		require.NoError(t, both.Merge(b))
		require.EqualValues(t, 800, both.Len())
		for key := range uint64(400) {
			require.True(t, both.DeleteDigest(p.Family.SumUint64(key)))
			require.True(t, both.DeleteDigest(p.Family.SumUint64(key|1<<20)))
		}
		require.True(t, both.Equal(mustNew(t, p)))

		for key := uint64(1 << 21); b.AddDigest(p.Family.SumUint64(key)) == nil; key++ {
		}
		before := a.Clone()
		require.ErrorIs(t, a.Merge(b), ErrFull, "more keys than slots")
		require.True(t, a.Equal(before))

		// As many keys as slots: some bucket is in the way, and by then most
		// have been merged.
		c := mustNew(t, p)
		for key := uint64(0); c.Len()+b.Len() < p.slots(); key++ {
			require.NoError(t, c.AddDigest(p.Family.SumUint64(key|1<<30)))
		}
		before = c.Clone()
		require.ErrorIs(t, c.Merge(b), ErrFull)
		require.True(t, c.Equal(before))
		require.Equal(t, before.Len(), c.Len())

		twice := before.Clone()
		require.NoError(t, twice.Merge(twice))
		require.Equal(t, 2*before.Len(), twice.Len())
	}
}

// Several filters are merged, all or none.
func TestMergeOfSeveral(t *testing.T) {
	p := Params{Buckets: 100, FingerprintBits: 12}
	filters := make([]*Filter, 4)
	for k := range filters {
		filters[k] = mustNew(t, p)
		for key := range uint64(50) {
			require.NoError(t, filters[k].AddDigest(p.Family.SumUint64(key<<8|uint64(k))))
		}
	}
	f, before := filters[0], filters[0].Clone()
	require.NoError(t, f.Merge())
	require.True(t, f.Equal(before))
	require.NoError(t, f.Merge(filters[1], f, filters[2]))
	require.EqualValues(t, 200, f.Len())
	for _, g := range []*Filter{before, before, filters[1], filters[2]} {
		for key := range uint64(50) {
			for k := range uint64(3) {
				if d := p.Family.SumUint64(key<<8 | k); filters[k] == g || k == 0 && g == before {
					require.True(t, f.DeleteDigest(d))
				}
			}
		}
	}
	require.True(t, f.Equal(mustNew(t, p)))

	other := mustNew(t, Params{Buckets: 102, FingerprintBits: 12})
	requireField(t, before.Merge(filters[1], other), ErrIncompatible, "others[1]: Params.Buckets")
	require.EqualValues(t, 50, before.Len())
	fill := mustNew(t, p)
	in := len(fillUp(t, fill))
	require.ErrorIs(t, before.Merge(filters[1], filters[2], fill), ErrFull)
	require.EqualValues(t, 50, before.Len())
	require.EqualValues(t, in, fill.Len())
}
