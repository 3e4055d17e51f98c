package bloom

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// BenchmarkFilter measures a key of eight bytes, singly and in batches, in
// filters that fit into the cache and in such that do not. internal/compare
// compares them with other libraries.
func BenchmarkFilter(b *testing.B) {
	for _, layout := range layouts {
		for _, n := range []uint64{10_000, 10_000_000} {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(b, err)
			c := NewConcurrentFrom(f)
			f.AddAll(sums(f, n))
			keys, absent := keysFrom(0), keysFrom(1<<63)
			b.Run(fmt.Sprintf("%v/%d", layout, n), func(b *testing.B) {
				one(b, "add", f.Add, keys)
				one(b, "hit", func(key []byte) { f.Contains(key) }, keys)
				one(b, "miss", func(key []byte) { f.Contains(key) }, absent)
				one(b, "concurrent add", c.Add, keys)
				one(b, "concurrent hit", func(key []byte) { c.Contains(key) }, keys)
				var dst []bool
				many(b, "add all", f, f.AddAll, keys)
				many(b, "hit all", f, func(d []hashfam.Digest) { dst = f.ContainsAll(dst[:0], d) }, keys)
				many(b, "miss all", f, func(d []hashfam.Digest) { dst = f.ContainsAll(dst[:0], d) }, absent)
			})
		}
	}
}

// keysFrom returns the keys of 65,536 integers.
func keysFrom(first uint64) [][]byte {
	keys := make([][]byte, 1<<16)
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(nil, first+uint64(i))
	}
	return keys
}

func one(b *testing.B, name string, do func([]byte), keys [][]byte) {
	b.Run(name, func(b *testing.B) {
		for i := range b.N {
			do(keys[i%len(keys)])
		}
	})
}

// many measures SumAll and a batch of a thousand digests. The time is that of a
// key.
func many(b *testing.B, name string, f *Filter, do func([]hashfam.Digest), keys [][]byte) {
	b.Run(name, func(b *testing.B) {
		const size = 1 << 10
		var digests []hashfam.Digest
		for i := 0; i < b.N; i += size {
			first := i % len(keys)
			digests = f.Family().SumAll(digests[:0], keys[first:first+size])
			do(digests)
		}
	})
}

// BenchmarkMerge measures ten filters merged by one call, and by ten.
func BenchmarkMerge(b *testing.B) {
	f := mustNew(b, Params{Bits: 1 << 26, Hashes: 7})
	others := make([]*Filter, 10)
	for i := range others {
		others[i] = f.Clone()
	}
	b.Run("one call", func(b *testing.B) {
		for range b.N {
			f.Merge(others...)
		}
	})
	b.Run("ten calls", func(b *testing.B) {
		for range b.N {
			for _, other := range others {
				f.Merge(other)
			}
		}
	})
}
