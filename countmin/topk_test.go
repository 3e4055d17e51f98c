package countmin

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
)

// A sequence that All returned before another top k was decoded into this one
// yields the keys of that, as many as it is to report.
func TestAllReadsTheCurrentTopK(t *testing.T) {
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
