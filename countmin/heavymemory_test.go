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

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A budget that the keys do not fit is not exceeded, and the answer says that
// it may be short.
func TestTooSmallABudgetIsAdmitted(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.01, MemoryBytes: 2048}))
	huge := strings.Repeat("x", 4096)
	for i := range 1000 {
		h.AddString(huge)
		h.AddString(fmt.Sprint("small ", i%10))
	}
	require.False(t, h.Complete())
	require.GreaterOrEqual(t, h.MissBound(), uint64(1000))
	require.NotContains(t, maps.Collect(h.All()), huge)
	require.GreaterOrEqual(t, h.EstimateString(huge).High, uint64(1000))
	for i := range 10 { // and the keys that fit are found for all that
		require.Equal(t, Estimate{100, 100, 100}, h.EstimateString(fmt.Sprint("small ", i)))
	}
	require.LessOrEqual(t, h.SizeBytes(), uint64(2048))

	for i := range uint64(1000) { // each is a hundredth or less: far too many
		h.AddNString(fmt.Sprint("spread ", i), 30)
	}
	require.False(t, h.Complete())
	h.AddNString("one", 1<<30) // now a hundredth is more than any of them
	require.True(t, h.Complete())
	require.Equal(t, []string{"one"}, keysOf(h.All()))
}

// What the runtime says is held is within the budget, whatever the keys, and
// after merges and decoding too.
func TestMemoryIsWithinTheBudget(t *testing.T) {
	const copies = 16
	for _, budget := range []int{tracker.MinMemory, 3000, 16 << 10, 100_000, 256 << 10} {
		for _, length := range []int{1, 40, 700} {
			build := func(seed int) *HeavyHitters {
				h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: budget}))
				r := rand.New(rand.NewPCG(uint64(seed), 9))
				buf := make([]byte, length+8)
				for range 2_000 {
					n := int(r.ExpFloat64() * 300)
					h.Add(fmt.Appendf(buf[:0], "%0*d", length, n))
				}
				return h
			}
			for name, make := range map[string]func(int) *HeavyHitters{
				"built": build,
				"decoded": func(i int) *HeavyHitters {
					h := NewHeavyReceiver(hashfam.Family{})
					if err := h.UnmarshalBinary(must(build(i).MarshalBinary())); err != nil {
						panic(err)
					}
					h.AddString("wakes what was left asleep")
					return h
				},
				"merged": func(i int) *HeavyHitters {
					h := build(i)
					if err := h.Merge(build(i + 1)); err != nil {
						panic(err)
					}
					return h
				},
			} {
				n := copies
				if name != "built" || testing.Short() {
					n = 8
				}
				if name != "built" && budget != 16<<10 {
					continue
				}
				// What else the process takes or frees meanwhile, the runtime
				// itself included, does so now and then: the least of several
				// measurements is of the structures alone.
				least := int64(math.MaxInt64)
				for attempt := 0; attempt < 6 && least > int64(budget*n); attempt++ {
					var hold [copies]*HeavyHitters
					before := heapBytes()
					for i := range n {
						hold[i] = make(i)
						require.LessOrEqual(t, hold[i].SizeBytes(), uint64(budget))
					}
					least = min(least, heapBytes()-before)
					runtime.KeepAlive(&hold)
				}
				require.LessOrEqual(t, least, int64(budget*n)+2048, "%s, keys of %d bytes", name, length)
			}
		}
	}
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Once the first keys are in, nothing allocates, sweeps included.
func TestUpdatesDoNotAllocate(t *testing.T) {
	s := streams.MobyDick()
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: 16 << 10}))
	k := must(NewTopK(TopKConfig{K: 100, MemoryBytes: 64 << 10}))
	grown := must(NewHeavyHitters(HeavyConfig{Phi: 0.02}))
	warm := len(s.IDs) / 2
	for _, id := range s.IDs[:warm] {
		h.Add(s.Keys[id])
		k.Add(s.Keys[id])
		grown.Add(s.Keys[id])
	}
	bound := h.MissBound()
	next := warm
	require.Zero(t, testing.AllocsPerRun(len(s.IDs)-warm-1, func() {
		key := s.Keys[s.IDs[next]]
		next++
		h.Add(key)
		k.AddN(key, 1)
		grown.Add(key)
		h.Estimate(key)
	}))
	require.Greater(t, h.MissBound(), bound, "there were sweeps")
}

// The allocator is not asked what it would do: to make a structure, to decode
// one and to merge two takes memory in proportion to what they hold.
func TestAllocationsAreInProportion(t *testing.T) {
	for _, budget := range []int{tracker.MinMemory, 4192, 16 << 10, 39_744, 256 << 10} {
		var h *HeavyHitters
		took := conformance.LeastAllocated(3, func() { h = must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: budget})) })
		require.LessOrEqual(t, took, uint64(budget+budget/8), "New with %d bytes", budget)
		for i := range budget / 16 {
			h.AddString(fmt.Sprint("key ", i))
		}
		b, g := must(h.MarshalBinary()), NewHeavyReceiver(hashfam.Family{})
		took = conformance.LeastAllocated(3, func() {
			if err := g.UnmarshalBinary(b); err != nil {
				panic(err)
			}
		})
		require.LessOrEqual(t, took, uint64(64<<10+6*len(b)), "decode %d bytes", len(b))
		took = conformance.LeastAllocated(3, func() {
			if err := g.Merge(h); err != nil {
				panic(err)
			}
		})
		require.LessOrEqual(t, took, uint64(6*budget), "merge within %d bytes", budget)
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
