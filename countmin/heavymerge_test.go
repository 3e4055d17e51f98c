package countmin

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
)

// Shards that are merged in any order give the same answer, byte for byte,
// while memory holds the keys of all, and keep the guarantee in any case.
func TestShardsMergeInAnyOrder(t *testing.T) {
	s := streams.MobyDick()
	for _, phi := range []float64{1.0 / 50, 1.0 / 1000, 1.0 / 6000} {
		holdsAll := 4/phi > float64(len(s.Keys))
		const shards = 4
		var parts [shards]*HeavyHitters
		for i := range parts {
			parts[i] = must(NewHeavyHitters(HeavyConfig{Phi: phi}))
		}
		for i, id := range s.IDs { // unevenly: some by place, some by key
			at := i * shards / len(s.IDs)
			if id%3 == 0 {
				at = int(id) % shards
			}
			parts[at].Add(s.Keys[id])
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
			if want == nil {
				want = must(h.MarshalBinary())
			}
			if holdsAll {
				require.True(t, h.Equal(pairs[0]), "as a tree")
				require.Equal(t, want, must(h.MarshalBinary()), "order %v", order)
			}
			require.True(t, h.Complete())
			require.True(t, pairs[0].Complete())
			all := reported(t, h, h.All())
			for k, n := range s.Counts() {
				bounded(t, k, n, h.EstimateString(k))
				if float64(n) >= phi*float64(len(s.IDs)) {
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
	s := streams.MobyDick()
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		c := HeavyConfig{Phi: 1.0 / 500, MemoryBytes: 16 << 10}
		h := must(NewHeavyHitters(c))
		for _, part := range order {
			p := must(NewHeavyHitters(c))
			for i := part; i < len(s.IDs); i += 3 {
				p.Add(s.Keys[s.IDs[i]])
			}
			require.NoError(t, h.Merge(p))
			require.LessOrEqual(t, h.SizeBytes(), uint64(c.MemoryBytes))
		}
		require.True(t, h.Complete())
		all := reported(t, h, h.All())
		for k, n := range s.Counts() {
			bounded(t, k, n, h.EstimateString(k))
			if 500*n >= uint64(len(s.IDs)) {
				require.Contains(t, all, k)
			}
		}
	}
}

// A structure may be merged with itself: every count doubles.
func TestMergingWithItselfDoublesEveryCount(t *testing.T) {
	for _, memory := range []int{0, 4096} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.05, MemoryBytes: memory}))
		k := must(NewTopK(TopKConfig{K: 3, MemoryBytes: memory}))
		for i := range uint64(20) {
			h.AddNString(fmt.Sprint("k", i), i+1)
			k.AddNString(fmt.Sprint("k", i), i+1)
		}
		require.NoError(t, h.Merge(h))
		require.NoError(t, k.Merge(k))
		require.EqualValues(t, 420, h.Total())
		require.Equal(t, []string{"k19", "k18", "k17"}, keysOf(k.All()))
		require.Equal(t, []string{"k19", "k18", "k17", "k16", "k15", "k14", "k13", "k12", "k11", "k10"}, keysOf(h.All()))
		for i := range uint64(20) {
			bounded(t, fmt.Sprint("k", i), 2*(i+1), h.EstimateString(fmt.Sprint("k", i)))
		}
		decoded := must(NewHeavyHitters(HeavyConfig{Phi: 0.05, MemoryBytes: memory}))
		require.NoError(t, decoded.UnmarshalBinary(must(h.MarshalBinary())))
		require.True(t, decoded.Equal(h))
	}
}

// Estimates too large to be stored beside a count do not grow with every merge.
func TestMergesDoNotInflateHugeCounts(t *testing.T) {
	for _, weight := range []uint64{1 << 20, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 33, 1 << 40} {
		c := HeavyConfig{Phi: 0.1, MemoryBytes: 1024}
		h, o := must(NewHeavyHitters(c)), must(NewHeavyHitters(c))
		o.AddString("o")
		truth := map[string]uint64{"o": 20}
		for i := range 20 {
			h.AddNString(fmt.Sprint("k", i), weight)
			truth[fmt.Sprint("k", i)] += weight
		}
		h.AddNString("k0", 2*weight)
		truth["k0"] += 2 * weight
		first := h.EstimateString("k0")
		for range 20 {
			require.NoError(t, h.Merge(o))
		}
		require.LessOrEqual(t, h.EstimateString("k0").Count, first.Count+20*20, "weight %d", weight)
		for k, n := range truth {
			bounded(t, k, n, h.EstimateString(k))
		}
		require.NoError(t, must(NewHeavyHitters(c)).UnmarshalBinary(must(h.MarshalBinary())))
	}
}

func TestAZeroStructureKnowsNothing(t *testing.T) {
	var h HeavyHitters
	var k TopK
	h.AddString("a")
	k.AddString("a")
	require.False(t, h.Complete())
	require.False(t, k.Complete())
	require.EqualValues(t, uint64(math.MaxUint64), h.MissBound())
	require.EqualValues(t, uint64(math.MaxUint64), k.MissBound())
}

func TestAtACountersMaximumNothingIsKnown(t *testing.T) {
	for _, bits := range []int{32, 64} {
		s := must(New(Config{Width: 100, Depth: 3, CounterBits: bits}))
		s.AddNString("a", math.MaxUint64)
		low, high := s.BoundsString("a")
		require.Zero(t, low)
		require.EqualValues(t, uint64(math.MaxUint64), high)
	}
}
