package countmin

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// BenchmarkSketch measures the time for adding and counting a key, individually
// and in batches, in sketches that fit in the cache and in larger ones. See
// internal/compare for comparisons with other libraries.
func BenchmarkSketch(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		digests := make([]hashfam.Digest, n)
		for i := range digests {
			digests[i] = hashfam.Family{}.SumUint64(uint64(i))
		}
		for _, c := range []Config{{}, {Conservative: true}, {CounterBits: 8}, {CounterBits: 16}, {CounterBits: 8, Conservative: true}} {
			c.Epsilon, c.Delta = 1/float64(n), 0.01
			s := must(New(c))
			var counts []uint64
			for name, pass := range map[string]func(){
				"Add":      func() { oneByOne(digests, s.AddDigest) },
				"Count":    func() { oneByOne(digests, func(d hashfam.Digest) { s.CountDigest(d) }) },
				"AddAll":   func() { s.AddAll(digests) },
				"CountAll": func() { counts = s.CountAll(counts[:0], digests) },
			} {
				b.Run(fmt.Sprintf("%s/n=%d/bits=%d/conservative=%v", name, n, s.params.CounterBits, c.Conservative), func(b *testing.B) { perKey(b, n, pass) })
			}
		}
	}
}

// BenchmarkTracked measures the time for adding and estimating a key of a real
// stream.
func BenchmarkTracked(b *testing.B) {
	var keys [][]byte
	for _, key := range mobyDick().Keys {
		keys = append(keys, []byte(key))
	}
	digests := hashfam.Family{}.SumAll(nil, keys)
	for _, memory := range []int{0, 16 << 10} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: memory}))
		w := must(NewWindow(WindowConfig{Phi: 0.001, Keys: 100_000, MemoryBytes: 8 * memory}))
		for name, pass := range map[string]func(){
			"AddAll":   func() { require.NoError(b, h.AddAll(digests, keys)) },
			"Window":   func() { require.NoError(b, w.AddAll(digests, keys)) },
			"Estimate": func() { oneByOne(digests, func(d hashfam.Digest) { h.EstimateDigest(d) }) },
		} {
			b.Run(fmt.Sprintf("%s/memory=%d", name, memory), func(b *testing.B) { perKey(b, len(digests), pass) })
		}
	}
}

func oneByOne(digests []hashfam.Digest, do func(hashfam.Digest)) {
	for _, d := range digests {
		do(d)
	}
}

// perKey reports the time per key of a pass over n keys.
func perKey(b *testing.B, n int, pass func()) {
	for b.Loop() {
		pass()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
}
