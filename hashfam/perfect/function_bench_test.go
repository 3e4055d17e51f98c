package perfect

import (
	"fmt"
	"slices"
	"testing"
	"time"

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

// A contestant answers a chunk of digests.
type contestant struct {
	name string
	ask  func([]hashfam.Digest)
}

// race lets the contestants answer chunks of the digests in turn, and reports
// the time per digest of each. It is the lower quartile of the chunks: they are
// so short that many are not interrupted.
func race(b *testing.B, digests []hashfam.Digest, contestants []contestant) {
	const chunk, rounds = 10_000, 200
	times := make([][]float64, len(contestants))
	for b.Loop() {
		for round := range rounds {
			at := round * chunk % len(digests)
			for i, c := range contestants {
				start := time.Now()
				c.ask(digests[at : at+chunk])
				times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/chunk)
			}
		}
	}
	for i, c := range contestants {
		slices.Sort(times[i])
		b.ReportMetric(times[i][len(times[i])/4], c.name)
	}
	b.ReportMetric(0, "ns/op") // means nothing here
}

var sink uint64

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
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			digests, table, dst := digestsOf(n, 0), make([]uint64, n), make([]uint64, 0, n)
			f := must(New(b.Context(), Config{}, slices.Clone(digests)))
			compact := must(New(b.Context(), Config{Compact: true}, slices.Clone(digests)))
			race(b, digests, []contestant{
				{"load", indexes(func(d hashfam.Digest) uint64 { return table[d.Probe().In(uint64(len(table)))] })},
				{"index", indexes(f.IndexDigest)},
				{"batch", func(digests []hashfam.Digest) { f.IndexAll(dst, digests) }},
				{"compact", indexes(compact.IndexDigest)},
				{"compact-batch", func(digests []hashfam.Digest) { compact.IndexAll(dst, digests) }},
			})
		})
	}
}

// BenchmarkContains compares filters of 1 %: digests that are in the set, and
// others.
func BenchmarkContains(b *testing.B) {
	for _, n := range sizes {
		for _, kind := range []string{"hit", "miss"} {
			b.Run(fmt.Sprintf("n=%d/%s", n, kind), func(b *testing.B) {
				digests, dst := digestsOf(n, 0), make([]bool, 0, n)
				f := must(NewFilter(b.Context(), FilterConfig{FPRate: 0.01}, slices.Clone(digests)))
				blocked := must(bloom.New(bloom.Config{Capacity: uint64(n), FPRate: 0.01, Layout: bloom.Blocked}))
				for _, d := range digests {
					blocked.AddDigest(d)
				}
				if kind == "miss" {
					digests = digestsOf(n, 1<<40)
				}
				race(b, digests, []contestant{
					{"perfect", members(f.ContainsDigest)},
					{"blocked", members(blocked.ContainsDigest)},
					{"perfect-batch", func(digests []hashfam.Digest) { f.ContainsAll(dst, digests) }},
				})
			})
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
