package countmin

import (
	"fmt"
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
				require.GreaterOrEqual(t, h.EstimateString(k).High, h.Threshold())
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
			h.AddN(fmt.Appendf(nil, "k%d", i), i+1)
			k.AddN(fmt.Appendf(nil, "k%d", i), i+1)
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
			h.AddN(fmt.Appendf(nil, "k%d", i), weight)
			truth[fmt.Sprint("k", i)] += weight
		}
		h.AddN([]byte("k0"), 2*weight)
		truth["k0"] += 2 * weight
		first := h.EstimateString("k0")
		for range 20 {
			require.NoError(t, h.Merge(o))
		}
		require.LessOrEqual(t, h.EstimateString("k0").High, first.High+20*20, "weight %d", weight)
		for k, n := range truth {
			bounded(t, k, n, h.EstimateString(k))
		}
		require.NoError(t, must(NewHeavyHitters(c)).UnmarshalBinary(must(h.MarshalBinary())))
	}
}

// Merges do not hoard keys: memory without a budget is bounded by Phi or K,
// however many shards of rare keys there are, and the guarantee holds.
func TestMergesOfManyShardsStaySmall(t *testing.T) {
	shards := 64
	if testing.Short() {
		shards = 24
	}
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001}))
	k := must(NewTopK(TopKConfig{K: 100}))
	for shard := range shards {
		part, top := must(NewHeavyHitters(HeavyConfig{Phi: 0.001})), must(NewTopK(TopKConfig{K: 100}))
		for i := range 4000 {
			key := fmt.Sprint("rare ", shard, i)
			if i%100 == 0 {
				key = fmt.Sprint("frequent ", i)
			}
			part.AddString(key)
			top.AddString(key)
		}
		require.NoError(t, h.Merge(part))
		require.NoError(t, k.Merge(top))
	}
	t.Logf("%d and %d bytes after %d merges", h.SizeBytes(), k.SizeBytes(), shards)
	require.LessOrEqual(t, h.SizeBytes(), uint64(400_000))
	require.LessOrEqual(t, k.SizeBytes(), uint64(100*600))
	require.True(t, h.Complete())
	for i := range 40 {
		key := fmt.Sprint("frequent ", 100*i)
		bounded(t, key, uint64(shards), h.EstimateString(key))
		bounded(t, key, uint64(shards), k.EstimateString(key))
	}
}

// Merging the parts of real streams at once is at least as exact as merging
// them in turn: no upper bound is higher in the sum, as many heavy hitters are
// found, and the bound on the missed is no higher. All bounds hold.
func TestOneMergeIsAtLeastAsExactAsMany(t *testing.T) {
	const parts = 10
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Weblog()} {
		for _, config := range []HeavyConfig{{Phi: 0.001}, {Phi: 0.002, MemoryBytes: 8 << 10}, {Phi: 0.01, MemoryBytes: 32 << 10}} {
			shards, tops := partsOf(s, parts, config)
			once, turn := must(NewHeavyHitters(config)), must(NewHeavyHitters(config))
			require.NoError(t, once.Merge(shards...))
			topOnce, topTurn := must(NewTopK(tops[0].Config())), must(NewTopK(tops[0].Config()))
			require.NoError(t, topOnce.Merge(tops...))
			for i := range shards {
				require.NoError(t, turn.Merge(shards[i]))
				require.NoError(t, topTurn.Merge(tops[i]))
			}
			width := func(estimate func(string) Estimate) (sum uint64) {
				for key, n := range s.Counts() {
					e := estimate(key)
					bounded(t, key, n, e)
					sum += e.High - e.Low
				}
				return sum
			}
			a, b := width(once.EstimateString), width(turn.EstimateString)
			t.Logf("%s, %v: sum of intervals %d at once, %d in turn; missed %d, %d; tracked exactly %v, %v",
				s.Name, config, a, b, once.MissBound(), turn.MissBound(), once.Complete(), turn.Complete())
			require.LessOrEqual(t, a, b+b/50)
			require.LessOrEqual(t, once.MissBound(), turn.MissBound())
			require.LessOrEqual(t, width(topOnce.EstimateString), width(topTurn.EstimateString)*51/50)
			require.Equal(t, uint64(len(s.IDs)), once.Total())
			require.Equal(t, uint64(len(s.IDs)), topOnce.Total())
		}
	}
}

// partsOf returns heavy hitters and top ks of consecutive parts of a stream.
func partsOf(s *streams.Stream, parts int, config HeavyConfig) (hs []*HeavyHitters, ks []*TopK) {
	for part := range parts {
		h := must(NewHeavyHitters(config))
		k := must(NewTopK(TopKConfig{K: 20, MemoryBytes: config.MemoryBytes}))
		for _, id := range s.IDs[part*len(s.IDs)/parts : (part+1)*len(s.IDs)/parts] {
			h.Add(s.Keys[id])
			k.Add(s.Keys[id])
		}
		hs, ks = append(hs, h), append(ks, k)
	}
	return hs, ks
}

// With none a merge changes nothing, and errors leave the receiver unchanged.
// They name the field, and the place if there are several others.
func TestErrorsOfMerge(t *testing.T) {
	s, h, k := must(New(Config{Width: 9, Depth: 2})), must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), must(NewTopK(TopKConfig{K: 2}))
	other, otherHeavy, otherTop := must(New(Config{Width: 8, Depth: 2})), must(NewHeavyHitters(HeavyConfig{Phi: 0.2})), must(NewTopK(TopKConfig{K: 3}))
	for _, add := range []func(string){s.AddString, h.AddString, k.AddString} {
		add("a")
	}
	require.NoError(t, s.Merge())
	require.NoError(t, h.Merge())
	require.NoError(t, k.Merge())
	_, product := s.InnerProduct(other)
	_, join := JoinHeavyHitters([]*HeavyHitters{h, otherHeavy})
	_, joinTop := JoinTopK([]*TopK{k, otherTop})
	for _, e := range []struct {
		err  error
		text string
	}{
		{s.Merge(other), "Params.Width = 8, want 9"},
		{product, "Params.Width = 8, want 9"},
		{s.Merge(s, s, other), "others[2]: Params.Width = 8, want 9"},
		{h.Merge(otherHeavy), "HeavyConfig.Phi = 0.2, want 0.1"},
		{h.Merge(h, otherHeavy), "others[1]: HeavyConfig.Phi = 0.2, want 0.1"},
		{h.Merge(NewHeavyReceiver(h.Family())), "HeavyConfig.Phi = 0, want 0.1"},
		{k.Merge(k, otherTop), "others[1]: TopKConfig.K = 3, want 2"},
		{join, "shards[1]: HeavyConfig.Phi = 0.2, want 0.1"},
		{joinTop, "shards[1]: TopKConfig.K = 3, want 2"},
	} {
		require.EqualError(t, e.err, "countmin: incompatible structures: "+e.text)
		require.ErrorIs(t, e.err, ErrIncompatible)
	}
	require.Equal(t, []uint64{1, 1, 1}, []uint64{s.Total(), h.Total(), k.Total()})

	require.NoError(t, h.Merge(h, h, must(NewHeavyHitters(HeavyConfig{Phi: 0.1}))))
	require.Equal(t, uint64(3), h.Total())
	require.Equal(t, Estimate{3, 3}, h.EstimateString("a"))
}

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
		tops[shard].AddN([]byte(word), n)
		heavies[shard].AddN([]byte(word), n)
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
	require.NoError(t, merged.Merge(tops[1:]...))
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
	_, err := JoinTopK(nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = JoinHeavyHitters(nil)
	require.ErrorIs(t, err, ErrParams)
	shards := func() []*TopK { return []*TopK{must(NewTopK(TopKConfig{K: 5})), must(NewTopK(TopKConfig{K: 5}))} }
	stray := shards()
	shard := stray[0].Family().SumString("key").Shard(2)
	stray[1-shard].AddString("key")
	_, err = JoinTopK(stray)
	require.ErrorIs(t, err, ErrIncompatible)
	require.ErrorContains(t, err, fmt.Sprintf("shards[%d]", 1-shard))
	right := shards()
	right[shard].AddString("key")
	_, err = JoinTopK(right)
	require.NoError(t, err)
}
