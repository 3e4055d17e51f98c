package static

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// BenchmarkExact compares builds and lookups with those of CRLite's cascade, in
// turn: the best of several rounds, in ns of processor time for each key of
// both classes (build) or for each lookup, with the digests given. Use
// -benchtime 1x.
func BenchmarkExact(b *testing.B) {
	for _, c := range []struct{ rare, ratio int }{{500_000, 1}, {200_000, 5}, {100_000, 50}, {5_000, 1000}} {
		rare, common := randomUniverse(c.rare, c.rare*c.ratio)
		keys := len(rare) + len(common)
		e, reference := mustExact(b, hashfam.Family{}, rare, common), newCascade(b, rare, common)
		name := fmt.Sprintf("ratio=%d/", c.ratio)
		b.Run(name+"build", func(b *testing.B) {
			m, o := clone(rare), clone(common)
			inTurn(b, 5, keys, func() {
				_, err := NewExactFromDigests(ExactConfig{Workers: 1}, m, o)
				require.NoError(b, err)
			}, func() { newCascade(b, rare, common) }, func() { copy(m, rare); copy(o, common) })
		})
		for i, digests := range [][]hashfam.Digest{rare, common[:min(len(common), 1_000_000)]} {
			class := []string{"members", "others"}[i]
			digests = slices.Repeat(digests, max(1, 1_000_000/len(digests))) // the clock is coarse
			b.Run(name+class, func(b *testing.B) {
				inTurn(b, 15, len(digests), func() {
					for _, d := range digests {
						e.ContainsDigest(d)
					}
				}, func() {
					for _, d := range digests {
						reference.rare(d)
					}
				}, func() {})
			})
			b.Run(name+class+"/batch", func(b *testing.B) {
				dst := make([]bool, 0, len(digests))
				inTurn(b, 15, len(digests), func() { e.ContainsAllDigests(dst, digests) },
					func() {
						for _, d := range digests {
							reference.rare(d)
						}
					}, func() {})
			})
		}
	}
}

// inTurn calls prepare and then one of two contestants, in turn, and reports
// the best time of each for one of n operations.
func inTurn(b *testing.B, rounds, n int, exact, cascade, prepare func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for b.Loop() {
		for range rounds {
			for i, do := range []func(){exact, cascade} {
				prepare()
				start := threadTime(b)
				do()
				best[i] = min(best[i], float64(threadTime(b)-start)/float64(n))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best[0], "exact-ns")
	b.ReportMetric(best[1], "cascade-ns")
	b.ReportMetric(best[0]/best[1], "ratio")
}

// threadTime returns the processor time of this thread. Other programs do not
// count.
func threadTime(b *testing.B) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(thisThread, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
