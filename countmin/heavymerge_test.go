package countmin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Shards that are merged in any order give the same answer, byte for byte.
func TestShardsMergeInAnyOrder(t *testing.T) {
	s := mobyDick()
	for _, phi := range []float64{1.0 / 50, 1.0 / 1000} {
		const shards = 4
		var parts [shards]*HeavyHitters
		for i := range parts {
			parts[i] = must(NewHeavyHitters(HeavyConfig{Phi: phi}))
		}
		for i, id := range s.ids { // unevenly: some by place, some by key
			at := i * shards / len(s.ids)
			if id%3 == 0 {
				at = int(id) % shards
			}
			parts[at].Add(s.keys[id])
		}
		var want []byte
		for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}} {
			h := must(NewHeavyHitters(HeavyConfig{Phi: phi}))
			for _, i := range order {
				require.NoError(t, h.Merge(parts[i]))
			}
			pairs := [2]*HeavyHitters{parts[order[0]].Clone(), parts[order[2]].Clone()}
			require.NoError(t, pairs[0].Merge(parts[order[1]]))
			require.NoError(t, pairs[1].Merge(parts[order[3]]))
			require.NoError(t, pairs[0].Merge(pairs[1]))
			require.True(t, h.Equal(pairs[0]), "as a tree")
			if want == nil {
				want = must(h.MarshalBinary())
			}
			require.Equal(t, want, must(h.MarshalBinary()), "order %v", order)

			require.True(t, h.Complete())
			all := reported(t, h, h.All())
			for k, n := range s.counts() {
				bounded(t, k, n, h.EstimateString(k))
				if float64(n) >= phi*float64(len(s.ids)) {
					require.Contains(t, all, k)
				}
			}
			for k := range all { // pruned by the whole, not by the parts
				require.GreaterOrEqual(t, h.EstimateString(k).Count, h.Threshold())
			}
		}
	}
}

// Under a budget, too, shards find what the whole does, as long as they say so.
func TestShardsMergeWithinTheBudget(t *testing.T) {
	s := mobyDick()
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		c := HeavyConfig{Phi: 1.0 / 500, MemoryBytes: 16 << 10}
		h := must(NewHeavyHitters(c))
		for _, part := range order {
			p := must(NewHeavyHitters(c))
			for i := part; i < len(s.ids); i += 3 {
				p.Add(s.keys[s.ids[i]])
			}
			require.NoError(t, h.Merge(p))
			require.LessOrEqual(t, h.SizeBytes(), uint64(c.MemoryBytes))
		}
		require.True(t, h.Complete())
		all := reported(t, h, h.All())
		for k, n := range s.counts() {
			bounded(t, k, n, h.EstimateString(k))
			if 500*n >= uint64(len(s.ids)) {
				require.Contains(t, all, k)
			}
		}
	}
}
