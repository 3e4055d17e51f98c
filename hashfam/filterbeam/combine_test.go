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
	want, err := s.frame(keys)
	require.NoError(t, err)
	got, err := c.ExtractOutput(a)
	require.NoError(t, err)
	require.Equal(t, want, got, s.name)
	encoded, err := encodeAccumulator(a)
	require.NoError(t, err)
	return element{a, encoded, keys, depth}
}

// Accumulators may be merged in any grouping, at any depth, kept in memory or
// encoded, and given to a function again, as if it was repeated: the frame is
// always that of their keys, and no accumulator changes after it was passed on.
func TestCombinersInAnyGrouping(t *testing.T) {
	keys := testKeys(900)
	for i, s := range singles {
		p, err := s.plan()
		require.NoError(t, err)
		stages := make([]*combineFn[[]byte], 40) // a function for each depth
		for i := range stages {
			stages[i] = &combineFn[[]byte]{Spec: p.spec}
			require.NoError(t, stages[i].Setup())
		}
		r := rand.New(rand.NewPCG(7, uint64(i)))
		var all []element
		draw := func() element { return all[r.IntN(len(all))] }
		for step := range stages {
			if step < 4 || step%4 == 0 {
				a, some := stages[0].CreateAccumulator(), keys[r.IntN(len(keys)):]
				for _, key := range some {
					a, err = stages[0].AddInput(a, key)
					require.NoError(t, err)
				}
				all = append(all, requireElement(t, s, stages[0], a, some, 0))
				continue
			}
			some := []element{draw(), draw(), draw(), draw()}[:2+step%3]
			if step%2 == 0 {
				some[0].accumulator, err = decodeAccumulator(some[0].encoded)
				require.NoError(t, err)
			}
			all = append(all, mergeElements(t, s, stages, some))
			for _, e := range all {
				encoded, err := encodeAccumulator(e.accumulator)
				require.NoError(t, err)
				require.Equal(t, e.encoded, encoded, "%s, step %d", s.name, step)
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
		var err error
		sum, err = stages[depth].MergeAccumulators(sum, e.accumulator)
		require.NoError(t, err)
		keys = append(keys[:len(keys):len(keys)], e.keys...)
	}
	return requireElement(t, s, stages[depth], sum, keys, depth)
}
