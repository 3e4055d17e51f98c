package filterbeam

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// An element is an accumulator that an engine keeps, and the keys that it
// combines.
type element struct {
	*accumulator
	encoded []byte
	keys    [][]byte
	depth   int // of the tree of mergers
}

// requireElement checks that c made a of the keys.
func requireElement(t *testing.T, s single, c *combineFn[[]byte], a *accumulator, keys [][]byte, depth int) element {
	t.Helper()
	want := s.frame(keys)
	require.Equal(t, want, must(c.ExtractOutput(a)), s.name)
	return element{a, encodeAccumulator(a), keys, depth}
}

// Accumulators may be merged in any grouping, at any depth, kept in memory or
// encoded, and given to a function again, as if it was repeated: the frame is
// always that of their keys, and no accumulator changes after it was passed on.
func TestCombinersInAnyGrouping(t *testing.T) {
	keys := testKeys(900)
	for i, s := range singles {
		stages := make([]*combineFn[[]byte], 40) // a function for each depth
		for i := range stages {
			stages[i] = &combineFn[[]byte]{Spec: s.plan.spec}
			require.NoError(t, stages[i].Setup())
		}
		r := rand.New(rand.NewPCG(7, uint64(i)))
		var all []element
		draw := func() element { return all[r.IntN(len(all))] }
		for step := range stages {
			if step < 4 || step%4 == 0 {
				a, some := stages[0].CreateAccumulator(), keys[r.IntN(len(keys)):]
				for _, key := range some {
					a = must(stages[0].AddInput(a, key))
				}
				all = append(all, requireElement(t, s, stages[0], a, some, 0))
				continue
			}
			some := []element{draw(), draw(), draw(), draw()}[:2+step%3]
			if step%2 == 0 {
				some[0].accumulator = must(decodeAccumulator(some[0].encoded))
			}
			all = append(all, mergeElements(t, s, stages, some))
			for _, e := range all {
				require.Equal(t, e.encoded, encodeAccumulator(e.accumulator), "%s, step %d", s.name, step)
			}
		}
	}
}

// mergeElements merges some elements as the engine does, by the function of
// their depth.
func mergeElements(t *testing.T, s single, stages []*combineFn[[]byte], some []element) element {
	t.Helper()
	depth := 0
	for _, e := range some {
		depth = max(depth, e.depth+1)
	}
	sum, keys := some[0].accumulator, some[0].keys
	for _, e := range some[1:] {
		sum = must(stages[depth].MergeAccumulators(sum, e.accumulator))
		keys = append(keys[:len(keys):len(keys)], e.keys...)
	}
	return requireElement(t, s, stages[depth], sum, keys, depth)
}
