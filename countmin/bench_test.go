package countmin

import "testing"

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
