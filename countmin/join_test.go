package countmin

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/hashfam"
)

const joinShards = 16

// Joined shards are as good as the whole: every frequent key is found, all
// bounds hold, and they are closer than those of a merge of the same parts.
func TestJoinedShardsAreAsGoodAsTheWhole(t *testing.T) {
	moby := streams.MobyDick()
	tops, heavies := make([]*TopK, joinShards), make([]*HeavyHitters, joinShards)
	for i := range joinShards {
		tops[i], heavies[i] = must(NewTopK(TopKConfig{K: 100})), must(NewHeavyHitters(HeavyConfig{Phi: 0.001}))
	}
	counts := map[string]uint64{}
	for word, n := range moby.Counts() {
		counts[word] = n
		shard := tops[0].family.SumString(word).Shard(joinShards)
		tops[shard].AddNString(word, n)
		heavies[shard].AddNString(word, n)
	}
	top, err := JoinTopK(tops)
	require.NoError(t, err)
	require.True(t, top.Complete())
	require.EqualValues(t, len(moby.IDs), top.Total())
	least, reported := uint64(1<<63), map[string]bool{}
	for word, e := range top.All() {
		require.True(t, e.Low <= counts[word] && counts[word] <= e.High, word)
		least, reported[word] = min(least, counts[word]), true
	}
	require.Len(t, reported, 100)
	for word, n := range counts {
		require.True(t, reported[word] || n <= least, word)
		e := top.EstimateString(word)
		require.True(t, e.Low <= n && n <= e.High, word)
	}
	merged := tops[0].Clone()
	require.NoError(t, merged.MergeAll(tops[1:]...))
	require.Less(t, top.MissBound(), merged.MissBound())

	heavy, err := JoinHeavyHitters(heavies)
	require.NoError(t, err)
	require.True(t, heavy.Complete())
	found := map[string]bool{}
	for word, e := range heavy.All() {
		require.True(t, e.Low <= counts[word] && counts[word] <= e.High, word)
		found[word] = true
	}
	for word, n := range counts {
		require.True(t, n < heavy.Threshold() || found[word], word)
	}
}

// What is not a shard is refused.
func TestWhatCannotBeJoined(t *testing.T) {
	shards := func() []*TopK { return []*TopK{must(NewTopK(TopKConfig{K: 5})), must(NewTopK(TopKConfig{K: 5}))} }
	_, err := JoinTopK(nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinHeavyHitters(nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinTopK([]*TopK{nil})
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinHeavyHitters([]*HeavyHitters{nil})
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinHeavyHitters([]*HeavyHitters{{}})
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinTopK([]*TopK{{}, NewTopKReceiver(hashfam.Family{})})
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinTopK([]*TopK{shards()[0], {}})
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinHeavyHitters([]*HeavyHitters{must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), {}})
	require.ErrorIs(t, err, ErrParams)
	other := shards()
	other[1] = must(NewTopK(TopKConfig{K: 6}))
	_, err = JoinTopK(other)
	require.ErrorIs(t, err, ErrIncompatible)
	stray := shards()
	shard := stray[0].family.SumString("key").Shard(2)
	stray[1-shard].AddString("key")
	_, err = JoinTopK(stray)
	require.ErrorIs(t, err, ErrIncompatible)
	require.ErrorContains(t, err, fmt.Sprintf("shards[%d]", 1-shard))
	stray = shards()
	stray[shard].AddString("key")
	_, err = JoinTopK(stray)
	require.NoError(t, err)
	heavies := []*HeavyHitters{must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), must(NewHeavyHitters(HeavyConfig{Phi: 0.2}))}
	_, err = JoinHeavyHitters(heavies)
	require.ErrorIs(t, err, ErrIncompatible)
}
