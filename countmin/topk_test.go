package countmin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestTopKReportsTheMostFrequent(t *testing.T) {
	k := must(NewTopK(TopKConfig{K: 3}))
	require.Empty(t, maps.Collect(k.All()))
	require.True(t, k.Complete(), "nothing is missing of nothing")
	k.AddString("a")
	k.AddN([]byte("b"), 5)
	require.Equal(t, map[string]Estimate{"a": {1, 1}, "b": {5, 5}}, maps.Collect(k.All()), "fewer than k")
	require.True(t, k.Complete())
	keys := bytes.Split([]byte("c c d d d "), []byte(" "))
	require.NoError(t, k.AddAll(k.Family().SumAll(nil, keys), keys))
	require.Equal(t, []string{"b", "d", "c"}, keysOf(k.All()))
	require.True(t, k.Complete())
	k.AddString("a") // as often as c: either may be third
	require.Equal(t, []string{"b", "d", "a"}, keysOf(k.All()))
	require.True(t, k.Complete())
}

// A sequence that All returned before another top k was decoded into this one
// yields the keys of that, as many as it is to report.
func TestASequenceGoesWithTheTopK(t *testing.T) {
	top := must(NewTopK(TopKConfig{K: 2}))
	for _, key := range []string{"a", "b", "b", "c", "c", "c"} {
		top.AddString(key)
	}
	for _, k := range []*TopK{{}, must(NewTopK(TopKConfig{K: 1})), must(NewTopK(TopKConfig{K: 9}))} {
		all := k.All()
		require.NoError(t, k.UnmarshalBinary(must(top.MarshalBinary())))
		require.Equal(t, []string{"c", "b"}, keysOf(all))
	}
}

// The keys of a TopK are certain if the last of them counts at least as much as
// any other may: a tracked one or, in the second column, one that is too long
// to be tracked.
func TestWhenATopKIsComplete(t *testing.T) {
	for _, c := range []struct {
		k        int
		missed   uint64
		counts   []uint64
		complete bool
	}{
		{1, 0, nil, true},
		{1, 0, []uint64{5}, true},
		{2, 0, []uint64{5}, true},
		{2, 1, []uint64{5}, false},
		{1, 4, []uint64{5}, true},
		{1, 5, []uint64{5}, true},
		{1, 6, []uint64{5}, false},
		{1, 0, []uint64{5, 4}, true},
		{1, 0, []uint64{5, 5}, true},
		{1, 6, []uint64{7, 5}, true},
		{2, 6, []uint64{7, 5, 1}, false},
		{2, 5, []uint64{7, 5, 1}, true},
	} {
		k := must(NewTopK(TopKConfig{K: c.k, MemoryBytes: tracker.MinMemory}))
		k.AddN(make([]byte, 9000), c.missed)
		for i, n := range c.counts {
			k.AddN(fmt.Append(nil, i), n)
		}
		require.Equal(t, c.missed, k.MissBound())
		require.Equal(t, c.complete, k.Complete(), "%+v", c)
	}
}

// The largest K, budget and number of panes are accepted, in a Config and in a
// frame, and one more is not.
func TestTheLargestTrackers(t *testing.T) {
	k := must(NewTopK(TopKConfig{K: tracker.MaxK, MemoryBytes: tracker.MinMemory}))
	require.NoError(t, new(TopK).UnmarshalBinary(must(k.MarshalBinary())))
	_, err := NewTopK(TopKConfig{K: tracker.MaxK + 1})
	requireField(t, err, ErrParams, "TopKConfig.K")
	require.NoError(t, checkMemory("", tracker.MinMemory, ErrParams))
	require.NoError(t, checkMemory("", tracker.MaxMemory, ErrParams))
	require.ErrorIs(t, checkMemory("", tracker.MaxMemory+1, ErrParams), ErrParams)
	if runtime.GOARCH == "wasm" || math.MaxInt == math.MaxInt32 {
		require.EqualValues(t, math.MaxInt32/2, tracker.MaxMemory)
	}

	b := must(k.MarshalBinary())
	for budget, ok := range map[uint64]bool{tracker.MaxMemory: true, tracker.MaxMemory + 1: false} {
		binary.LittleEndian.PutUint64(b[32:], budget)
		conformance.Reseal(b)
		c, err := ReadTopKConfig(bytes.NewReader(b), hashfam.Family{})
		if !ok {
			requireField(t, err, ErrCorrupt, "MemoryBytes")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, TopKConfig{K: tracker.MaxK, MemoryBytes: tracker.MaxMemory}, c)
	}
}
