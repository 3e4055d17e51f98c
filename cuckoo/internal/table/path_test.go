package table

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// kinds are tables that store buckets in each way.
var kinds = []Shape{
	{Buckets: 250, Bits: 10}, {Buckets: 250, Bits: 16}, {Buckets: 250, Bits: 31},
	{Buckets: 250, Bits: 10, Sorted: true}, {Buckets: 250, Bits: 31, Sorted: true},
}

// moveWithin is like add for buckets that are full, with a single queue of this
// length. It returns the number of buckets it visited.
func (f *filter) moveWithin(length uint64, i, j, fp uint64) (visited int, ok bool) {
	queue := slices.Repeat([]uint64{f.Buckets}, int(length))
	queue[0], queue[1] = i, j
	ok = f.table.move(&f.partners, queue, 2, fp)
	if visited = slices.Index(queue, f.Buckets); visited < 0 {
		visited = len(queue)
	}
	return visited, ok
}

// A search that continues with a longer queue finds the same path as a search
// with the longest one, unless its reach is too short. If there is no path, the
// table does not change.
func TestLongSearchesContinueShortOnes(t *testing.T) {
	for _, s := range kinds {
		beyond := map[int]int{}
		for _, s.Buckets = range []uint64{2, 4, 10, 250, 500} {
			f, g := newFilter(s, 1), newFilter(s, 1)
			r, in := rand.New(rand.NewPCG(1, 2)), []hashfam.Digest{}
			for failed := 0; failed < 20; {
				d := hashfam.Digest(r.Uint64())
				i, j, fp := f.locate(d)
				ok := f.table.Put(i, j, fp)
				if ok {
					require.True(t, g.table.Put(i, j, fp))
				} else {
					short := f.table
					short.Bytes = slices.Clone(short.Bytes)
					found := short.Evict(&f.partners, i, j, fp, Middle)
					ok = f.table.Evict(&f.partners, i, j, fp, Far)
					visited, want := g.moveWithin(min(Far, patience*s.Buckets), i, j, fp)
					require.Equal(t, want, ok)
					require.Equal(t, want && visited <= Middle, found)
					for _, reach := range []int{near, Middle} {
						if ok && visited > reach {
							beyond[reach]++
						}
					}
				}
				require.True(t, f.equal(g), "%+v", s)
				if ok {
					in = append(in, d)
				} else {
					failed++
				}
			}
			for _, d := range in {
				require.True(t, f.has(d), "%+v lost a key", s)
			}
			require.EqualValues(t, f.slots()-uint64(len(in)), f.table.Free(s.Buckets))
		}
		require.Greater(t, beyond[near], 10, "%+v", s)
		require.Positive(t, beyond[Middle], "%+v", s)
	}
}

// A search fails only if no bucket within its reach has a free slot.
func TestMovesFindFreeSlotsWithinReach(t *testing.T) {
	for _, s := range []Shape{{Buckets: 8, Bits: 12}, {Buckets: 14, Bits: 12}, {Buckets: 16, Bits: 20, Sorted: true}} {
		for seed := range uint64(300) {
			f, r := newFilter(s, seed), rand.New(rand.NewPCG(1, seed))
			d := hashfam.Digest(r.Uint64())
			for f.add(d) {
				d = hashfam.Digest(r.Uint64())
			}
			i, j, _ := f.locate(d)
			reached := map[uint64]bool{i: true, j: true}
			level, queue := uint64(2), uint64(2)
			for queue += level * Slots; queue <= min(Far, patience*s.Buckets); queue += level * Slots {
				level *= Slots
				for b := range maps.Clone(reached) {
					for _, fp := range f.table.Fingerprints(b) {
						reached[f.partners.Other(b, f.partners.Hash(fp))] = true
					}
				}
			}
			for b := range reached {
				if f.table.Zeros(f.table.Lanes(b)).Count() > 0 {
					t.Fatalf("%+v, seed %d: bucket %d has room", s, seed, b)
				}
			}
		}
	}
}

func TestFirstBucketWithFreeSlotIsFound(t *testing.T) {
	machine.Matters(t)
	eachKind(t, func(t *testing.T, s Shape) {
		for free := range 1 << Slots {
			tab, want := newFilter(s, 0).table, Slots
			list := [Slots]uint64{7, 2, 9, 0}
			for k, i := range list {
				taken := Slots
				if free>>k&1 != 0 {
					taken, want = (free+k)%Slots, min(want, k)
				}
				for n := range taken {
					require.True(t, tab.Exchange(i, i, 0, []uint64{1, tab.Mask, 1 << (s.Bits - nibble), tab.Mask - 1}[n]))
				}
			}
			require.Equal(t, want, tab.firstFree(&list), "%04b", free)
		}
	})
}

func TestTailBitsDoNotSelectBuckets(t *testing.T) {
	s := Shape{Buckets: 128, Bits: 16, Tail: 11}
	tab, p := New(s, make([]byte, s.Bytes())), of(s.Buckets, 1)
	p.Keep(32)
	for n := range uint64(Slots) {
		require.True(t, tab.Exchange(4, 4, 0, (n+1)<<11|n))
	}
	queue := []uint64{4, 4, 0, 0, 0, 0}
	require.False(t, tab.move(&p, queue[:5], 2, 9<<11), "a queue for three of four buckets")
	require.True(t, tab.move(&p, queue, 2, 9<<11))
	for n, other := range queue[2:] {
		require.Equal(t, p.Other(4, p.Hash(uint64(n+1))), other)
	}
}
