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

	"github.com/filterfam/filterfam/hashfam"
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

// Without a budget the guarantee holds even where the log has been filled by
// keys that do not matter: it grows before one that does is swept out.
func TestMemoryGrowsUnderPressure(t *testing.T) {
	c := HeavyConfig{Phi: 1.0 / 300}
	p := c.plan()
	p.want = 0 // so that nothing but pressure makes it grow
	h := &HeavyHitters{config: c, tracker: newTracker(p)}
	for i := range 3000 {
		h.AddString(fmt.Sprint(i % 300))
		require.True(t, h.Complete())
	}
	require.Len(t, maps.Collect(h.All()), 300)
}

// What the runtime says is held is within the budget, whatever the keys, and
// after merges and decoding too.
func TestMemoryIsWithinTheBudget(t *testing.T) {
	const copies = 16
	for _, budget := range []int{minMemory, 3000, 16 << 10, 100_000, 256 << 10} {
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
	s := mobyDick()
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: 16 << 10}))
	k := must(NewTopK(TopKConfig{K: 100, MemoryBytes: 64 << 10}))
	grown := must(NewHeavyHitters(HeavyConfig{Phi: 0.02}))
	warm := len(s.ids) / 2
	for _, id := range s.ids[:warm] {
		h.Add(s.keys[id])
		k.Add(s.keys[id])
		grown.Add(s.keys[id])
	}
	floor := h.floor
	next := warm
	require.Zero(t, testing.AllocsPerRun(len(s.ids)-warm-1, func() {
		key := s.keys[s.ids[next]]
		next++
		h.Add(key)
		k.AddN(key, 1)
		grown.Add(key)
		h.Estimate(key)
	}))
	require.Greater(t, h.floor, floor, "there were sweeps")
}
