package static

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// A build allocates, besides the digests, the filter and the digests that it
// bumps: in all less than 2 bytes for each key, so that the peak is below 10.
// Small builds have the work memory of each worker as well.
func TestBuildsTakeLittleMemory(t *testing.T) {
	n := 300_000
	if conformance.Long(t, 0.5, 1) {
		n = 10_000_000
	}
	const work = 1_600_000
	digests := random(rand.New(rand.NewPCG(5, 5)), n)
	for workers := 1; workers <= 2; workers++ {
		c := Config{FPRate: 0.01, Workers: workers}
		var f *Filter
		took := allocated(func() { f = mustBuild(t, c, digests) })
		t.Logf("n = %d, %d workers: %.2f bytes per key", n, workers, float64(took)/float64(n))
		require.Less(t, took, uint64(2*n)+uint64(workers)*work)
		if workers == 1 && n > 1_000_000 {
			require.Less(t, took, uint64(2*n))
		}

		list := ascending(digests)
		var g *Filter
		took = allocated(func() {
			var err error
			g, err = NewFromSorted(c, uint64(n), slices.Values(list))
			require.NoError(t, err)
		})
		t.Logf("a stream: %.2f bytes per key", float64(took)/float64(n))
		require.Less(t, took, f.SizeBytes()+uint64(n)/2+work)
		require.True(t, f.Equal(g))
	}
}

// allocated returns the number of bytes that do allocates, freed ones included.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Five digests do not take the work memory of a shard.
func TestSmallBuildsTakeLittleMemory(t *testing.T) {
	digests := random(rand.New(rand.NewPCG(6, 6)), 5)
	took := allocated(func() { mustBuild(t, Config{FPRate: 0.01, Workers: 1}, digests) })
	require.Less(t, took, uint64(20_000))
}
