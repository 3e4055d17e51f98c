package counting

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkConcurrentRatio compares a concurrent filter on one goroutine with a
// plain one of the same layout, for a million keys.
func BenchmarkConcurrentRatio(b *testing.B) {
	f, err := New(Config{Capacity: 1_000_000, FPRate: 0.01, Layout: Blocked})
	if err != nil {
		b.Fatal(err)
	}
	c := newConcurrent(f.Clone())
	compare := func(name string, plain, shared func(hashfam.Digest)) {
		first, second := conformance.Digests(f.params.Family), conformance.Digests(f.params.Family)
		b.Run(name, func(b *testing.B) {
			conformance.Ratio(b, func(n int) {
				for range n {
					plain(first())
				}
			}, func(n int) {
				for range n {
					shared(second())
				}
			})
		})
	}
	batches := func(do func([]hashfam.Digest)) func(hashfam.Digest) {
		var chunk []hashfam.Digest
		return func(d hashfam.Digest) {
			if chunk = append(chunk, d); len(chunk) == batch.Size {
				do(chunk)
				chunk = chunk[:0]
			}
		}
	}
	compare("add", f.AddDigest, c.AddDigest)
	compare("add in batches", batches(f.AddAllDigests), batches(c.AddAllDigests))
	compare("contains", func(d hashfam.Digest) { f.ContainsDigest(d) }, func(d hashfam.Digest) { c.ContainsDigest(d) })
	compare("count", func(d hashfam.Digest) { f.CountDigest(d) }, func(d hashfam.Digest) { c.CountDigest(d) })
	compare("delete", func(d hashfam.Digest) { f.DeleteDigest(d) }, func(d hashfam.Digest) { c.DeleteDigest(d) })
}
