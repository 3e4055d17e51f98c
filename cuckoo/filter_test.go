package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergeAddsAllOrNothing(t *testing.T) {
	for _, p := range kinds {
		a, b := mustNew(t, p), mustNew(t, p)
		for key := range uint64(200) {
			require.NoError(t, a.AddDigest(p.Family.SumUint64(key)))
			require.NoError(t, b.AddDigest(p.Family.SumUint64(key|1<<20)))
		}
		all := a.Clone()
		require.NoError(t, all.Merge(b, all))
		require.EqualValues(t, 600, all.Len(), "its own keys are there twice")
		for key := range uint64(200) {
			require.True(t, all.DeleteDigest(p.Family.SumUint64(key)))
			require.True(t, all.DeleteDigest(p.Family.SumUint64(key)))
			require.True(t, all.DeleteDigest(p.Family.SumUint64(key|1<<20)))
		}
		require.True(t, all.Equal(mustNew(t, p)))

		for key := uint64(1 << 21); b.AddDigest(p.Family.SumUint64(key)) == nil; key++ {
		}
		before := a.Clone()
		require.ErrorIs(t, a.Merge(b), ErrFull, "more keys than slots")
		require.True(t, a.Equal(before))

		// With as many keys as slots, Merge fails after it has added most keys.
		c := mustNew(t, p)
		for key := uint64(0); c.Len()+b.Len() < p.slots(); key++ {
			require.NoError(t, c.AddDigest(p.Family.SumUint64(key|1<<30)))
		}
		before = c.Clone()
		require.ErrorIs(t, c.Merge(b), ErrFull)
		require.True(t, c.Equal(before))
		require.Equal(t, before.Len(), c.Len())
	}
}
