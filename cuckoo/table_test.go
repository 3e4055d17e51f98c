package cuckoo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainTable is the table as one would write it down: the fingerprints of each
// bucket in a list.
type plainTable [][slots]uint64

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

func eachKind(t *testing.T, check func(*testing.T, Params)) {
	for f := minBits; f <= maxBits; f++ {
		if testing.Short() && f%3 != 1 && f > 8 {
			continue
		}
		for _, sorted := range []bool{false, true} {
			p := Params{Buckets: 10, FingerprintBits: f, Compact: sorted}
			t.Run(mustNew(t, p).String(), func(t *testing.T) { check(t, p) })
		}
	}
}

// In every width, plain and compact, what is done to one bucket is what is
// done to a list, and the other buckets stay as they are.
func TestAPackedTableIsAListOfBuckets(t *testing.T) {
	eachKind(t, func(t *testing.T, p Params) {
		rapid.Check(t, func(t *rapid.T) {
			packed, plain := mustNew(t, p).table, make(plainTable, p.Buckets)
			value := rapid.OneOf(
				rapid.Uint64Range(0, packed.mask),
				rapid.Uint64Range(packed.mask-2, packed.mask),
				rapid.Uint64Range(0, 2),
				rapid.Map(rapid.IntRange(0, p.FingerprintBits-1), func(b int) uint64 { return 1 << b }),
			)
			for range 30 {
				i, fp := rapid.Uint64Range(0, p.Buckets-1).Draw(t, "i"), value.Draw(t, "fp")
				old := plain[rapid.Uint64Range(0, p.Buckets-1).Draw(t, "from")][0]
				if plain.exchange(i, old, fp) != packed.exchange(i, old, fp) {
					t.Fatalf("bucket %d, %d for %d", i, fp, old)
				}
				j := rapid.Uint64Range(0, p.Buckets-1).Draw(t, "j")
				if n := plain.copies(j, fp); n != packed.copies(j, fp) || n > 0 != packed.has(j, fp) ||
					n+plain.copies(i, fp) > 0 != packed.hasEither(i, j, fp) {
					t.Fatalf("bucket %d holds %v, %d asked for", j, plain[j], fp)
				}
			}
			for i := range plain {
				var got [slots]uint64
				for s := range got {
					got[s] = packed.get(uint64(i), s)
				}
				if p.Compact {
					require.True(t, slices.IsSorted(got[:]))
					require.True(t, packed.inOrder(uint64(i)))
					slices.Sort(plain[i][:])
				}
				require.Equal(t, plain[i], got)
			}
		})
	})
}

// A lane matches whatever its neighbors hold: no carry reaches it.
func TestOnlyTheLanesThatAgreeMatch(t *testing.T) {
	eachKind(t, func(t *testing.T, p Params) {
		if p.Compact {
			return
		}
		table := newTable(p, nil)
		lanes := slots
		if p.FingerprintBits > maxSingle {
			lanes /= 2
		}
		values := []uint64{0, 1, 2, table.mask, table.mask - 1, table.mask >> 1, table.mask>>1 + 1}
		for n := range 7 * 7 * 7 * 7 {
			var w, x [slots]uint64
			word := ^uint64(0) // what lies above the lanes does not count
			for s := range lanes {
				w[s], x[s] = values[n%7], 0
				n /= 7
				word &^= table.mask << (uint64(s) * table.width)
				word |= w[s] << (uint64(s) * table.width)
			}
			for _, fp := range values {
				want := uint64(0)
				for s := range lanes {
					if w[s] == fp {
						want |= 1 << (uint64(s+1)*table.width - 1)
					}
				}
				if got := table.matches(word, fp); got != want {
					t.Fatalf("%x in %x: %x, not %x", fp, word, got, want)
				}
			}
		}
	})
}

func TestPutEitherTakesTheEmptierBucket(t *testing.T) {
	eachKind(t, func(t *testing.T, p Params) {
		table := mustNew(t, p).table
		for range 2 * slots {
			a, b := table.copies(4, 0), table.copies(7, 0)
			require.True(t, table.putEither(4, 7, 3))
			if a >= b {
				a--
			} else {
				b--
			}
			require.Equal(t, a, table.copies(4, 0))
			require.Equal(t, b, table.copies(7, 0))
		}
		require.False(t, table.putEither(4, 7, 3))
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
