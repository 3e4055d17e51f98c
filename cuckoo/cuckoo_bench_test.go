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
// internal/compare measures the others.
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
