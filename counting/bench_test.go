package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

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

// BenchmarkShort divides the time of batches of a few keys by that of single
// calls. Keys are added and deleted in turn.
func BenchmarkShort(b *testing.B) {
	for _, layout := range []Layout{Classic, Blocked} {
		f, err := New(Config{Capacity: 10_000, FPRate: 0.01, Layout: layout})
		require.NoError(b, err)
		b.Run("Add/"+layout.String(), func(b *testing.B) {
			conformance.Short(b, func(keys [][]byte) {
				for _, key := range keys {
					f.Add(key)
				}
				for _, key := range keys {
					f.Delete(key)
				}
			}, func(keys [][]byte) { f.AddAll(keys); f.DeleteAll(keys) })
		})
		b.Run("Contains/"+layout.String(), func(b *testing.B) {
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
