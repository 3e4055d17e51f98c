package perfect_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
)

// must returns a value, or panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// digestsOf returns n digests.
func digestsOf(n int, from uint64) []hashfam.Digest {
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = from + uint64(i)
	}
	return hashfam.Family{}.SumAllUint64(nil, numbers)
}

// medians runs the contestants in turn for several rounds and reports the
// median time of each per key in nanoseconds.
func medians(b *testing.B, n int, names []string, run []func()) {
	const rounds = 9
	times := make([][]float64, len(run))
	for range rounds {
		for i, f := range run {
			start := time.Now()
			f()
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(n))
		}
	}
	for i, name := range names {
		slices.Sort(times[i])
		b.ReportMetric(times[i][rounds/2], name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLookups compares lookups of keys whose digests are given, and one
// load of 8 bytes from a table of one word per key.
func BenchmarkLookups(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			digests := digestsOf(n, 0)
			f := must(perfect.NewFromDigests(perfect.Config{}, slices.Clone(digests)))
			compact := must(perfect.NewFromDigests(perfect.Config{Compact: true}, slices.Clone(digests)))
			filter := must(perfect.NewFilterFromDigests(perfect.FilterConfig{FPRate: 0.01}, slices.Clone(digests)))
			blocked := must(bloom.New(bloom.Config{Capacity: uint64(n), FPRate: 0.01, Layout: bloom.Blocked}))
			blocked.AddAllDigests(digests)
			table := make([]uint64, n)
			asked, other := digests[:min(n, 1_000_000)], digestsOf(min(n, 1_000_000), 1<<40)
			indexes, found := make([]uint64, 0, len(asked)), make([]bool, 0, len(asked))
			each := func(digests []hashfam.Digest, ask func(hashfam.Digest) uint64) func() {
				return func() {
					sum := uint64(0)
					for _, d := range digests {
						sum += ask(d)
					}
					sink += sum
				}
			}
			is := func(has func(hashfam.Digest) bool) func(hashfam.Digest) uint64 {
				return func(d hashfam.Digest) uint64 {
					if has(d) {
						return 1
					}
					return 0
				}
			}
			names := []string{"load", "Index", "Index-compact", "IndexAll", "hit", "miss", "batch", "blocked-hit", "blocked-miss", "blocked-batch"}
			for range 1 {
				medians(b, len(asked), names, []func(){
					each(asked, func(d hashfam.Digest) uint64 { return table[hashfam.Reduce(uint64(d), uint64(len(table)))] }),
					each(asked, f.IndexDigest),
					each(asked, compact.IndexDigest),
					func() { f.IndexAllDigests(indexes, asked) },
					each(asked, is(filter.ContainsDigest)),
					each(other, is(filter.ContainsDigest)),
					func() { filter.ContainsAllDigests(found, asked) },
					each(asked, is(blocked.ContainsDigest)),
					each(other, is(blocked.ContainsDigest)),
					func() { blocked.ContainsAllDigests(found, asked) },
				})
			}
		})
	}
}

var sink uint64

// BenchmarkBuild reports the time and the memory of a build per key, given the
// digests, and the size of the result.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		for _, compact := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/compact=%v", n, compact), func(b *testing.B) {
				digests := digestsOf(n, 0)
				var f *perfect.Function
				b.ReportAllocs()
				for b.Loop() {
					f = must(perfect.NewFromDigests(perfect.Config{Compact: compact}, slices.Clone(digests)))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
				b.ReportMetric(f.BitsPerKey(), "bits/key")
			})
		}
	}
}
