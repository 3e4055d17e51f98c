package static_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
)

// benchKeys returns keys of 16 bytes, the first of which has the given number.
func benchKeys(first, n int) [][]byte {
	keys, room := make([][]byte, n), make([]byte, 16*n)
	for i := range keys {
		keys[i] = room[16*i:][:16]
		binary.LittleEndian.PutUint64(keys[i], uint64(first+i)*0x9E3779B97F4A7C15)
		binary.LittleEndian.PutUint64(keys[i][8:], ^uint64(first+i))
	}
	return keys
}

// BenchmarkAgainstBlocked compares lookups at 1 % with those of a blocked Bloom
// filter: the ratio of the processor times, static over blocked. Use -benchtime
// 1x.
func BenchmarkAgainstBlocked(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		members, absent := benchKeys(0, n), benchKeys(n, min(n, 1_000_000))
		f, err := static.New(static.Config{FPRate: 0.01}, members)
		require.NoError(b, err)
		g, err := bloom.New(bloom.Config{Capacity: uint64(n), FPRate: 0.01, Layout: bloom.Blocked})
		require.NoError(b, err)
		g.AddAll(members)
		for _, c := range []struct {
			name string
			keys [][]byte
		}{{"hit", members[:min(n, 1_000_000)]}, {"miss", absent}} {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				ratio(b, eachOf(c.keys, g.Contains), eachOf(c.keys, f.Contains))
			})
			b.Run(fmt.Sprintf("%s/batch/n=%d", c.name, n), func(b *testing.B) {
				ratio(b, batchesOf(c.keys, g.ContainsAll), batchesOf(c.keys, f.ContainsAll))
			})
		}
	}
}

// eachOf returns a function that asks for the next n keys, one by one.
func eachOf(keys [][]byte, has func([]byte) bool) func(n int) {
	at := 0
	return func(n int) {
		for range n {
			if at == len(keys) {
				at = 0
			}
			has(keys[at])
			at++
		}
	}
}

// batchesOf returns a function that asks for the next n keys, 1000 at a time.
func batchesOf(keys [][]byte, has func([]bool, [][]byte) []bool) func(n int) {
	at, dst := 0, make([]bool, 0, 1000)
	return func(n int) {
		for range n / 1000 {
			if at+1000 > len(keys) {
				at = 0
			}
			dst = has(dst[:0], keys[at:at+1000])
			at += 1000
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
