package table

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A plainTable is a model of a Table: a list of each bucket's fingerprints.
type plainTable [][Slots]uint64

func (t plainTable) exchange(i, old, fp uint64) bool {
	s := slices.Index(t[i][:], old)
	if s >= 0 {
		t[i][s] = fp
	}
	return s >= 0
}

func (t plainTable) copies(i, fp uint64) (n int) {
	for _, x := range t[i] {
		if x == fp {
			n++
		}
	}
	return n
}

// eachKind calls check with shapes of all widths, plain and sorted.
func eachKind(t *testing.T, check func(*testing.T, Shape)) {
	for f := sizing.MinFingerprintBits; f <= sizing.MaxFingerprintBits; f++ {
		if testing.Short() && f%3 != 1 && f > 8 {
			continue
		}
		for _, sorted := range []bool{false, true} {
			s := Shape{Buckets: 10, Bits: f, Sorted: sorted}
			t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) { check(t, s) })
		}
	}
}

// Changing a bucket has the same effect as changing a list, for all widths, and
// does not change other buckets.
func TestTableMatchesListOfBuckets(t *testing.T) {
	machine.Matters(t)
	eachKind(t, func(t *testing.T, p Shape) {
		rapid.Check(t, func(t *rapid.T) {
			packed, plain := newFilter(p, 0).table, make(plainTable, p.Buckets)
			value := rapid.OneOf(
				rapid.Uint64Range(0, packed.Mask),
				rapid.Uint64Range(packed.Mask-2, packed.Mask),
				rapid.Uint64Range(0, 2),
				rapid.Map(rapid.IntRange(0, p.Bits-1), func(b int) uint64 { return 1 << b }),
			)
			for range 30 {
				i, fp := rapid.Uint64Range(0, p.Buckets-1).Draw(t, "i"), value.Draw(t, "fp")
				old := plain[rapid.Uint64Range(0, p.Buckets-1).Draw(t, "from")][0]
				if plain.exchange(i, old, fp) != packed.Exchange(i, i, old, fp) {
					t.Fatalf("bucket %d, %d for %d", i, fp, old)
				}
				j := rapid.Uint64Range(0, p.Buckets-1).Draw(t, "j")
				if n := plain.copies(j, fp); n != packed.Zeros(packed.Lanes(j).Xor(packed.Spread(fp))).Count() || n+plain.copies(i, fp) != packed.Count(i, j, fp) ||
					n+plain.copies(i, fp) > 0 != packed.Has(i, j, fp) {
					t.Fatalf("bucket %d holds %v, %d asked for", j, plain[j], fp)
				}
			}
			require.NoError(t, packed.CheckOrder(p.Buckets))
			for i := range plain {
				got := packed.Fingerprints(uint64(i))
				if p.Sorted {
					require.True(t, slices.IsSorted(got[:]))
					slices.Sort(plain[i][:])
				}
				require.Equal(t, plain[i], got)
			}
		})
	})
}

// Neighbors and bits above the lanes do not change whether a lane matches.
func TestOnlyEqualLanesMatch(t *testing.T) {
	machine.Matters(t)
	eachKind(t, func(t *testing.T, s Shape) {
		tab := New(s, nil)
		values := []uint64{0, 1, 2, tab.Mask, tab.Mask - 1, tab.Mask >> 1, tab.Mask>>1 + 1}
		above := Lanes{^uint64(0), ^uint64(0)}
		above = above.AndNot(tab.tops).AndNot(tab.lows)
		for n := range 7 * 7 * 7 * 7 {
			v := [Slots]uint64{values[n%7], values[n/7%7], values[n/49%7], values[n/343]}
			lanes := tab.join(v)
			for _, fp := range values {
				var want Lanes
				for slot := range v {
					if v[slot] == fp {
						want = want.Xor(shifted(1, uint64(slot+1)*tab.width-1))
					}
				}
				got := tab.Zeros(lanes.Xor(above).Xor(tab.Spread(fp)))
				if got != want || tab.AnyZero(lanes.Xor(tab.Spread(fp)), tab.Ones) != (want != Lanes{}) ||
					tab.Narrow && tab.matches(lanes.Xor(above).Low, fp) != want.Low {
					t.Fatalf("%x in %x: %x, not %x", fp, v, got, want)
				}
			}
		}
	})
}

func TestPutUsesTheEmptierBucket(t *testing.T) {
	eachKind(t, func(t *testing.T, p Shape) {
		tab := newFilter(p, 0).table
		for range 2 * Slots {
			a, b := tab.Zeros(tab.Lanes(4)).Count(), tab.Zeros(tab.Lanes(7)).Count()
			require.True(t, tab.Put(4, 7, 3))
			if a >= b {
				a--
			} else {
				b--
			}
			require.Equal(t, a, tab.Zeros(tab.Lanes(4)).Count())
			require.Equal(t, b, tab.Zeros(tab.Lanes(7)).Count())
		}
		require.False(t, tab.Put(4, 7, 3))
	})
}

// Every sequence of four nibbles has its own number. CheckOrder accepts only
// these numbers and ascending fingerprints.
func TestSortedBucketsHaveNumberAndOrder(t *testing.T) {
	machine.Matters(t)
	s := Shape{Buckets: 2, Bits: 12, Sorted: true}
	check := func(number uint64, rests ...uint64) error {
		tab := New(s, make([]byte, s.Bytes()))
		for slot, rest := range rests {
			number |= rest << (codeBits + 8*slot)
		}
		tab.flip(0, number)
		return tab.CheckOrder(1)
	}
	seen := map[uint16]bool{}
	for number, packed := range nibbles[:codes] {
		a, b, c, d := uint64(packed&15), uint64(packed>>4&15), uint64(packed>>8&15), uint64(packed>>12)
		require.True(t, a <= b && b <= c && c <= d)
		require.EqualValues(t, number, codeOf(a, b, c, d))
		require.NoError(t, check(uint64(number), 1, 2, 2, 255))
		seen[packed] = true
	}
	require.Len(t, seen, codes)
	require.ErrorIs(t, check(codes, 1, 2, 3, 4), hashfam.ErrCorrupt)
	require.ErrorIs(t, check(codeMask, 1, 2, 3, 4), hashfam.ErrCorrupt)
	same := codeOf(5, 5, 5, 5)
	require.NoError(t, check(same, 4, 4, 4, 4))
	for _, rests := range [][]uint64{{5, 4, 4, 4}, {5, 5, 4, 4}, {5, 5, 5, 4}} {
		require.ErrorIs(t, check(same, rests...), hashfam.ErrCorrupt)
	}
}

// A window gets the same results as single calls. Adding keys does not change
// the table's last word.
func TestWindowsMatchSingleCalls(t *testing.T) {
	machine.Matters(t)
	eachKind(t, func(t *testing.T, s Shape) {
		f := newFilter(s, 1)
		var places []Place
		var want []bool
		for d := range hashfam.Digest(100) {
			if d%2 == 0 {
				f.add(d << 57)
			}
			i, j, fp := f.locate(d << 57)
			places = append(places, Place{i, j, fp})
		}
		for _, p := range places {
			want = append(want, f.table.Has(p.I, p.J, p.FP))
		}
		require.Equal(t, want, f.table.HasAll(nil, places))
		require.Equal(t, make([]byte, 8), f.table.Bytes[len(f.table.Bytes)-8:])
	})
}
