package countmin

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// newHeavy returns an empty HeavyHitters.
func newHeavy(phi float64, memory int) *HeavyHitters {
	return must(NewHeavyHitters(HeavyConfig{Phi: phi, MemoryBytes: memory}))
}

func keysOf(all func(func(string, Estimate) bool)) (keys []string) {
	for k := range all {
		keys = append(keys, k)
	}
	return keys
}

// Without a budget, no heavy hitter of a real stream is missed at any moment.
func TestNoHeavyHitterIsMissedAtAnyMoment(t *testing.T) {
	for _, s := range []*stream{weblog(), weblog().ascending()} {
		h, counts := newHeavy(1.0/50, 0), make([]uint64, len(s.Keys))
		for _, id := range s.IDs {
			h.Add(s.Keys[id])
			counts[id]++
			require.True(t, h.Complete())
			require.True(t, counts[id] < h.Threshold() || h.Estimate(s.Keys[id]).High >= h.Threshold())
		}
	}
}

// A key that is too long to be tracked may be a heavy hitter if its count
// reaches the threshold.
func TestCompleteConsidersUntrackedKeys(t *testing.T) {
	h := newHeavy(0.5, tracker.MinMemory)
	h.AddN(make([]byte, 9000), 5)
	h.AddN([]byte("a"), 5)
	require.EqualValues(t, 5, h.MissBound())
	require.EqualValues(t, 5, h.Threshold())
	require.False(t, h.Complete())
	h.AddN([]byte("a"), 1)
	require.EqualValues(t, 6, h.Threshold())
	require.True(t, h.Complete())
	require.EqualValues(t, 7, threshold(0.07, 100), "although 0.07*100 is above 7")
	for _, phi := range []float64{1, math.SmallestNonzeroFloat64} {
		h := newHeavy(phi, 0)
		h.AddString("a")
		require.EqualValues(t, 1, h.Threshold())
	}
}

// If the keys do not fit, the budget is not exceeded and Complete is false.
func TestCompleteIsFalseIfKeysDoNotFit(t *testing.T) {
	h, huge := newHeavy(0.01, 2048), strings.Repeat("x", 4096)
	for i := range 1000 {
		h.AddString(huge)
		h.AddString(fmt.Sprint("small ", i%10))
	}
	require.False(t, h.Complete())
	require.GreaterOrEqual(t, h.MissBound(), uint64(1000))
	require.NotContains(t, maps.Collect(h.All()), huge)
	require.GreaterOrEqual(t, h.EstimateString(huge).High, uint64(1000))
	for i := range 10 { // the keys that fit are still found
		require.Equal(t, Estimate{100, 100}, h.EstimateString(fmt.Sprint("small ", i)))
	}
	for i := range uint64(1000) { // each is at most a hundredth, but there are far too many
		h.AddN([]byte(fmt.Sprint("spread ", i)), 30)
	}
	require.False(t, h.Complete())
	h.AddN([]byte("one"), 1<<30) // now a hundredth is more than any of the others
	require.True(t, h.Complete())
	require.Equal(t, []string{"one"}, keysOf(h.All()))
}

// If another TopK is decoded into this one, an iterator that All returned
// earlier yields the new keys.
func TestAllReadsTheCurrentTopK(t *testing.T) {
	top := must(NewTopK(TopKConfig{K: 2}))
	for _, key := range []string{"a", "b", "b", "c", "c", "c"} {
		top.AddString(key)
	}
	for _, k := range []*TopK{{}, must(NewTopK(TopKConfig{K: 1})), must(NewTopK(TopKConfig{K: 9}))} {
		all := k.All()
		require.NoError(t, k.UnmarshalBinary(must(top.MarshalBinary())))
		require.Equal(t, []string{"c", "b"}, keysOf(all))
		for key := range all {
			require.Equal(t, "c", key)
			break
		}
	}
}

// A TopK is complete if no other key can have a higher count than the last of
// its keys: neither a tracked key nor one that is too long to be tracked, which
// is counted missed times here.
func TestTopKIsCompleteIfNoOtherCountIsHigher(t *testing.T) {
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

// Once the first keys are tracked, updates do not allocate, not even in sweeps.
func TestUpdatesDoNotAllocate(t *testing.T) {
	s := mobyDick()
	h, grown := newHeavy(0.001, 16<<10), newHeavy(0.02, 0)
	k := must(NewTopK(TopKConfig{K: 100, MemoryBytes: 64 << 10}))
	for _, f := range []tracking{h, k, grown} {
		feed(f, s, 0, 2)
	}
	bound, next := h.MissBound(), len(s.IDs)/2
	require.Zero(t, testing.AllocsPerRun(len(s.IDs)-next-1, func() {
		key := s.Keys[s.IDs[next]]
		next++
		h.Add(key)
		k.AddN(key, 1)
		grown.Add(key)
		h.Estimate(key)
	}))
	require.Greater(t, h.MissBound(), bound, "there were sweeps")
}

// fill adds 2,000 keys of the given length or slightly more. Some are more
// frequent than others.
func fill[T tracking](h T, seed, length int) T {
	r := rand.New(rand.NewPCG(uint64(seed), 9))
	buf := make([]byte, length+8)
	for range 2_000 {
		h.self().Add(fmt.Appendf(buf[:0], "%0*d", length, int(r.ExpFloat64()*300)))
	}
	return h
}

// The runtime holds no more than 9/8 of the budget, because the allocator may
// round arrays up, whatever the keys, and after merges and decoding, too.
func TestMemoryIsWithinTheBudget(t *testing.T) {
	heavy := func(budget, length, seed int) *HeavyHitters { return fill(newHeavy(0.001, budget), seed, length) }
	for _, length := range []int{1, 700} {
		for _, budget := range []int{tracker.MinMemory, 3000, 16 << 10, 100_000, 256 << 10} {
			requireHeld(t, 16, budget, func(i int) tracking { return heavy(budget, length, i) })
		}
		const budget = 16 << 10
		requireHeld(t, 8, budget, func(i int) tracking {
			h := new(HeavyHitters)
			must(0, h.UnmarshalBinary(must(heavy(budget, length, i).MarshalBinary())))
			h.AddString("allocates the rest of the memory")
			return h
		})
		requireHeld(t, 8, budget, func(i int) tracking {
			h := heavy(budget, length, i)
			must(0, h.Merge(heavy(budget, length, i+1)))
			return h
		})
		requireHeld(t, 8, 64<<10, func(i int) tracking {
			return fill(must(NewWindow(WindowConfig{Phi: 0.001, Keys: 700, MemoryBytes: 64 << 10})), i, length)
		})
	}
}

// requireHeld checks that several structures hold no more than 9/8 of their
// budgets. The rest of the process, including the runtime, may allocate and
// free memory at the same time, so the minimum of several measurements counts.
func requireHeld(t *testing.T, copies, budget int, make func(i int) tracking) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	least, most := int64(math.MaxInt64), int64(budget*copies/8*9)
	for attempt := 0; attempt < 6 && least > most; attempt++ {
		var hold []tracking
		before := heap()
		for i := range copies {
			hold = append(hold, make(i))
			require.LessOrEqual(t, hold[i].SizeBytes(), uint64(budget))
		}
		least = min(least, heap()-before)
		runtime.KeepAlive(hold)
	}
	require.LessOrEqual(t, least, most+2048)
}

// Creating, decoding and merging structures allocates memory in proportion to
// their sizes.
func TestAllocationsAreInProportionToSize(t *testing.T) {
	for _, budget := range []int{tracker.MinMemory, 16 << 10, 256 << 10} {
		var h *HeavyHitters
		g, frame := new(HeavyHitters), []byte(nil)
		allocated := func(most int, do func()) {
			require.LessOrEqual(t, conformance.LeastAllocated(3, do), uint64(most), "%d bytes", budget)
		}
		allocated(budget+budget/8, func() { h = newHeavy(0.001, budget) })
		for i := range budget / 16 {
			h.AddString(fmt.Sprint("key ", i))
		}
		frame = must(h.MarshalBinary())
		allocated(64<<10+6*len(frame), func() { must(0, g.UnmarshalBinary(frame)) })
		allocated(6*budget, func() { must(0, g.Merge(h)) })
	}
}

// A batch that does not have one digest for each key is not counted.
func TestBatchNeedsADigestForEachKey(t *testing.T) {
	h, keys := newHeavy(0.1, 0), [][]byte{nil, nil}
	digests := h.Family().SumAll(nil, keys)
	requireField(t, h.AddAll(digests[:1], keys), ErrParams, "len(digests)")
	requireField(t, h.AddAll(digests, keys[:1]), ErrParams, "len(digests)")
	require.Zero(t, h.Total())
}

// The order of merges does not matter if memory grows and all keys are tracked.
// The guarantee and the budget hold in any case.
func TestShardsMergeInAnyOrder(t *testing.T) {
	s := mobyDick()
	for _, c := range []HeavyConfig{{Phi: 1.0 / 50}, {Phi: 1.0 / 1000}, {Phi: 1.0 / 6000}, {Phi: 1.0 / 500, MemoryBytes: 16 << 10}} {
		var parts [4]*HeavyHitters
		for i := range parts {
			parts[i] = must(NewHeavyHitters(c))
		}
		for i, id := range s.IDs { // unevenly: some by place, some by key
			at := i * len(parts) / len(s.IDs)
			if id%3 == 0 {
				at = int(id) % len(parts)
			}
			parts[at].Add(s.Keys[id])
		}
		var first *HeavyHitters
		for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}} {
			turn := must(NewHeavyHitters(c))
			for _, i := range order {
				require.NoError(t, turn.Merge(parts[i]))
			}
			tree, branch := parts[order[0]].Clone(), parts[order[2]].Clone()
			require.NoError(t, tree.Merge(parts[order[1]]))
			require.NoError(t, branch.Merge(parts[order[3]]))
			require.NoError(t, tree.Merge(branch))
			if first == nil {
				first = turn
			}
			if c.MemoryBytes == 0 && 4/c.Phi > float64(len(s.Keys)) { // all are tracked
				require.True(t, turn.Equal(tree), "as a tree")
				require.True(t, turn.Equal(first), "order %v", order)
			}
			for _, h := range []*HeavyHitters{turn, tree} {
				require.True(t, h.Complete())
				checkTracked(t, s.counts(), h)
				checkHeavy(t, s.counts(), h)
			}
		}
	}
}

// Merging the parts of a real stream with one call is at least as accurate as
// merging them individually: the sum of all intervals and MissBound are no
// larger (2% are tolerated). All bounds hold.
func TestOneMergeIsAtLeastAsExactAsMany(t *testing.T) {
	for _, s := range []*stream{mobyDick(), web12(), weblog()} {
		width := func(h tracking) (sum uint64) {
			checkTracked(t, s.counts(), h)
			for key := range s.counts() {
				e := h.self().EstimateString(key)
				sum += e.High - e.Low
			}
			return sum
		}
		for _, config := range []HeavyConfig{{Phi: 0.001}, {Phi: 0.002, MemoryBytes: 8 << 10}, {Phi: 0.01, MemoryBytes: 32 << 10}} {
			top := TopKConfig{K: 20, MemoryBytes: config.MemoryBytes}
			once, turn := must(NewHeavyHitters(config)), must(NewHeavyHitters(config))
			topOnce, topTurn := must(NewTopK(top)), must(NewTopK(top))
			shards, tops := make([]*HeavyHitters, 10), make([]*TopK, 10)
			for i := range shards {
				shards[i], tops[i] = must(NewHeavyHitters(config)), must(NewTopK(top))
				feed(shards[i], s, i, len(shards))
				feed(tops[i], s, i, len(tops))
				require.NoError(t, turn.Merge(shards[i]))
				require.NoError(t, topTurn.Merge(tops[i]))
			}
			require.NoError(t, once.Merge(shards...))
			require.NoError(t, topOnce.Merge(tops...))
			a, b := width(once), width(turn)
			t.Logf("%s, %v: sum of intervals %d with one call, %d one by one; missed %d, %d; complete %v, %v",
				s.Name, once, a, b, once.MissBound(), turn.MissBound(), once.Complete(), turn.Complete())
			require.LessOrEqual(t, a, b+b/50)
			require.LessOrEqual(t, once.MissBound(), turn.MissBound())
			require.LessOrEqual(t, width(topOnce), width(topTurn)*51/50)
		}
	}
}

// Joined shards are as good as the whole: every frequent key is found, and all
// bounds hold and are tighter than after merging the same parts.
func TestJoinedShardsAreAsGoodAsTheWhole(t *testing.T) {
	counts := mobyDick().counts()
	tops, heavies := make([]*TopK, 16), make([]*HeavyHitters, 16)
	for i := range tops {
		tops[i], heavies[i] = must(NewTopK(TopKConfig{K: 100})), newHeavy(0.001, 0)
	}
	for word, n := range counts {
		shard := hashfam.Family{}.SumString(word).Shard(len(tops))
		tops[shard].AddN([]byte(word), n)
		heavies[shard].AddN([]byte(word), n)
	}
	top, heavy := must(JoinTopK(tops)), must(JoinHeavyHitters(heavies))
	require.True(t, top.Complete() && heavy.Complete())
	checkTracked(t, counts, top)
	checkTop(t, counts, top)
	checkTracked(t, counts, heavy)
	checkHeavy(t, counts, heavy)
	merged := tops[0].Clone()
	require.NoError(t, merged.Merge(tops[1:]...))
	require.Less(t, top.MissBound(), merged.MissBound())
}

// Errors of Join name the field or the shard.
func TestJoinErrorsNameTheShard(t *testing.T) {
	top := func(k int) *TopK { return must(NewTopK(TopKConfig{K: k})) }
	_, none := JoinHeavyHitters(nil)
	requireField(t, none, ErrParams, "number of shards")
	_, heavy := JoinHeavyHitters([]*HeavyHitters{newHeavy(0.1, 0), newHeavy(0.2, 0)})
	requireField(t, heavy, ErrIncompatible, "shards[1]: HeavyConfig.Phi")
	_, other := JoinTopK([]*TopK{top(2), top(2), top(3)})
	requireField(t, other, ErrIncompatible, "shards[2]: TopKConfig.K")
	shard := hashfam.Family{}.SumString("key").Shard(2)
	for i := range 2 {
		shards := []*TopK{top(5), top(5)}
		shards[i].AddString("key")
		if _, err := JoinTopK(shards); i == shard {
			require.NoError(t, err)
		} else {
			requireField(t, err, ErrIncompatible, fmt.Sprintf("shards[%d]", i))
		}
	}
}
