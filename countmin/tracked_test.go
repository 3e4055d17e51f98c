package countmin

import (
	"cmp"
	"encoding/binary"
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
	"github.com/filterfam/filterfam/internal/checks"
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

// If other HeavyHitters are decoded into this one, an iterator that All
// returned earlier yields the new keys.
func TestAllReadsTheCurrentTopK(t *testing.T) {
	top := must(NewHeavyHitters(HeavyConfig{K: 2}))
	for _, key := range []string{"a", "b", "b", "c", "c", "c"} {
		top.AddString(key)
	}
	for _, k := range []*HeavyHitters{{}, must(NewHeavyHitters(HeavyConfig{K: 1})), must(NewHeavyHitters(HeavyConfig{K: 9}))} {
		all := k.All()
		require.NoError(t, k.UnmarshalBinary(must(top.MarshalBinary())))
		require.Equal(t, []string{"c", "b"}, keysOf(all))
		for key := range all {
			require.Equal(t, "c", key)
			break
		}
	}
}

// A list of K keys is complete if no other key can have a higher count than the
// last of its keys: neither a tracked key nor one that is too long to be
// tracked, which is counted missed times here.
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
		k := must(NewHeavyHitters(HeavyConfig{K: c.k, MemoryBytes: tracker.MinMemory}))
		k.AddN(make([]byte, 9000), c.missed)
		for i, n := range c.counts {
			k.AddN(fmt.Append(nil, i), n)
		}
		require.Equal(t, c.missed, k.MissBound())
		require.Equal(t, c.complete, k.Complete(), "%+v", c)
	}
}

// No key that All omits occurs more often than OmittedBound: in random streams
// that were counted in parts, and merged or decoded, and in windows. Many keys
// have equal counts, and few fit in the memory.
func TestOmittedKeysAreBelowTheBound(t *testing.T) {
	streams := 500
	if checks.Long(t, 1.5, 0.1) {
		streams = 20_000
	}
	r := rand.New(rand.NewPCG(1, 7))
	incomplete := 0
	for range streams {
		keys := make([]string, r.IntN(2000))
		for i := range keys {
			keys[i] = strings.Repeat("x", r.IntN(2)*r.IntN(40)) + fmt.Sprint(min(r.IntN(400), r.IntN(400)))
		}
		phi, k := math.Exp(-7*r.Float64()), 0
		if r.IntN(2) == 0 {
			phi, k = 0, 1+r.IntN(30)
		}
		memory := r.IntN(2) * (3*leastPartBytes + r.IntN(8000))
		whole := must(NewHeavyHitters(HeavyConfig{Phi: phi, K: k, MemoryBytes: memory}))
		part := whole.Clone()
		window := must(NewWindow(WindowConfig{Phi: phi, K: k, Keys: 1 + uint64(r.IntN(500)), Parts: 1 + r.IntN(2), MemoryBytes: memory}))
		counts := map[string]uint64{}
		for i, key := range keys {
			counts[key]++
			window.AddString(key)
			if i%3 == 0 {
				part.AddString(key)
			} else {
				whole.AddString(key)
			}
		}
		require.NoError(t, whole.Merge(part))
		covered := newStream("", keys[len(keys)-int(window.Total()):]).Counts
		decoded, decodedWindow := new(HeavyHitters), new(Window)
		require.NoError(t, decoded.UnmarshalBinary(must(whole.MarshalBinary())))
		require.NoError(t, decodedWindow.UnmarshalBinary(must(window.MarshalBinary())))
		checkTracked(t, counts, whole)
		checkTracked(t, counts, decoded)
		checkTracked(t, covered, window)
		checkTracked(t, covered, decodedWindow)
		if !whole.Complete() {
			incomplete++
		}
	}
	require.Greater(t, incomplete, streams/10)
}

// Once the memory is allocated, updates do not allocate, not even when records
// are evicted, many of which have the same count.
func TestSweepsDoNotAllocate(t *testing.T) {
	for _, c := range []HeavyConfig{{Phi: 0.001, MemoryBytes: 16 << 10}, {K: 100, MemoryBytes: 16 << 10}} {
		h, key, n := must(NewHeavyHitters(c)), make([]byte, 8), uint64(0)
		updates := func() {
			for range 10_000 {
				n++
				binary.LittleEndian.PutUint64(key, n)
				h.AddN(key, n/1000) // rising, so that each is admitted
			}
		}
		updates()
		bound := h.MissBound()
		require.Zero(t, testing.AllocsPerRun(1, updates))
		require.Greater(t, h.MissBound(), bound, "there were sweeps")
	}
}

// fill adds 1,000 keys of the given length or slightly more. Some are more
// frequent than others.
func fill[T tracking](h T, seed, length int) T {
	r := rand.New(rand.NewPCG(uint64(seed), 9))
	buf := make([]byte, length+8)
	for range 1_000 {
		h.Add(fmt.Appendf(buf[:0], "%0*d", length, int(r.ExpFloat64()*300)))
	}
	return h
}

// The runtime holds no more than 9/8 of the budget, because the allocator may
// round arrays up, whatever the keys, and after merges and decoding, too.
func TestMemoryIsWithinTheBudget(t *testing.T) {
	const budget, long = 16 << 10, 300
	heavy := func(budget, length, seed int) *HeavyHitters { return fill(newHeavy(0.001, budget), seed, length) }
	for _, budget := range []int{tracker.MinMemory, budget, 100_000} {
		for _, length := range []int{1, long} {
			requireHeld(t, budget, func(i int) tracking { return heavy(budget, length, i) })
		}
	}
	requireHeld(t, budget, func(i int) tracking {
		h := new(HeavyHitters)
		must(0, h.UnmarshalBinary(must(heavy(budget, long, i).MarshalBinary())))
		h.AddString("allocates the rest of the memory")
		return h
	})
	requireHeld(t, budget, func(i int) tracking {
		h := heavy(budget, long, i)
		must(0, h.Merge(heavy(budget, long, i+1)))
		return h
	})
	requireHeld(t, 4*budget, func(i int) tracking {
		return fill(must(NewWindow(WindowConfig{Phi: 0.001, Keys: 700, MemoryBytes: 4 * budget})), i, long)
	})
}

// requireHeld checks that eight structures hold no more than 9/8 of their
// budgets. The rest of the process, including the runtime, may allocate and
// free memory at the same time, so the minimum of several measurements counts.
func requireHeld(t *testing.T, budget int, make func(i int) tracking) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	least, most := int64(math.MaxInt64), int64(budget*9)
	for attempt := 0; attempt < 6 && least > most; attempt++ {
		var hold []tracking
		before := heap()
		for i := range 8 {
			hold = append(hold, make(i))
			require.LessOrEqual(t, hold[i].SizeBytes(), uint64(budget))
		}
		least = min(least, heap()-before)
		runtime.KeepAlive(hold)
	}
	require.LessOrEqual(t, least, most+2048)
}

// A batch that does not have one digest for each key is not counted.
func TestBatchNeedsADigestForEachKey(t *testing.T) {
	h, keys := newHeavy(0.1, 0), [][]byte{nil, nil}
	digests := h.Family().SumAll(nil, keys)
	requireField(t, h.AddAll(digests[:1], keys), hashfam.ErrParams, "len(digests)")
	requireField(t, h.AddAll(digests, keys[:1]), hashfam.ErrParams, "len(digests)")
	require.Zero(t, h.Total())
}

// The order of merges does not matter if memory grows and all keys are tracked.
// The guarantee and the budget hold in any case.
func TestShardsMergeInAnyOrder(t *testing.T) {
	s := weblog()
	for _, c := range []HeavyConfig{{Phi: 1.0 / 50}, {Phi: 1.0 / 2000}, {Phi: 1.0 / 500, MemoryBytes: 16 << 10}} {
		var parts [4]*HeavyHitters
		for i := range parts {
			parts[i] = must(NewHeavyHitters(c))
		}
		for i, key := range s.Keys { // unevenly: some by place, some by key
			at := i * len(parts) / len(s.Keys)
			if len(key)%3 == 0 {
				at = len(key) / 3 % len(parts)
			}
			parts[at].AddString(key)
		}
		var first *HeavyHitters
		for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
			turn := must(NewHeavyHitters(c))
			for _, i := range order {
				require.NoError(t, turn.Merge(parts[i]))
			}
			tree, branch := parts[order[0]].Clone(), parts[order[2]].Clone()
			require.NoError(t, tree.Merge(parts[order[1]]))
			require.NoError(t, branch.Merge(parts[order[3]]))
			require.NoError(t, tree.Merge(branch))
			first = cmp.Or(first, turn)
			if c.MemoryBytes == 0 && 4/c.Phi > float64(len(s.Counts)) { // all are tracked
				require.True(t, turn.Equal(tree), "as a tree")
				require.True(t, turn.Equal(first), "order %v", order)
			}
			for _, h := range []*HeavyHitters{turn, tree} {
				require.True(t, h.Complete())
				checkTracked(t, s.Counts, h)
				checkHeavy(t, s.Counts, h)
			}
		}
	}
}

// Merging the parts of a real stream with one call is at least as accurate as
// merging them individually: the sum of all intervals and MissBound are no
// larger (2% are tolerated). All bounds hold.
func TestOneMergeIsAtLeastAsExactAsMany(t *testing.T) {
	var more []any // the percentages by which merging one by one widens the intervals
	for _, c := range []struct {
		s      *stream
		config HeavyConfig
	}{
		{web12(), HeavyConfig{Phi: 0.001}},
		{weblog(), HeavyConfig{Phi: 0.002, MemoryBytes: 8 << 10}},
		{weblog(), HeavyConfig{Phi: 0.01, MemoryBytes: 32 << 10}},
	} {
		once, turn, parts := must(NewHeavyHitters(c.config)), must(NewHeavyHitters(c.config)), make([]*HeavyHitters, 10)
		for i := range parts {
			parts[i] = must(NewHeavyHitters(c.config))
			feed(parts[i], c.s, i, len(parts))
			require.NoError(t, turn.Merge(parts[i]))
		}
		require.NoError(t, once.Merge(parts...))
		var widths [2]uint64
		for i, h := range []*HeavyHitters{once, turn} {
			checkTracked(t, c.s.Counts, h)
			for key := range c.s.Counts {
				e := h.EstimateString(key)
				widths[i] += e.High - e.Low
			}
		}
		t.Logf("%s, %v: sum of intervals with one call and one by one: %d", c.s.Name, once, widths)
		require.LessOrEqual(t, widths[0], widths[1]*51/50)
		require.LessOrEqual(t, once.MissBound(), turn.MissBound())
		if widths[0] > 0 {
			more = append(more, 100*(float64(widths[1])/float64(widths[0])-1))
		}
	}
	checks.Documented(t, "theory.md", "by %.1f%% in one test and by %.1f%% in another", more...)
}

// Errors of Join name the field or the shard.
func TestJoinErrorsNameTheShard(t *testing.T) {
	top := func(k int) *HeavyHitters { return must(NewHeavyHitters(HeavyConfig{K: k})) }
	_, none := JoinHeavyHitters(nil)
	requireField(t, none, hashfam.ErrParams, "number of shards")
	for i, shards := range [][]*HeavyHitters{{nil}, {top(2), nil}} {
		_, err := JoinHeavyHitters(shards)
		requireField(t, err, hashfam.ErrIncompatible, fmt.Sprintf("shards[%d]", i))
	}
	_, heavy := JoinHeavyHitters([]*HeavyHitters{newHeavy(0.1, 0), newHeavy(0.2, 0)})
	requireField(t, heavy, hashfam.ErrIncompatible, "shards[1]: HeavyConfig.Phi")
	_, other := JoinHeavyHitters([]*HeavyHitters{top(2), top(2), top(3)})
	requireField(t, other, hashfam.ErrIncompatible, "shards[2]: HeavyConfig.K")
	shard := hashfam.Family{}.SumString("key").Shard(2)
	for i := range 2 {
		shards := []*HeavyHitters{top(5), top(5)}
		shards[i].AddString("key")
		if _, err := JoinHeavyHitters(shards); i == shard {
			require.NoError(t, err)
		} else {
			requireField(t, err, hashfam.ErrIncompatible, fmt.Sprintf("shards[%d]", i))
		}
	}
}

// Without a limit, the memory for the keys that are tracked depends on their
// length. Here all keys are different, so none is frequent.
func TestMemoryForLongKeysIsDocumented(t *testing.T) {
	h := newHeavy(0.001, 0)
	key := make([]byte, 10_000)
	most := uint64(0)
	for i := range uint64(10_000) {
		binary.LittleEndian.PutUint64(key, i)
		h.Add(key)
		most = max(most, h.SizeBytes())
	}
	checks.Documented(t, "security.md", "At Phi = 0.001, this is %d MB for keys of 10 KB", (most+500_000)/1_000_000)
}
