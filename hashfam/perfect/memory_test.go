package perfect

import (
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// ascending yields n random digests in the order of Digest.Probe, without
// storing them, and the values that valuesOf returns.
func ascending(n uint64, bits int) iter.Seq2[hashfam.Digest, uint64] {
	return func(yield func(hashfam.Digest, uint64) bool) {
		total := 0.
		r := rand.New(rand.NewPCG(1, n))
		for range n + 1 {
			total += r.ExpFloat64()
		}
		r = rand.New(rand.NewPCG(1, n))
		sum := 0.
		last := uint64(0)
		for range n { // the sums are distributed as sorted uniform numbers
			sum += r.ExpFloat64()
			last = max(last+1, uint64(math.Ldexp(sum/total, 64)))
			d := hashfam.Probe(last).Digest()
			if !yield(d, uint64(d)>>(64-bits)) {
				return
			}
		}
	}
}

// peak returns the largest size of the heap during build, in addition to the
// size before, as far as it is seen in samples.
func peak(build func()) uint64 {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before := heap()
	most := before
	stop := make(chan bool)
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	build()
	close(stop)
	<-stopped
	return max(most, heap()) - before
}

// A build from a sequence needs a fraction of a byte per key, in addition to
// the result and to almost two megabytes. Only the long form measures so many
// keys that these do not count.
func TestSortedBuildsNeedLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	long := checks.Long(t, 5, 3)
	for _, c := range []struct {
		name          string
		build         func(n uint64) (interface{ SizeBytes() uint64 }, error)
		small, larger float64 // bytes per key for 10^7 keys and for 10^8
	}{
		{"function", func(n uint64) (interface{ SizeBytes() uint64 }, error) {
			return NewFromSorted(t.Context(), Config{}, n, first(ascending(n, 0)))
		}, 0.65, 0.50},
		{"compact function", func(n uint64) (interface{ SizeBytes() uint64 }, error) {
			return NewFromSorted(t.Context(), Config{Compact: true}, n, first(ascending(n, 0)))
		}, 0.30, 0.20},
		{"filter", func(n uint64) (interface{ SizeBytes() uint64 }, error) {
			return NewFilterFromSorted(t.Context(), FilterConfig{FPRate: 1. / 256}, n, ascending(n, 0))
		}, 0.70, 0.50},
		{"filter with 32-bit values", func(n uint64) (interface{ SizeBytes() uint64 }, error) {
			return NewFilterFromSorted(t.Context(), FilterConfig{FPRate: 1. / 256, ValueBits: 32}, n, ascending(n, 32))
		}, 1.5, 1.25},
	} {
		limits := map[uint64]float64{1_000_000: c.small + 1}
		if long {
			limits = map[uint64]float64{10_000_000: c.small, 100_000_000: c.larger}
		}
		for n, most := range limits {
			size := uint64(0)
			memory := peak(func() {
				f, err := c.build(n)
				require.NoError(t, err)
				size = f.SizeBytes()
			})
			beside := (float64(memory) - float64(size)) / float64(n)
			t.Logf("%s, %d keys: %.2f bytes per key, and %.2f during the build", c.name, n, float64(size)/float64(n), beside)
			require.LessOrEqual(t, beside, most)
		}
	}
}

// first yields only the digests.
func first(keys iter.Seq2[hashfam.Digest, uint64]) iter.Seq[hashfam.Digest] {
	return func(yield func(hashfam.Digest) bool) {
		for d := range keys {
			if !yield(d) {
				return
			}
		}
	}
}
