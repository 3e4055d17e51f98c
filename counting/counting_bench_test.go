package counting

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// BenchmarkFilter measures single calls and batches, with a filter that fits in
// the cache and one that does not. Batches include the hashing of their keys.
// internal/compare compares them with other libraries.
func BenchmarkFilter(b *testing.B) {
	for _, layout := range layouts {
		for _, n := range []uint64{10_000, 5_000_000} {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(b, err)
			for name, do := range map[string]func(key uint64){
				"Add":      func(key uint64) { f.AddDigest(f.Family().SumUint64(key)) },
				"Contains": func(key uint64) { f.ContainsDigest(f.Family().SumUint64(key)) },
				"Count":    func(key uint64) { f.CountDigest(f.Family().SumUint64(key)) },
				"Delete":   func(key uint64) { f.DeleteDigest(f.Family().SumUint64(key)) },
			} {
				b.Run(fmt.Sprintf("%v/%s/n=%d", layout, name, n), func(b *testing.B) {
					for i := uint64(0); b.Loop(); i++ {
						do(i % n)
					}
				})
			}
			var found []bool
			var counts []uint64
			for name, do := range map[string]func([]hashfam.Digest){
				"AddAll":      f.AddAll,
				"ContainsAll": func(digests []hashfam.Digest) { found = f.ContainsAll(found[:0], digests) },
				"CountAll":    func(digests []hashfam.Digest) { counts = f.CountAll(counts[:0], digests) },
				"DeleteAll":   func(digests []hashfam.Digest) { f.DeleteAll(digests) },
			} {
				b.Run(fmt.Sprintf("%v/%s/n=%d", layout, name, n), func(b *testing.B) { batches(b, f.Family(), n, do) })
			}
		}
	}
}

// batches measures do for batches of a thousand of n keys. The time is per key.
func batches(b *testing.B, fam hashfam.Family, n uint64, do func([]hashfam.Digest)) {
	const size = 1000
	keys, digests := make([]uint64, size), make([]hashfam.Digest, 0, size)
	for first := uint64(0); b.Loop(); first += size {
		for i := range keys {
			keys[i] = (first + uint64(i)) % n
		}
		digests = fam.SumAllUint64(digests[:0], keys)
		do(digests)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/key")
	b.ReportMetric(0, "ns/op")
}
