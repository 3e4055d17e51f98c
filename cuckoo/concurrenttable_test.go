package cuckoo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Called by one goroutine until nothing more fits, a Concurrent puts every
// fingerprint where a Filter does, also after the longest searches, and returns
// the same errors.
func TestAConcurrentFillsUpAsAFilterDoes(t *testing.T) {
	for _, p := range kinds {
		for _, p.Buckets = range []uint64{2, 34, 500} {
			f, c := mustNew(t, p), mustConcurrent(t, p)
			for key, refused := uint64(0), 0; refused < 5; key++ {
				d := p.Family.SumUint64(key)
				want := f.AddDigest(d)
				require.Equal(t, want, c.AddDigest(d), "%v, key %d", f, key)
				if want != nil {
					refused++
					i, j, _ := f.locate(d)
					require.False(t, c.makeRoom(i, j), "there is no path")
				}
			}
			require.True(t, f.Equal(c.Snapshot()), "%v", f)
		}
	}
}

func TestANinthCopyIsRefusedByName(t *testing.T) {
	for _, p := range kinds {
		c := mustConcurrent(t, p)
		for range 2 * slots {
			require.NoError(t, c.AddDigest(77))
		}
		require.Equal(t, ErrCopies, c.AddDigest(77))
		require.EqualValues(t, 8, c.Len())
	}
}

// A queue of six buckets has room for the two of the key and for those that the
// four fingerprints of the first can move to. All six are used.
func TestTheShortestSearchLooksAtFourBuckets(t *testing.T) {
	for _, p := range kinds {
		c := mustConcurrent(t, p)
		for fp := range uint64(slots) {
			require.True(t, c.change(4, 0, fp+1))
		}
		require.Equal(t, -1, c.search([]uint64{4, 7, 0, 0, 0}))
		queue := []uint64{4, 7, 0, 0, 0, 0}
		require.Equal(t, 2, c.search(queue))
		a, b := c.table.lanes(4)
		for s, other := range queue[2:] {
			require.Equal(t, c.moves.other(4, c.moves.hash(c.table.lane(a, b, s))), other)
		}
	}
}

// There are as many stripes as groups of 16 buckets, rounded up to a power of
// two, and at most 1,024.
func TestTheNumberOfStripes(t *testing.T) {
	for buckets, want := range map[uint64]int{
		2: 1, 16: 1, 18: 2, 32: 2, 34: 4, 64: 4, 66: 8, 8192: 512, 8194: 1024, 16384: 1024, 40_000: 1024,
	} {
		c := mustConcurrent(t, Params{Buckets: buckets, FingerprintBits: 12})
		require.Len(t, c.stripes, want, "%d buckets", buckets)
		require.Len(t, c.versions, want, "%d buckets", buckets)
	}
}

// The 16 buckets of a group share words, so they have one lock, and the version
// of the same number. Other groups have others, while there are enough.
func TestABucketHasOneStripe(t *testing.T) {
	c := mustConcurrent(t, Params{Buckets: 2000, FingerprintBits: 12})
	for i := range c.params.Buckets {
		n := i / 16
		require.Same(t, &c.stripes[n], c.at(i), "bucket %d", i)
		require.Same(t, &c.versions[n], c.version(i), "bucket %d", i)
		j := (i + 160) % c.params.Buckets
		for _, pair := range [][2]uint64{{i, j}, {j, i}} {
			first, second := c.lock(pair[0], pair[1])
			unlock(first, second)
			require.Same(t, &c.stripes[min(n, j/16)], first, "bucket %d", i)
			require.Same(t, &c.stripes[max(n, j/16)], second, "bucket %d", i)
		}
		first, second := c.lock(i, i^1)
		unlock(first, second)
		require.Same(t, c.at(i), first, "bucket %d", i)
		require.Nil(t, second, "bucket %d", i)
	}
}

// Readers look again if a compact bucket was rewritten, so its version goes on
// by two. A plain bucket changes at once, and its version stays.
func TestTheVersionOfABucketThatChanges(t *testing.T) {
	for _, p := range kinds {
		c := mustConcurrent(t, p)
		require.True(t, c.change(100, 0, 3))
		want := uint32(0)
		if p.Compact {
			want = 2
		}
		require.Equal(t, want, c.version(100).Load(), "%v", p)
		for n := range c.versions {
			if v := &c.versions[n]; v != c.version(100) {
				require.Zero(t, v.Load(), "%v", p)
			}
		}
	}
}

// A change of a bucket reads and writes no word of the next group, which has
// another lock: here there is none.
func TestAChangeStaysInItsGroup(t *testing.T) {
	for _, p := range kinds {
		for i := range uint64(together) {
			t.Run(mustNew(t, p).String(), func(t *testing.T) {
				table := newShared(p)
				table.words = slices.Clip(table.words[:together*table.stride/64])
				require.True(t, table.exchangeCopy(i, 0, 5))
				require.False(t, table.exchangeCopy(i, 6, 0))
				require.True(t, table.exchangeCopy(i, 5, 0))
			})
		}
	}
}

// Logs of a Concurrent are those of its snapshot.
func TestAConcurrentLogsWhatAFilterLogs(t *testing.T) {
	c := mustConcurrent(t, kinds[0])
	require.NoError(t, c.AddString("a"))
	require.Equal(t, c.Snapshot().LogValue().Group(), c.LogValue().Group())
}

// Of several copies in a bucket the one in the lowest slot goes first. So they
// move upwards only, as a reader does: it meets one that stays.
func TestTheLowestCopyGoesFirst(t *testing.T) {
	for _, p := range kinds {
		if p.Compact {
			continue // a reader looks again
		}
		c := mustConcurrent(t, p)
		for _, fp := range []uint64{5, 6, 5, 5} {
			require.True(t, c.change(100, 0, fp))
		}
		for _, want := range [][slots]uint64{{0, 6, 5, 5}, {0, 6, 0, 5}, {0, 6, 0, 0}} {
			require.True(t, c.change(100, 5, 0))
			var got [slots]uint64
			a, b := c.table.lanes(100)
			for s := range got {
				got[s] = c.table.lane(a, b, s)
			}
			require.Equal(t, want, got, "%v", p)
		}
	}
}
