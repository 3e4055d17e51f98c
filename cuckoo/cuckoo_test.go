package cuckoo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// kinds are filters with a thousand slots that store buckets in each way.
var kinds = []Params{
	{Buckets: 250, FingerprintBits: 10},
	{Buckets: 250, FingerprintBits: 16},
	{Buckets: 250, FingerprintBits: 31},
	{Buckets: 250, FingerprintBits: 10, Compact: true},
	{Buckets: 250, FingerprintBits: 31, Compact: true},
}

// The ninth copy of a key cannot be added, and no other key if the filter is
// full. A failed Add changes nothing and does not allocate. No key is lost.
func TestFailedAddChangesNothing(t *testing.T) {
	for _, p := range kinds {
		f, in := mustNew(t, p), []hashfam.Digest{}
		add := func(d hashfam.Digest, want error) bool {
			before := f.Clone()
			err := f.AddDigest(d)
			if err == nil {
				in = append(in, d)
				return true
			}
			require.Equal(t, want, err)
			require.Zero(t, testing.AllocsPerRun(10, func() { f.AddDigest(d) }), "on average, because the runtime can allocate meanwhile")
			require.True(t, f.Equal(before))
			return false
		}
		first := p.Family.SumString("key")
		for add(first, ErrCopies) {
		}
		require.Len(t, in, 8)
		require.ErrorIs(t, ErrCopies, ErrFull)
		for key, failed := uint64(0), 0; failed < 30; key++ {
			if !add(p.Family.SumUint64(key), table.ErrFull) {
				failed++
			}
		}
		require.Greater(t, f.FillRatio(), 0.9)
		require.NotContains(t, f.ContainsAll(nil, in), false)
		require.Equal(t, len(in), f.DeleteAll(in))
		require.True(t, f.Equal(mustNew(t, p)), "all keys have been deleted")
	}
}

// A 32-bit index would not reach these buckets, which have no byte in the first
// 512 MiB.
func TestTablesAboveFourGigabitsUseAllBuckets(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	for _, p := range []Params{
		{Buckets: 5 << 30 / (4 * 32), FingerprintBits: 32},
		{Buckets: 5 << 30 / (4 * 8), FingerprintBits: 9, Compact: true},
	} {
		f, above := mustNew(t, p), 0
		for key := range uint64(3000) {
			d, size := p.Family.SumUint64(key), p.shape().BucketBits()/8
			i, j, _ := f.locate(d)
			if i*size >= 1<<29 && j*size >= 1<<29 {
				above++
				require.NoError(t, f.AddDigest(d))
				buckets := append(f.table.Bytes[i*size:][:size:size], f.table.Bytes[j*size:][:size]...)
				require.NotEqual(t, make([]byte, 2*size), buckets)
				require.True(t, f.DeleteDigest(d))
			}
		}
		// A 25th of the keys: 120 with a standard deviation of 11.
		require.Greater(t, above, 120-6*11)
	}
}

// BenchmarkFailedAdd measures Adds that fail because the filter is full.
func BenchmarkFailedAdd(b *testing.B) {
	for _, n := range []uint64{100_000, 1_000_000, 10_000_000} {
		for _, sorted := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/Compact=%v", n, sorted), func(b *testing.B) {
				f, err := New(Config{Capacity: n, FPRate: 0.01, Compact: sorted})
				require.NoError(b, err)
				r := rand.New(rand.NewPCG(1, n))
				failed, took := 0, time.Duration(0)
				for failed < b.N {
					start := time.Now()
					if f.AddDigest(hashfam.Digest(r.Uint64())) != nil {
						took += time.Since(start)
						failed++
					}
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(failed), "ns/op")
			})
		}
	}
}

func TestDeletedKeysLeaveRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		for _, key := range rapid.SliceOfN(rapid.String(), 1, 100).Draw(t, "keys") {
			require.NoError(t, f.AddString(key))
			require.True(t, f.DeleteString(key))
			require.Zero(t, f.Len())
		}
	})
}
