package countmin

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Keys are copied when they are admitted, so the caller's buffer is free again.
func TestKeysAreCopied(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.1}))
	k := must(NewTopK(TopKConfig{K: 3}))
	buf := []byte("first")
	h.Add(buf)
	k.Add(buf)
	copy(buf, "other")
	for key := range h.All() {
		require.Equal(t, "first", key)
	}
	for key := range k.All() {
		require.Equal(t, "first", key)
	}
}

func TestKeysOfAnyLengthAreReportedAsTheyAre(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 1e-6}))
	r := rand.New(rand.NewPCG(3, 3))
	want := map[string]Estimate{}
	for n := range 600 {
		key := make([]byte, n)
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

func TestCountsDoNotWrap(t *testing.T) {
	for _, memory := range []int{0, tracker.MinMemory} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.5, MemoryBytes: memory}))
		for range 3 {
			h.AddN([]byte("a"), math.MaxUint64)
			for i := range 200 {
				h.AddN(fmt.Append(nil, i), math.MaxUint64/2)
			}
		}
		require.Equal(t, uint64(math.MaxUint64), h.Total())
		require.Equal(t, uint64(math.MaxUint64), h.EstimateString("a").High)
		other := h.Clone()
		require.NoError(t, h.Merge(other))
		require.Equal(t, uint64(math.MaxUint64), h.EstimateString("a").High)
		require.NoError(t, h.UnmarshalBinary(must(h.MarshalBinary())))
	}
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

// Batches need a digest for each key, and count nothing otherwise.
func TestABatchNeedsADigestForEachKey(t *testing.T) {
	h, keys := must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), [][]byte{nil, nil}
	digests := h.Family().SumAll(nil, keys)
	requireField(t, h.AddAll(digests[:1], keys), ErrParams, "len(digests)")
	requireField(t, h.AddAll(digests, keys[:1]), ErrParams, "len(digests)")
	require.Zero(t, h.Total())
	require.NoError(t, h.AddAll(digests, keys))
	require.Equal(t, Estimate{2, 2}, h.Estimate(nil))
}
