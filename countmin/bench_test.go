package countmin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkSketch measures Add and Count, one by one and in batches. For ratios
// to other libraries see internal/compare.
func BenchmarkSketch(b *testing.B) {
	for name, conservative := range map[string]bool{"plain": false, "conservative": true} {
		b.Run(name, func(b *testing.B) {
			sketches(false).Benchmark(b, func(n uint64) (*Sketch, error) {
				return New(Config{Epsilon: 1 / float64(n), Delta: 0.01, Conservative: conservative})
			})
		})
	}
}

// BenchmarkShort divides the time of batches of a few keys by that of single
// calls.
func BenchmarkShort(b *testing.B) {
	s, err := New(Config{Epsilon: 1e-4, Delta: 0.01})
	require.NoError(b, err)
	b.Run("Add", func(b *testing.B) {
		conformance.Short(b, func(keys [][]byte) {
			for _, key := range keys {
				s.Add(key)
			}
		}, s.AddAll)
	})
	b.Run("Count", func(b *testing.B) {
		var dst []uint64
		conformance.Short(b, func(keys [][]byte) {
			dst = dst[:0]
			for _, key := range keys {
				dst = append(dst, s.Count(key))
			}
		}, func(keys [][]byte) { dst = s.CountAll(dst[:0], keys) })
	})
}

// BenchmarkShortHeavy is BenchmarkShort for heavy hitters.
func BenchmarkShortHeavy(b *testing.B) {
	h, err := NewHeavyHitters(HeavyConfig{Phi: 0.01})
	require.NoError(b, err)
	b.Run("Add", func(b *testing.B) {
		conformance.Short(b, func(keys [][]byte) {
			for _, key := range keys {
				h.Add(key)
			}
		}, h.AddAll)
	})
	b.Run("Estimate", func(b *testing.B) {
		var dst []Estimate
		conformance.Short(b, func(keys [][]byte) {
			dst = dst[:0]
			for _, key := range keys {
				dst = append(dst, h.Estimate(key))
			}
		}, func(keys [][]byte) { dst = h.EstimateAll(dst[:0], keys) })
	})
}
