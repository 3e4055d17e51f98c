package cuckoo

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// BenchmarkFailedAdd times those Adds that fail, once a filter is full.
func BenchmarkFailedAdd(b *testing.B) {
	for _, n := range []uint64{100_000, 1_000_000, 10_000_000} {
		for _, sorted := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/Compact=%v", n, sorted), func(b *testing.B) {
				f, err := New(Config{Capacity: n, FPRate: 0.01, Compact: sorted})
				require.NoError(b, err)
				r := rand.New(rand.NewPCG(1, n))
				failed, took := 0, time.Duration(0)
				for failed < b.N {
					start := time.Now()
					if f.AddDigest(hashfam.Digest(r.Uint64())) != nil {
						took += time.Since(start)
						failed++
					}
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(failed), "ns/op")
			})
		}
	}
}

// BenchmarkFilter measures Add, Contains, Delete and Count of digests, one by
// one and in batches. For ratios to other libraries see internal/compare.
func BenchmarkFilter(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, sorted := range []bool{false, true} {
			f, err := New(Config{Capacity: uint64(n), FPRate: 0.01, Compact: sorted})
			require.NoError(b, err)
			digests := make([]hashfam.Digest, n)
			for k := range digests {
				digests[k] = hashfam.Family{}.SumUint64(uint64(k))
			}
			found, counts := make([]bool, 0, n), make([]uint64, 0, n)
			for _, c := range []struct {
				name string
				do   func()
			}{
				{"AddAll+DeleteAll", func() { _, _ = f.AddAll(digests); f.DeleteAll(digests) }},
				{"Add", func() { eachDigest(digests, func(d hashfam.Digest) { _ = f.AddDigest(d) }) }},
				{"Contains", func() { eachDigest(digests, func(d hashfam.Digest) { f.ContainsDigest(d) }) }},
				{"ContainsAll", func() { found = f.ContainsAll(found[:0], digests) }},
				{"CountAll", func() { counts = f.CountAll(counts[:0], digests) }},
				{"Delete", func() { eachDigest(digests, func(d hashfam.Digest) { f.DeleteDigest(d) }) }},
			} {
				b.Run(fmt.Sprintf("%s/n=%d/Compact=%v", c.name, n, sorted), func(b *testing.B) {
					for b.Loop() {
						c.do()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
				})
			}
		}
	}
}

func eachDigest(digests []hashfam.Digest, do func(hashfam.Digest)) {
	for _, d := range digests {
		do(d)
	}
}
