package static_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// benchDigests returns n digests, the first of which is that of a number.
func benchDigests(first, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Family{}.SumUint64(uint64(first + i))
	}
	return digests
}

// BenchmarkContains compares lookups at 1 % with those of a blocked Bloom
// filter.
func BenchmarkContains(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		members, absent := benchDigests(0, n), benchDigests(n, n)
		g, err := bloom.New(bloom.Config{Capacity: uint64(n), FPRate: 0.01, Layout: bloom.Blocked})
		require.NoError(b, err)
		g.AddAll(members)
		f, err := static.New(context.Background(), static.Config{FPRate: 0.01}, slices.Clone(members))
		require.NoError(b, err)
		for name, digests := range map[string][]hashfam.Digest{"hit": members, "miss": absent} {
			for kind, contains := range map[string]func(hashfam.Digest) bool{"static": f.ContainsDigest, "blocked": g.ContainsDigest} {
				b.Run(fmt.Sprintf("%s/%s/n=%d", kind, name, n), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						contains(digests[i%n])
					}
				})
			}
		}
	}
}

// BenchmarkNew builds a filter of 1 % with one worker.
func BenchmarkNew(b *testing.B) {
	const n = 1_000_000
	digests := benchDigests(0, n)
	for b.Loop() {
		_, err := static.New(context.Background(), static.Config{FPRate: 0.01, Workers: 1}, slices.Clone(digests))
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/key")
}
