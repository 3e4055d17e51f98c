package bloom

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// BenchmarkConcurrent measures a Concurrent in the cache, and in memory.
// internal/compare measures the others.
func BenchmarkConcurrent(b *testing.B) {
	for _, layout := range layouts {
		for _, n := range []uint64{10_000, 10_000_000} {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(b, err)
			f.AddAll(sums(f, n))
			c := NewConcurrentFrom(f)
			for name, do := range map[string]func(hashfam.Digest){
				"add": c.AddDigest,
				"hit": func(d hashfam.Digest) { c.ContainsDigest(d) },
			} {
				b.Run(fmt.Sprintf("%v/%s/n=%d", layout, name, n), func(b *testing.B) {
					for i := range b.N {
						do(sum(f, uint64(i)%n))
					}
				})
			}
		}
	}
}

// BenchmarkMerge measures ten filters merged by one call, and by ten.
func BenchmarkMerge(b *testing.B) {
	f := mustNew(b, Params{Bits: 1 << 26, Hashes: 7})
	others := make([]*Filter, 10)
	for i := range others {
		others[i] = f.Clone()
	}
	b.Run("one call", func(b *testing.B) {
		for range b.N {
			f.Merge(others...)
		}
	})
	b.Run("ten calls", func(b *testing.B) {
		for range b.N {
			for _, other := range others {
				f.Merge(other)
			}
		}
	})
}
