package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/FastFilter/xorfilter"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// cpuTime returns the processor time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A cost is what one build took for each key, in nanoseconds.
type cost struct{ wall, cpu float64 }

func costOf(n int, do func()) cost {
	start, used := time.Now(), cpuTime()
	do()
	return cost{
		wall: float64(time.Since(start).Nanoseconds()) / float64(n),
		cpu:  float64((cpuTime() - used).Nanoseconds()) / float64(n),
	}
}

// BenchmarkStaticBuild builds static filters at 1 % and binary fuse filters of
// 8 bits from the same digests in turn. It reports medians in nanoseconds per
// key and the medians of ratios within a round. Use -benchtime 1x.
func BenchmarkStaticBuild(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { compareBuilds(b, n) })
	}
}

func compareBuilds(b *testing.B, n int) {
	const rounds = 9
	rng := rand.New(rand.NewPCG(1, 2))
	digests, keys := make([]hashfam.Digest, n), make([]uint64, n)
	fill := func() {
		for i := range keys {
			keys[i] = rng.Uint64()
			digests[i] = hashfam.Digest(keys[i])
		}
	}
	build := func(workers int) cost {
		return costOf(n, func() {
			_, err := static.New(b.Context(), static.Config{FPRate: 0.01, Workers: workers}, digests)
			require.NoError(b, err)
		})
	}
	var fuse, one, two, ratio, wall []float64
	for b.Loop() {
		for range rounds {
			fill()
			f := costOf(n, func() {
				_, err := xorfilter.NewBinaryFuse[uint8](keys)
				require.NoError(b, err)
			})
			fill()
			s := build(1)
			fill()
			t := build(2)
			fuse, one, two = append(fuse, f.cpu), append(one, s.cpu), append(two, t.cpu)
			ratio, wall = append(ratio, s.cpu/f.cpu), append(wall, t.wall/s.wall)
		}
	}
	b.ReportMetric(0, "ns/op") // means nothing here
	b.ReportMetric(measure.Median(fuse), "fuse-cpu-ns/key")
	b.ReportMetric(measure.Median(one), "static-cpu-ns/key")
	b.ReportMetric(measure.Median(two), "two-workers-cpu-ns/key")
	b.ReportMetric(measure.Median(ratio), "static/fuse")
	b.ReportMetric(measure.Median(wall), "two/one-wall")
	b.ReportMetric(slices.Min(wall), "two/one-wall-best")
}
