package counting

import "testing"

// BenchmarkFilter measures Add and Contains, singly and in batches.
// internal/compare compares them with other libraries.
func BenchmarkFilter(b *testing.B) {
	for _, layout := range []Layout{Classic, Blocked} {
		b.Run(layout.String(), func(b *testing.B) {
			suite.Benchmark(b, func(n uint64) (*Filter, error) {
				return New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			})
		})
	}
}
