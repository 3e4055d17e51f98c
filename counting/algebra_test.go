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
