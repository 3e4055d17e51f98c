package tracker

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// The model of a tail is a map. Through additions, and changes of width and
// size, no key is counted below the truth, and the two ways of adding agree.
func TestATailBesideAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newTail(2 * rapid.IntRange(1, 8).Draw(t, "pairs of words"))
		truth := map[hashfam.Digest]uint64{}
		digest := rapid.Custom(func(t *rapid.T) hashfam.Digest {
			return hashfam.Family{}.SumUint64(rapid.Uint64Range(0, 60).Draw(t, "key"))
		})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				d, n := digest.Draw(t, "d"), rapid.Uint64Range(1, 300).Draw(t, "n")
				most := rapid.Uint64Range(0, l.limit()).Draw(t, "most")
				other, was := l.clone(), l.count(d)
				before, added := l.add(d, n, most)
				require.Equal(t, was, before)
				require.Equal(t, was <= most && n <= most-was, added)
				if !added {
					require.Equal(t, other, l)
					return
				}
				other.raise(d, was+n)
				require.Equal(t, other, l)
				truth[d] = AddSat(truth[d], n)
			},
			"widen in place": func(t *rapid.T) {
				if l.shift < tailMaxShift && l.cells() >= 8 {
					cells := l.cells()
					l.widenInPlace()
					require.Equal(t, cells/2, l.cells())
				}
			},
			"halve": func(t *rapid.T) {
				if len(l.words)%4 == 0 {
					l.halve()
				}
			},
			"widen": func(t *rapid.T) {
				if l.shift == tailMaxShift {
					return
				}
				before := l.clone()
				l.widen()
				require.Equal(t, before.cells(), l.cells())
				for i := range l.cells() {
					require.Equal(t, before.get(i), l.get(i))
				}
			},
			"add a tail": func(t *rapid.T) {
				other := tail{make([]uint64, len(l.words)), l.shift}
				d := digest.Draw(t, "d")
				n := rapid.Uint64Range(0, l.limit()).Draw(t, "n")
				other.raise(d, n)
				before, fits := l.clone(), true
				for i := range l.cells() {
					fits = fits && (l.shift == tailMaxShift || l.get(i) <= l.limit()-other.get(i))
				}
				require.Equal(t, fits, l.addTail(&other))
				if !fits {
					require.Equal(t, before, l)
					return
				}
				truth[d] = AddSat(truth[d], n)
				for i := range l.cells() {
					require.Equal(t, AddSat(before.get(i), other.get(i)), l.get(i))
				}
			},
			"": func(t *rapid.T) {
				for d, n := range truth {
					require.GreaterOrEqual(t, l.count(d), n)
				}
			},
		})
	})
}

// Widening in place must not lose what halving does not: both take the larger
// of the same two neighbors.
func TestWideningInPlaceTakesTheLargerNeighbor(t *testing.T) {
	l := newTail(8)
	for i := range l.cells() {
		l.lift(i, i*7%16)
	}
	for l.shift < 5 {
		before := l.clone()
		l.widenInPlace()
		for i := range l.cells() {
			require.Equal(t, max(before.get(2*i), before.get(2*i+1)), l.get(i))
		}
	}
}

// An addition up to most, and no further; 0 is always added to a count of most.
func TestATailAddsUpToALimit(t *testing.T) {
	d := hashfam.Family{}.SumString("key")
	for _, c := range []struct {
		before, n, most uint64
		added           bool
	}{
		{0, 5, 5, true},
		{0, 6, 5, false},
		{5, 0, 5, true},
		{5, 1, 5, false},
		{6, 0, 5, false},
		{3, 12, 15, true},
		{3, 13, 15, false},
		{3, math.MaxUint64, 15, false},
	} {
		l := newTail(2)
		l.raise(d, c.before)
		before, added := l.add(d, c.n, c.most)
		require.Equal(t, c.before, before, "%+v", c)
		require.Equal(t, c.added, added, "%+v", c)
		if added {
			require.Equal(t, c.before+c.n, l.count(d), "%+v", c)
		} else {
			require.Equal(t, c.before, l.count(d), "%+v", c)
		}
	}
}
