package table

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// plainTable is the table as one would write it down: the fingerprints of each
// bucket in a list.
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

// In every width, plain and compact, what is done to one bucket is what is done
// to a list, and the other buckets stay as they are.
func TestAPackedTableIsAListOfBuckets(t *testing.T) {
	eachKind(t, func(t *testing.T, p Shape) {
		rapid.Check(t, func(t *rapid.T) {
			packed, plain := newFilter(p, 0).table, make(plainTable, p.Buckets)
			value := rapid.OneOf(
				rapid.Uint64Range(0, packed.mask),
				rapid.Uint64Range(packed.mask-2, packed.mask),
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

// A lane matches whatever its neighbors hold: no carry reaches it. Bits above
// the lanes do not count.
func TestOnlyTheLanesThatAgreeMatch(t *testing.T) {
	eachKind(t, func(t *testing.T, s Shape) {
		tab := New(s, nil)
		values := []uint64{0, 1, 2, tab.mask, tab.mask - 1, tab.mask >> 1, tab.mask>>1 + 1}
		above := Lanes{^uint64(0), ^uint64(0)}
		above = above.AndNot(tab.tops).AndNot(tab.rests)
		for n := range 7 * 7 * 7 * 7 {
			v := [Slots]uint64{values[n%7], values[n/7%7], values[n/49%7], values[n/343]}
			lanes := tab.join(v[0], v[1], v[2], v[3])
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

func TestPutTakesTheEmptierBucket(t *testing.T) {
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

func TestEverySequenceOfNibblesHasItsNumber(t *testing.T) {
	seen := map[uint16]bool{}
	for number, packed := range nibbles[:codes] {
		a, b, c, d := packed&15, packed>>4&15, packed>>8&15, packed>>12
		require.LessOrEqual(t, a, b)
		require.LessOrEqual(t, b, c)
		require.LessOrEqual(t, c, d)
		require.EqualValues(t, number, codeOf(uint64(a), uint64(b), uint64(c), uint64(d)))
		seen[packed] = true
	}
	require.Len(t, seen, codes)
}

// The lookup of a window, for processors without wide vectors too, gives the
// answers of single calls.
func TestAnswersOfAWindowAreTheSingleOnes(t *testing.T) {
	eachKind(t, func(t *testing.T, s Shape) {
		f := newFilter(s, 1)
		var places []Place
		var want []bool
		for d := range hashfam.Digest(16) {
			if d < 8 {
				require.True(t, f.add(d<<50))
			}
			i, j, fp := f.locate(d << 50)
			places = append(places, Place{i, j, fp})
		}
		for _, p := range places {
			want = append(want, f.table.Has(p.I, p.J, p.FP))
		}
		require.Equal(t, want, f.table.HasAll(nil, places))
	})
}

// Buckets are changed only within the memory of the table, of which the last
// word stays zero.
func TestTheLastWordStaysZero(t *testing.T) {
	eachKind(t, func(t *testing.T, s Shape) {
		f := newFilter(s, 1)
		for d := range hashfam.Digest(100) {
			f.add(d << 57)
		}
		require.Equal(t, make([]byte, 8), f.table.bytes[len(f.table.bytes)-8:])
	})
}
