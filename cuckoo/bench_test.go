package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

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

// BenchmarkShort divides the time of batches of a few keys by that of single
// calls. Keys are added and deleted in turn.
func BenchmarkShort(b *testing.B) {
	for form, compact := range map[string]bool{"plain": false, "compact": true} {
		f, err := New(Config{Capacity: 10_000, FPRate: 0.01, Compact: compact})
		require.NoError(b, err)
		b.Run("Add/"+form, func(b *testing.B) {
			conformance.Short(b, func(keys [][]byte) {
				for _, key := range keys {
					_ = f.Add(key)
				}
				for _, key := range keys {
					f.Delete(key)
				}
			}, func(keys [][]byte) { _, _ = f.AddAll(keys); f.DeleteAll(keys) })
		})
		b.Run("Contains/"+form, func(b *testing.B) {
			var dst []bool
			conformance.Short(b, func(keys [][]byte) {
				dst = dst[:0]
				for _, key := range keys {
					dst = append(dst, f.Contains(key))
				}
			}, func(keys [][]byte) { dst = f.ContainsAll(dst[:0], keys) })
		})
	}
}
