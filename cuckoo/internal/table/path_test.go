package table

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// kinds are tables of each way of storing buckets.
var kinds = []Shape{
	{Buckets: 250, Bits: 10}, {Buckets: 250, Bits: 16}, {Buckets: 250, Bits: 31},
	{Buckets: 250, Bits: 10, Sorted: true}, {Buckets: 250, Bits: 31, Sorted: true},
}

// addPlainly is add with one queue for all searches. It returns how far the
// search went, if it found room.
func (f *filter) addPlainly(d hashfam.Digest) (last int, ok bool) {
	i, j, fp := f.locate(d)
	if f.table.Put(i, j, fp) {
		return 0, true
	}
	queue := make([]uint64, min(far, patience*f.Buckets))
	queue[0], queue[1] = i, j
	if last = f.table.search(&f.partners, queue, 2); last == 0 {
		return 0, false
	}
	f.table.shift(queue, last, fp)
	return last, true
}

// A search that outgrows its queue continues in a longer one, and finds what a
// search in the longest one finds. If that finds nothing, the table is as it
// was.
func TestALongSearchContinuesAShortOne(t *testing.T) {
	for _, s := range kinds {
		beyondNear, beyondMiddle := 0, 0
		for _, s.Buckets = range []uint64{2, 4, 10, 250, 500} {
			f, plain := newFilter(s, 1), newFilter(s, 1)
			r, in := rand.New(rand.NewPCG(1, 2)), []hashfam.Digest{}
			for failed := 0; failed < 20; {
				d := hashfam.Digest(r.Uint64())
				last, ok := plain.addPlainly(d)
				require.Equal(t, ok, f.add(d), "%+v", s)
				require.True(t, f.equal(plain), "%+v", s)
				if last >= near {
					beyondNear++
				}
				if last >= middle {
					beyondMiddle++
				}
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
		require.Greater(t, beyondNear, 10, "%+v", s)
		require.Positive(t, beyondMiddle, "%+v", s)
	}
}

// A search of middle reach does not go on where one of far reach does.
func TestTheReachOfASearch(t *testing.T) {
	s, differ := kinds[0], 0
	for seed := range uint64(20) {
		f, r := newFilter(s, seed), rand.New(rand.NewPCG(3, seed))
		for failed := false; !failed; {
			i, j, fp := f.locate(hashfam.Digest(r.Uint64()))
			if f.table.Put(i, j, fp) {
				continue
			}
			queue := make([]uint64, middle)
			queue[0], queue[1] = i, j
			within := f.table.search(&f.partners, queue, 2) > 0
			c := f.table.Clone()
			require.Equal(t, within, c.Evict(&f.partners, i, j, fp, Middle))
			if failed = !f.table.Evict(&f.partners, i, j, fp, Far); !failed && !within {
				differ++
			}
		}
	}
	require.Positive(t, differ)
}

// The search says that there is no room only if there is none within its reach:
// it has gone through all buckets that are so many moves away that the queue
// has room for them, each as often as moves lead to it.
func TestMovesMakeRoomWhereTheyCan(t *testing.T) {
	for _, s := range []Shape{{Buckets: 8, Bits: 12}, {Buckets: 14, Bits: 12}, {Buckets: 16, Bits: 20, Sorted: true}} {
		for seed := range uint64(1000) {
			f, r := newFilter(s, seed), rand.New(rand.NewPCG(1, seed))
			d := hashfam.Digest(r.Uint64())
			for f.add(d) {
				d = hashfam.Digest(r.Uint64())
			}
			i, j, _ := f.locate(d)
			reached := map[uint64]bool{i: true, j: true}
			level, queue := uint64(2), uint64(2)
			for queue += level * Slots; queue <= min(far, patience*s.Buckets); queue += level * Slots {
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

// The first bucket with room is the first of which a slot is zero.
func TestFirstFree(t *testing.T) {
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
					require.True(t, tab.Exchange(i, i, 0, []uint64{1, tab.mask, 1 << (s.Bits - nibble), tab.mask - 1}[n]))
				}
			}
			require.Equal(t, want, tab.firstFree(&list), "%04b", free)
		}
	})
}

// The bits of a tail do not choose the partner.
func TestTailsDoNotMoveFingerprints(t *testing.T) {
	s := Shape{Buckets: 128, Bits: 16, Tail: 11}
	tab, p := New(s, make([]byte, s.Bytes())), of(s.Buckets, 1)
	p.Keep(32)
	for n := range uint64(Slots) {
		require.True(t, tab.Exchange(4, 4, 0, (n+1)<<11|n))
	}
	queue := []uint64{4, 4, 0, 0, 0, 0}
	require.Zero(t, tab.search(&p, queue[:5], 2), "a queue with room for three of four")
	require.Equal(t, 2, tab.search(&p, queue, 2))
	for n, other := range queue[2:] {
		require.Equal(t, p.Other(4, p.Hash(uint64(n+1))), other)
	}
}
