package cuckoo

import "testing"

// BenchmarkFilter measures Add and Contains, one by one and in batches. For
// ratios to other libraries see internal/compare.
func BenchmarkFilter(b *testing.B) {
	for form, compact := range map[string]bool{"plain": false, "compact": true} {
		b.Run(form, func(b *testing.B) {
			suite.Benchmark(b, func(n uint64) (*Filter, error) {
				return New(Config{Capacity: n, FPRate: 0.01, Compact: compact})
			})
		})
	}
}
