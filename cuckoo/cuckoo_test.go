package cuckoo

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// kinds are filters with a thousand slots that store buckets in each way.
var kinds = []Params{
	{Buckets: 250, FingerprintBits: 10},
	{Buckets: 250, FingerprintBits: 16},
	{Buckets: 250, FingerprintBits: 31},
	{Buckets: 250, FingerprintBits: 10, Compact: true},
	{Buckets: 250, FingerprintBits: 31, Compact: true},
}

// fillUp adds keys until thirty consecutive ones have failed, and returns the
// others.
func fillUp(t require.TestingT, f *Filter) (in []uint64) {
	for key, failed := uint64(0), 0; failed < 30; key++ {
		if err := f.AddDigest(f.params.Family.SumUint64(key)); err != nil {
			require.ErrorIs(t, err, ErrFull)
			failed++
			continue
		}
		in, failed = append(in, key), 0
	}
	return in
}

func TestFullFilterLosesNoKey(t *testing.T) {
	long := checks.Long(t, 2, 0.1)
	for _, p := range kinds {
		further := uint64(10_000) // a failed Add needs tens of microseconds
		if long {
			further = 100_000
		} else {
			p.Buckets = 6
		}
		f := mustNew(t, p)
		in := fillUp(t, f)
		before := bytes.Clone(f.table.Bytes())
		for key := range further {
			if f.AddDigest(p.Family.SumUint64(key|1<<40)) == nil {
				in = append(in, key|1<<40)
				copy(before, f.table.Bytes())
			} else if !bytes.Equal(before, f.table.Bytes()) {
				t.Fatalf("%v: a failed Add changed the table", f)
			}
		}
		require.Greater(t, f.FillRatio(), 0.9)
		require.EqualValues(t, len(in), f.Len())
		for _, key := range in {
			require.True(t, f.ContainsDigest(p.Family.SumUint64(key)), "%v lost key %d", f, key)
		}
		for _, key := range in {
			require.True(t, f.DeleteDigest(p.Family.SumUint64(key)))
		}
		require.Zero(t, f.Len())
		require.True(t, f.Equal(mustNew(t, p)), "all keys have been deleted")
	}
}

func TestNinthCopyFailsWithErrCopies(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		for n := range 8 {
			require.EqualValues(t, n, f.CountString("key"))
			require.NoError(t, f.AddString("key"))
		}
		before := f.Clone()
		err := f.AddString("key")
		require.ErrorIs(t, err, ErrCopies)
		require.ErrorIs(t, err, ErrFull)
		require.Zero(t, testing.AllocsPerRun(10, func() { f.AddString("key") }))
		require.True(t, f.Equal(before))
		require.EqualValues(t, 8, f.CountString("key"))
		require.NoError(t, f.AddString("another"))

		fillUp(t, f)
		for key := uint64(1 << 50); ; key++ {
			d := p.Family.SumUint64(key)
			if err := f.AddDigest(d); err != nil {
				require.NotErrorIs(t, err, ErrCopies, "the table is full")
				require.Zero(t, testing.AllocsPerRun(10, func() { f.AddDigest(d) }))
				break
			}
		}
	}
}

// A 32-bit index would confine the keys to the first 512 MiB.
func TestTablesAboveFourGigabitsUseAllBuckets(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	for _, p := range []Params{
		{Buckets: 5 << 30 / (4 * 32), FingerprintBits: 32},
		{Buckets: 5 << 30 / (4 * 8), FingerprintBits: 9, Compact: true},
	} {
		f := mustNew(t, p)
		for key := range uint64(20_000) {
			require.NoError(t, f.AddDigest(p.Family.SumUint64(key)))
		}
		above := uint64(0)
		for _, b := range f.table.Bytes()[1<<29:] {
			if b != 0 {
				above++
			}
		}
		// A fifth of the keys, in one or more bytes each: 4,000 with a standard
		// deviation of 57.
		require.Greater(t, above, uint64(4_000-6*57))
		for key := range uint64(20_000) {
			require.True(t, f.DeleteDigest(p.Family.SumUint64(key)))
		}
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
