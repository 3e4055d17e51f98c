package perfect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// digestsOf returns n digests.
func digestsOf(n int, from uint64) []hashfam.Digest {
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = from + uint64(i)
	}
	return hashfam.Family{}.SumAllUint64(nil, numbers)
}

var sink uint64

// asked reports the time per digest of asking for chunks of digests in turn.
func asked(b *testing.B, name string, digests []hashfam.Digest, ask func([]hashfam.Digest)) {
	const chunk = 10_000
	b.Run(fmt.Sprintf("%s/n=%d", name, len(digests)), func(b *testing.B) {
		at := 0
		for b.Loop() {
			ask(digests[at : at+chunk])
			at = (at + chunk) % len(digests)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunk, "ns/key")
	})
}

// indexes asks for one digest after the other.
func indexes(index func(hashfam.Digest) uint64) func([]hashfam.Digest) {
	return func(digests []hashfam.Digest) {
		for _, d := range digests {
			sink += index(d)
		}
	}
}

// members asks for one digest after the other.
func members(contains func(hashfam.Digest) bool) func([]hashfam.Digest) {
	return func(digests []hashfam.Digest) {
		for _, d := range digests {
			if contains(d) {
				sink++
			}
		}
	}
}

var sizes = []int{10_000, 1_000_000, 10_000_000}

// BenchmarkIndex compares lookups of digests with one load of 8 bytes from a
// table of n words.
func BenchmarkIndex(b *testing.B) {
	for _, n := range sizes {
		digests, table, dst := digestsOf(n, 0), make([]uint64, n), make([]uint64, 0, n)
		load := func(d hashfam.Digest) uint64 { return table[d.Probe().In(uint64(len(table)))] }
		asked(b, "load", digests, indexes(load))
		for _, compact := range []bool{false, true} {
			f := must(New(b.Context(), Config{Compact: compact}, slices.Clone(digests)))
			asked(b, fmt.Sprintf("compact=%v", compact), digests, indexes(f.IndexDigest))
			asked(b, fmt.Sprintf("compact=%v/batch", compact), digests, func(d []hashfam.Digest) { f.IndexAll(dst, d) })
		}
	}
}

// BenchmarkContains compares filters of 1 % with blocked Bloom filters, for
// digests that are in the set, and others.
func BenchmarkContains(b *testing.B) {
	for _, n := range sizes {
		present, dst := digestsOf(n, 0), make([]bool, 0, n)
		f := must(NewFilter(b.Context(), FilterConfig{FPRate: 0.01}, slices.Clone(present)))
		blocked := must(bloom.New(bloom.Config{Capacity: uint64(n), FPRate: 0.01, Layout: bloom.Blocked}))
		blocked.AddAll(present)
		for kind, digests := range map[string][]hashfam.Digest{"hit": present, "miss": digestsOf(n, 1<<40)} {
			asked(b, "perfect/"+kind, digests, members(f.ContainsDigest))
			asked(b, "perfect/batch/"+kind, digests, func(d []hashfam.Digest) { f.ContainsAll(dst, d) })
			asked(b, "blocked/"+kind, digests, members(blocked.ContainsDigest))
		}
	}
}

// BenchmarkBuild reports the time of a build per digest and the size of the
// result.
func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		for _, compact := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/compact=%v", n, compact), func(b *testing.B) {
				digests := digestsOf(n, 0)
				var f *Function
				b.ReportAllocs()
				for b.Loop() {
					f = must(New(b.Context(), Config{Compact: compact}, slices.Clone(digests)))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
				b.ReportMetric(bitsPerKey(f), "bits/key")
			})
		}
	}
}
