package static_test

import (
	"context"
	"fmt"
	"slices"
	"syscall"
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

// BenchmarkAgainstBlocked compares lookups at 1 % with those of a blocked Bloom
// filter: the ratio of the processor times, static over blocked. Use -benchtime
// 1x.
func BenchmarkAgainstBlocked(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		members, absent := benchDigests(0, n), benchDigests(n, min(n, 1_000_000))
		g, err := bloom.New(bloom.Config{Capacity: uint64(n), FPRate: 0.01, Layout: bloom.Blocked})
		require.NoError(b, err)
		for _, d := range members {
			g.AddDigest(d)
		}
		f, err := static.New(context.Background(), static.Config{FPRate: 0.01}, slices.Clone(members))
		require.NoError(b, err)
		for _, c := range []struct {
			name    string
			digests []hashfam.Digest
		}{{"hit", members[:min(n, 1_000_000)]}, {"miss", absent}} {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				ratio(b, eachOf(c.digests, g.ContainsDigest), eachOf(c.digests, f.ContainsDigest))
			})
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

// eachOf returns a function that asks for the next n digests, one by one.
func eachOf(digests []hashfam.Digest, has func(hashfam.Digest) bool) func(n int) {
	at := 0
	return func(n int) {
		for range n {
			if at == len(digests) {
				at = 0
			}
			has(digests[at])
			at++
		}
	}
}

// ratio times two ways to ask for keys in turn, and reports the median of the
// ratios of their processor times, and the quartiles.
func ratio(b *testing.B, old, new func(n int)) {
	const operations, rounds = 50_000, 61
	timed := func(do func(int)) float64 {
		before := cpuTime()
		do(operations)
		return float64(cpuTime() - before)
	}
	var ratios []float64
	for b.Loop() {
		for range rounds {
			was := timed(old)
			ratios = append(ratios, timed(new)/was)
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op") // means nothing here
	for name, at := range map[string]int{"ratio": 2, "lower": 1, "upper": 3} {
		b.ReportMetric(ratios[len(ratios)*at/4], name)
	}
}

// cpuTime returns the processor time that the process has used, in nanoseconds.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
