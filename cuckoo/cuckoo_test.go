package cuckoo

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/conformance"
)

// kinds are filters of about a thousand slots in each way of storing them.
var kinds = []Params{
	{Buckets: 250, FingerprintBits: 10},
	{Buckets: 250, FingerprintBits: 16},
	{Buckets: 250, FingerprintBits: 31},
	{Buckets: 250, FingerprintBits: 10, Compact: true},
	{Buckets: 250, FingerprintBits: 31, Compact: true},
}

// fillUp adds keys until a hundred in a row have failed, and returns those
// that went in.
func fillUp(t require.TestingT, f *Filter) (in []uint64) {
	for key, failed := uint64(0), 0; failed < 100; key++ {
		if err := f.AddDigest(f.params.Family.SumUint64(key)); err != nil {
			require.ErrorIs(t, err, ErrFull)
			failed++
			continue
		}
		in, failed = append(in, key), 0
	}
	return in
}

func requireKeys(t *testing.T, f *Filter, keys []uint64) {
	t.Helper()
	for _, key := range keys {
		if !f.ContainsDigest(f.params.Family.SumUint64(key)) {
			t.Fatalf("%v lost key %d", f, key)
		}
	}
	require.EqualValues(t, len(keys), f.Len())
}

func TestDrivenPastFullItLosesNothing(t *testing.T) {
	long := conformance.Long(t, 2, 0.1)
	for _, p := range kinds {
		further := uint64(1000) // a failed Add takes tens of microseconds
		switch {
		case long:
			further = 100_000
		case testing.Short():
			p.Buckets = 20
		case p.Compact || p.FingerprintBits > 10:
			p.Buckets, further = 2, 30_000
		default:
			p.Buckets, further = 6, 30_000
		}
		f := mustNew(t, p)
		in := fillUp(t, f)
		before, accepted := bytes.Clone(f.table.bytes), 0
		for key := range further {
			d := p.Family.SumUint64(key | 1<<40)
			if f.AddDigest(d) == nil {
				accepted++
				in = append(in, key|1<<40)
				copy(before, f.table.bytes)
			} else if !bytes.Equal(before, f.table.bytes) {
				t.Fatalf("%v: a failed Add changed the table", f)
			}
		}
		require.Greater(t, f.FillRatio(), 0.9)
		requireKeys(t, f, in)
		t.Logf("%v: %d slots, %d keys, %d of the further ones", f, p.slots(), len(in), accepted)

		half := len(in) / 2
		for _, key := range in[:half] {
			require.True(t, f.DeleteDigest(p.Family.SumUint64(key)))
		}
		requireKeys(t, f, in[half:])
		for _, key := range in[:half] {
			require.NoError(t, f.AddDigest(p.Family.SumUint64(key)))
		}
		requireKeys(t, f, in)
		for _, key := range in {
			require.True(t, f.DeleteDigest(p.Family.SumUint64(key)))
		}
		require.Zero(t, f.Len())
		require.True(t, f.Equal(mustNew(t, p)), "what was added has been deleted")
		require.NoError(t, f.AddString("key"))
		f.Reset()
		require.Zero(t, f.Len())
		require.True(t, f.Equal(mustNew(t, p)))
	}
}

// The search says that there is no room only if there is none within its reach:
// it has gone through all buckets that are so many moves away that the queue
// has room for them, each as often as moves lead to it.
func TestMovesMakeRoomWhereTheyCan(t *testing.T) {
	for _, p := range []Params{
		{Buckets: 8, FingerprintBits: 12}, {Buckets: 14, FingerprintBits: 12},
		{Buckets: 16, FingerprintBits: 20, Compact: true},
	} {
		for seed := range uint64(1000) {
			p.Family = hashfam.New(hashfam.Key{byte(seed), byte(seed >> 8), 1})
			f := mustNew(t, p)
			r := rand.New(rand.NewPCG(1, seed))
			d := hashfam.Digest(r.Uint64())
			for f.AddDigest(d) == nil {
				d = hashfam.Digest(r.Uint64())
			}
			i, j, _ := f.locate(d)
			reached := map[uint64]bool{i: true, j: true}
			level, queue := uint64(2), uint64(2)
			for queue += level * slots; queue <= min(far, patience*p.Buckets); queue += level * slots {
				level *= slots
				for b := range maps.Clone(reached) {
					for s := range slots {
						reached[f.moves.other(b, f.moves.hash(f.table.get(b, s)))] = true
					}
				}
			}
			for b := range reached {
				if f.table.has(b, 0) {
					t.Fatalf("%v, seed %d: bucket %d has room", f, seed, b)
				}
			}
		}
	}
}

func TestTheNinthCopyFailsAtOnceAndSaysSo(t *testing.T) {
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
		require.True(t, f.Equal(before))
		require.EqualValues(t, 8, f.CountString("key"))
		require.NoError(t, f.AddString("another"))
		for n := 8; n > 0; n-- {
			require.True(t, f.ContainsString("key"))
			require.True(t, f.DeleteString("key"))
		}
		require.False(t, f.DeleteString("key"))

		fillUp(t, f)
		for key := uint64(1 << 50); ; key++ {
			if err := f.AddDigest(p.Family.SumUint64(key)); err != nil {
				require.NotErrorIs(t, err, ErrCopies, "a full table is no matter of copies")
				break
			}
		}
	}
}

func TestAFailingAddDoesNotAllocate(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		fillUp(t, f)
		d := hashfam.Digest(1)
		for f.AddDigest(d) == nil {
			d += 1 << 40
		}
		require.Zero(t, testing.AllocsPerRun(10, func() { f.AddDigest(d) }))
	}
}

func TestBatchesDoWhatSingleCallsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		keys := make([][]byte, rapid.IntRange(0, 3*batch.Size).Draw(t, "n"))
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "key %d", i)
		}
		single, all := mustNew(t, p), mustNew(t, p)
		added, failed := 0, error(nil)
		for _, key := range keys {
			if failed = single.Add(key); failed != nil {
				break
			}
			added++
		}
		n, err := all.AddAll(keys)
		require.Equal(t, added, n)
		require.Equal(t, failed, err)
		require.True(t, all.Equal(single))

		queries := append(keys, []byte("absent"), nil)
		answers := all.ContainsAll([]bool{true, false}, queries)
		require.Equal(t, []bool{true, false}, answers[:2], "dst is kept")
		require.Len(t, answers, 2+len(queries))
		for i, q := range queries {
			require.Equal(t, single.Contains(q), answers[2+i])
		}

		deleted := 0
		for _, key := range keys[len(keys)/2:] {
			if single.Delete(key) {
				deleted++
			}
		}
		require.Equal(t, deleted, all.DeleteAll(keys[len(keys)/2:]))
		require.True(t, all.Equal(single))
	})
}

func TestMergeTakesAllOrNothing(t *testing.T) {
	for _, p := range kinds {
		a, b := mustNew(t, p), mustNew(t, p)
		for key := range uint64(400) {
			require.NoError(t, a.AddDigest(p.Family.SumUint64(key)))
			require.NoError(t, b.AddDigest(p.Family.SumUint64(key|1<<20)))
		}
		both := a.Clone()
		require.NoError(t, both.Merge(b))
		require.EqualValues(t, 800, both.Len())
		for key := range uint64(400) {
			require.True(t, both.DeleteDigest(p.Family.SumUint64(key)))
			require.True(t, both.DeleteDigest(p.Family.SumUint64(key|1<<20)))
		}
		require.True(t, both.Equal(mustNew(t, p)))

		for key := uint64(1 << 21); b.AddDigest(p.Family.SumUint64(key)) == nil; key++ {
		}
		before := a.Clone()
		require.ErrorIs(t, a.Merge(b), ErrFull, "more keys than slots")
		require.True(t, a.Equal(before))

		// As many keys as slots: some bucket is in the way, and by then
		// most have been merged.
		c := mustNew(t, p)
		for key := uint64(0); c.Len()+b.Len() < p.slots(); key++ {
			require.NoError(t, c.AddDigest(p.Family.SumUint64(key|1<<30)))
		}
		before = c.Clone()
		require.ErrorIs(t, c.Merge(b), ErrFull)
		require.True(t, c.Equal(before))
		require.Equal(t, before.Len(), c.Len())

		twice := before.Clone()
		require.NoError(t, twice.Merge(twice))
		require.Equal(t, 2*before.Len(), twice.Len())
	}
}

func TestFiltersThatDifferAreNotMerged(t *testing.T) {
	p := Params{Buckets: 100, FingerprintBits: 12}
	f := mustNew(t, p)
	require.NoError(t, f.AddString("kept"))
	before := f.Clone()
	for field, q := range map[string]Params{
		"Params.Buckets":         {Buckets: 102, FingerprintBits: 12},
		"Params.FingerprintBits": {Buckets: 100, FingerprintBits: 13},
		"Params.Compact":         {Buckets: 100, FingerprintBits: 12, Compact: true},
		"Params.Family":          {Buckets: 100, FingerprintBits: 12, Family: hashfam.Family{}.Derive("other")},
	} {
		other := mustNew(t, q)
		requireField(t, f.Merge(other), ErrIncompatible, field)
		require.False(t, f.Equal(other))
	}
	require.ErrorIs(t, f.Merge(nil), ErrIncompatible)
	require.False(t, f.Equal(nil))
	require.True(t, f.Equal(before))
}

func TestTheZeroFilterIsFullAndNeverPanics(t *testing.T) {
	for _, f := range []*Filter{{}, NewReceiver(hashfam.Random())} {
		require.ErrorIs(t, f.AddString("a"), ErrFull)
		require.NotErrorIs(t, f.AddString("a"), ErrCopies)
		require.True(t, f.ContainsString("a"))
		found, err := f.ContainsOrAddString("b")
		require.True(t, found)
		require.NoError(t, err)
		n, err := f.AddAll([][]byte{nil})
		require.Zero(t, n)
		require.ErrorIs(t, err, ErrFull)
		require.Equal(t, []bool{true}, f.ContainsAll(nil, [][]byte{nil}))
		require.False(t, f.Delete(nil))
		require.Zero(t, f.DeleteAll([][]byte{nil}))
		require.EqualValues(t, 8, f.Count(nil))
		require.Zero(t, f.Len())
		require.Equal(t, 1.0, f.FalsePositiveRate())
		require.Equal(t, 1.0, f.FillRatio())
		require.True(t, f.Equal(f.Clone()))
		require.NoError(t, f.Merge(f.Clone()))
		require.Zero(t, f.SizeBytes())
		require.Zero(t, f.Params().Capacity())
		require.True(t, math.IsNaN(f.Params().RateAt(1)))
		_, err = f.MarshalBinary()
		require.ErrorIs(t, err, ErrParams)
		f.Reset()
	}
}

// Deleting what was never added removes another key's fingerprint where it is
// found, and changes nothing where it is not.
func TestDeletingAnAbsentKeyChangesNothing(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		fillUp(t, f)
		before, absent := f.Clone(), 0
		for key := uint64(1 << 41); absent < 1000; key++ {
			if d := p.Family.SumUint64(key); !f.ContainsDigest(d) {
				require.False(t, f.DeleteDigest(d))
				absent++
			}
		}
		require.True(t, f.Equal(before))
	}
}

// Above 2^32 bits every bucket still counts: a 32-bit index would confine the
// keys to the first 512 MiB.
func TestTablesAboveFourGigabitsUseAllTheirBuckets(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	for _, p := range []Params{
		{Buckets: 5 << 30 / (4 * 32), FingerprintBits: 32},
		{Buckets: 5 << 30 / (4 * 8), FingerprintBits: 9, Compact: true},
	} {
		f := mustNew(t, p)
		for key := range uint64(100_000) {
			require.NoError(t, f.AddDigest(p.Family.SumUint64(key)))
		}
		above := uint64(0)
		for _, b := range f.table.bytes[1<<29:] {
			if b != 0 {
				above++
			}
		}
		// A fifth of the keys, in at least one byte each: 20,000 with a
		// standard deviation of 126.
		require.Greater(t, above, uint64(20_000-6*126))
		for key := range uint64(100_000) {
			require.True(t, f.DeleteDigest(p.Family.SumUint64(key)))
		}
	}
}
