package countmin

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Keys are copied when they are admitted, so the caller's buffer is free again.
func TestKeysOfAnyLengthAreCopied(t *testing.T) {
	h, buf := must(NewHeavyHitters(HeavyConfig{Phi: 1e-6})), make([]byte, 600)
	r := rand.New(rand.NewPCG(3, 3))
	want := map[string]Estimate{}
	for n := range buf {
		key := buf[:n]
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		h.AddN(key, uint64(n)+1)
		want[string(key)] = Estimate{uint64(n) + 1, uint64(n) + 1}
	}
	require.Equal(t, want, maps.Collect(h.All()))
	require.NoError(t, h.UnmarshalBinary(must(h.MarshalBinary())))
	require.Equal(t, want, maps.Collect(h.All()))
}

// Once the first keys are in, nothing allocates, sweeps included.
func TestUpdatesDoNotAllocate(t *testing.T) {
	s := mobyDick()
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: 16 << 10}))
	k := must(NewTopK(TopKConfig{K: 100, MemoryBytes: 64 << 10}))
	grown := must(NewHeavyHitters(HeavyConfig{Phi: 0.02}))
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

// fill returns a structure with 2,000 keys, of that length or a little more,
// some of them more often than others.
func fill[T tracking](h T, seed, length int) T {
	r := rand.New(rand.NewPCG(uint64(seed), 9))
	buf := make([]byte, length+8)
	for range 2_000 {
		key := fmt.Appendf(buf[:0], "%0*d", length, int(r.ExpFloat64()*300))
		h.AddDigest(h.Family().Sum(key), key)
	}
	return h
}

// The runtime holds at most nine eighths of the budget, as the allocator may
// round arrays up, whatever the keys, and after merges and decoding too.
func TestMemoryIsWithinTheBudget(t *testing.T) {
	heavy := func(budget int) *HeavyHitters {
		return must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: budget}))
	}
	for _, length := range []int{1, 700} {
		for _, budget := range []int{tracker.MinMemory, 3000, 16 << 10, 100_000, 256 << 10} {
			requireHeld(t, 16, budget, func(i int) tracking { return fill(heavy(budget), i, length) })
		}
		const budget = 16 << 10
		requireHeld(t, 8, budget, func(i int) tracking {
			h := new(HeavyHitters)
			if err := h.UnmarshalBinary(must(fill(heavy(budget), i, length).MarshalBinary())); err != nil {
				panic(err)
			}
			h.AddString("wakes what was left asleep")
			return h
		})
		requireHeld(t, 8, budget, func(i int) tracking {
			h := fill(heavy(budget), i, length)
			if err := h.Merge(fill(heavy(budget), i+1, length)); err != nil {
				panic(err)
			}
			return h
		})
		requireHeld(t, 8, 64<<10, func(i int) tracking {
			return fill(must(NewWindow(WindowConfig{Phi: 0.001, Keys: 700, MemoryBytes: 64 << 10})), i, length)
		})
	}
}

// requireHeld checks that several structures hold at most nine eighths of their
// budgets. What else the process takes or frees meanwhile, the runtime itself
// included, does so now and then: the least of several measurements is of the
// structures alone.
func requireHeld(t *testing.T, copies, budget int, make func(i int) tracking) {
	least, most := int64(math.MaxInt64), int64(budget*copies/8*9)
	for attempt := 0; attempt < 6 && least > most; attempt++ {
		var hold []tracking
		before := heapBytes()
		for i := range copies {
			hold = append(hold, make(i))
			require.LessOrEqual(t, hold[i].SizeBytes(), uint64(budget))
		}
		least = min(least, heapBytes()-before)
		runtime.KeepAlive(hold)
	}
	require.LessOrEqual(t, least, most+2048)
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// To make a structure, to decode one and to merge two allocates memory in
// proportion to what they hold.
func TestAllocationsAreInProportion(t *testing.T) {
	for _, budget := range []int{tracker.MinMemory, 4192, 16 << 10, 39_744, 256 << 10} {
		var h *HeavyHitters
		took := conformance.LeastAllocated(3, func() { h = must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: budget})) })
		require.LessOrEqual(t, took, uint64(budget+budget/8), "New with %d bytes", budget)
		for i := range budget / 16 {
			h.AddString(fmt.Sprint("key ", i))
		}
		b, g := must(h.MarshalBinary()), new(HeavyHitters)
		took = conformance.LeastAllocated(3, func() { require.NoError(t, g.UnmarshalBinary(b)) })
		require.LessOrEqual(t, took, uint64(64<<10+6*len(b)), "decode %d bytes", len(b))
		took = conformance.LeastAllocated(3, func() { require.NoError(t, g.Merge(h)) })
		require.LessOrEqual(t, took, uint64(6*budget), "merge within %d bytes", budget)
	}
}

// Batches need a digest for each key, and count nothing otherwise.
func TestABatchNeedsADigestForEachKey(t *testing.T) {
	h, keys := must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), [][]byte{nil, nil}
	digests := h.Family().SumAll(nil, keys)
	requireField(t, h.AddAll(digests[:1], keys), ErrParams, "len(digests)")
	requireField(t, h.AddAll(digests, keys[:1]), ErrParams, "len(digests)")
	require.Zero(t, h.Total())
}

// Shards that are merged in any order give the same answer while memory holds
// the keys of all, and keep the guarantee and the budget in any case.
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

// Estimates too large to be stored beside a count do not grow with every merge.
func TestMergesDoNotInflateHugeCounts(t *testing.T) {
	for _, weight := range []uint64{1 << 20, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 33, 1 << 40} {
		c := HeavyConfig{Phi: 0.1, MemoryBytes: 1024}
		h, o := must(NewHeavyHitters(c)), must(NewHeavyHitters(c))
		o.AddString("o")
		truth := map[string]uint64{"o": 20, "k0": 2 * weight}
		for i := range 20 {
			h.AddN(fmt.Appendf(nil, "k%d", i), weight)
			truth[fmt.Sprint("k", i)] += weight
		}
		h.AddN([]byte("k0"), 2*weight)
		first := h.EstimateString("k0")
		for range 20 {
			require.NoError(t, h.Merge(o))
		}
		require.LessOrEqual(t, h.EstimateString("k0").High, first.High+20*20, "weight %d", weight)
		checkTracked(t, truth, h)
		require.NoError(t, new(HeavyHitters).UnmarshalBinary(must(h.MarshalBinary())))
	}
}

// Merging the parts of real streams at once is at least as exact as merging
// them in turn: intervals are not wider in the sum, and the bound on the missed
// is no higher. All bounds hold.
func TestOneMergeIsAtLeastAsExactAsMany(t *testing.T) {
	for _, s := range []*stream{mobyDick(), web12(), weblog()} {
		width := func(h tracking) (sum uint64) {
			checkTracked(t, s.counts(), h)
			for key := range s.counts() {
				e := h.EstimateString(key)
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
			t.Logf("%s, %v: sum of intervals %d at once, %d in turn; missed %d, %d; tracked exactly %v, %v",
				s.Name, config, a, b, once.MissBound(), turn.MissBound(), once.Complete(), turn.Complete())
			require.LessOrEqual(t, a, b+b/50)
			require.LessOrEqual(t, once.MissBound(), turn.MissBound())
			require.LessOrEqual(t, width(topOnce), width(topTurn)*51/50)
		}
	}
}

// Errors name the field, and the place if there are several.
func TestErrorsOfMerge(t *testing.T) {
	s, h, k := must(New(Config{Width: 9, Depth: 2})), must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), must(NewTopK(TopKConfig{K: 2}))
	other := must(New(Config{Width: 8, Depth: 2}))
	_, product := s.InnerProduct(other)
	_, join := JoinHeavyHitters([]*HeavyHitters{h, must(NewHeavyHitters(HeavyConfig{Phi: 0.2}))})
	_, joinTop := JoinTopK([]*TopK{k, must(NewTopK(TopKConfig{K: 3}))})
	for text, err := range map[string]error{
		"Params.Width = 8, want 9":                   product,
		"others[2]: Params.Width = 8, want 9":        s.Merge(s, s, other),
		"HeavyConfig.Phi = 0, want 0.1":              h.Merge(NewHeavyReceiver(h.Family())),
		"shards[1]: HeavyConfig.Phi = 0.2, want 0.1": join,
		"shards[1]: TopKConfig.K = 3, want 2":        joinTop,
	} {
		require.EqualError(t, err, "countmin: incompatible structures: "+text)
		require.ErrorIs(t, err, ErrIncompatible)
	}
}

// Joined shards are as good as the whole: every frequent key is found, all
// bounds hold, and they are closer than those of a merge of the same parts.
func TestJoinedShardsAreAsGoodAsTheWhole(t *testing.T) {
	counts := mobyDick().counts()
	tops, heavies := make([]*TopK, 16), make([]*HeavyHitters, 16)
	for i := range tops {
		tops[i], heavies[i] = must(NewTopK(TopKConfig{K: 100})), must(NewHeavyHitters(HeavyConfig{Phi: 0.001}))
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

// What is not a shard is refused.
func TestWhatCannotBeJoined(t *testing.T) {
	_, err := JoinTopK(nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinHeavyHitters(nil)
	require.ErrorIs(t, err, ErrParams)
	shard := hashfam.Family{}.SumString("key").Shard(2)
	for i := range 2 {
		shards := []*TopK{must(NewTopK(TopKConfig{K: 5})), must(NewTopK(TopKConfig{K: 5}))}
		shards[i].AddString("key")
		if _, err = JoinTopK(shards); i == shard {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrIncompatible)
		require.ErrorContains(t, err, fmt.Sprintf("shards[%d]", i))
	}
}
