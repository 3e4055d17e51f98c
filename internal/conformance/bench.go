package conformance

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// benchmarkSizes are the numbers of keys of the benchmarks: a structure that
// fits in the cache, and one that does not.
var benchmarkSizes = []uint64{10_000, 5_000_000}

// batchKeys is the number of keys in a batch of the benchmarks.
const batchKeys = 1024

// Benchmark measures insertions and queries of 16-byte keys, singly and in
// batches. fresh returns an empty structure for n keys. Times are per key.
func (s Suite[T]) Benchmark(b *testing.B, fresh func(n uint64) (T, error)) {
	for _, n := range benchmarkSizes {
		f, err := fresh(n)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("Add/n=%d", n), func(b *testing.B) { s.inserts(b, f, n) })
		b.Run(fmt.Sprintf("Add/batch/n=%d", n), func(b *testing.B) { s.insertBatches(b, f, n) })
		s.Reset(f)
		for i := range n {
			require.NoError(b, s.Insert(f, putKey(make([]byte, 16), i)))
		}
		b.Run(fmt.Sprintf("Contains/hit/n=%d", n), func(b *testing.B) { s.queries(b, f, 0, n) })
		b.Run(fmt.Sprintf("Contains/miss/n=%d", n), func(b *testing.B) { s.queries(b, f, n, n) })
		b.Run(fmt.Sprintf("Contains/batch/n=%d", n), func(b *testing.B) { s.queryBatches(b, f, n, n) })
	}
}

// putKey writes the i-th key to key and returns it.
func putKey(key []byte, i uint64) []byte {
	binary.LittleEndian.PutUint64(key, i*0x9E3779B97F4A7C15)
	binary.LittleEndian.PutUint64(key[8:], ^i)
	return key
}

// inserts inserts n keys into f, repeatedly.
func (s Suite[T]) inserts(b *testing.B, f T, n uint64) {
	b.ReportAllocs()
	key, i := make([]byte, 16), uint64(0)
	for b.Loop() {
		if i++; i%n == 0 {
			s.Reset(f)
		}
		s.Insert(f, putKey(key, i%n))
	}
}

func (s Suite[T]) insertBatches(b *testing.B, f T, n uint64) {
	b.ReportAllocs()
	keys, i := newBatch(), uint64(0)
	for b.Loop() {
		if i += batchKeys; i%n < batchKeys {
			s.Reset(f)
		}
		s.InsertAll(f, fillBatch(keys, i%n))
	}
	perKey(b)
}

// queries queries n keys, the first of which is key number first.
func (s Suite[T]) queries(b *testing.B, f T, first, n uint64) {
	b.ReportAllocs()
	key, i := make([]byte, 16), uint64(0)
	for b.Loop() {
		s.Has(f, putKey(key, first+i%n))
		i++
	}
}

func (s Suite[T]) queryBatches(b *testing.B, f T, first, n uint64) {
	b.ReportAllocs()
	keys, dst, i := newBatch(), make([]bool, 0, batchKeys), uint64(0)
	for b.Loop() {
		s.HasAll(f, dst, fillBatch(keys, first+i%n))
		i += batchKeys
	}
	perKey(b)
}

func newBatch() [][]byte {
	keys, room := make([][]byte, batchKeys), make([]byte, 16*batchKeys)
	for k := range keys {
		keys[k] = room[16*k:][:16]
	}
	return keys
}

func fillBatch(keys [][]byte, first uint64) [][]byte {
	for k, key := range keys {
		putKey(key, first+uint64(k))
	}
	return keys
}

// perKey reports the time per key instead of the time per batch.
func perKey(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchKeys, "ns/key")
	b.ReportMetric(0, "ns/op")
}

// Ratio times two ways to do n operations in turn, many times, and reports the
// median of the ratios of their times, and the quartiles: new over old.
func Ratio(b *testing.B, before, after func(n int)) {
	const operations, rounds = 20_000, 61
	timed := func(do func(int)) float64 {
		start := time.Now()
		do(operations)
		return time.Since(start).Seconds()
	}
	var ratios []float64
	for b.Loop() {
		for round := range rounds {
			if round%2 == 0 {
				was := timed(before)
				ratios = append(ratios, timed(after)/was)
				continue
			}
			is := timed(after)
			ratios = append(ratios, is/timed(before))
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op") // means nothing here
	for name, at := range map[string]int{"ratio": 2, "lower": 1, "upper": 3} {
		b.ReportMetric(ratios[len(ratios)*at/4], name)
	}
}

// Short compares batches of 1 to 8 keys with single calls on the same keys.
// Both functions treat a group of keys.
func Short(b *testing.B, singly, batch func(keys [][]byte)) {
	keys := fillBatch(newBatch(), 0)
	for _, n := range []int{1, 2, 4, 7, 8} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			Ratio(b, inGroups(keys, n, singly), inGroups(keys, n, batch))
		})
	}
}

// inGroups returns a function that calls do for groups of size keys until it
// has done so for n keys.
func inGroups(keys [][]byte, size int, do func(keys [][]byte)) func(n int) {
	return func(n int) {
		for ; n > 0; n -= size {
			do(keys[n%(batchKeys-size):][:size])
		}
	}
}

// Digests returns a function that hashes another key of 16 bytes in each call.
func Digests(fam hashfam.Family) func() hashfam.Digest {
	key, i := make([]byte, 16), uint64(0)
	return func() hashfam.Digest {
		i++
		return fam.Sum(putKey(key, i%1_000_000))
	}
}
