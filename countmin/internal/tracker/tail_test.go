package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/saturating"
)

// The model of a tail is a map. No count is below the truth after additions and
// changes of width and size, and the two ways of adding agree.
func TestTailMatchesAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tail{make([]uint64, 2*rapid.IntRange(1, 8).Draw(t, "pairs of words")), tailShift}
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
				truth[d] = saturating.Add(truth[d], n)
			},
			"widen in place": func(t *rapid.T) {
				if l.shift < tailMaxShift && l.cells() >= 8 {
					pairUp(t, &l, func() { l.pair(l.shift + 1) })
				}
			},
			"halve": func(t *rapid.T) {
				if len(l.words)%4 == 0 {
					pairUp(t, &l, l.halve)
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
				truth[d] = saturating.Add(truth[d], n)
				for i := range l.cells() {
					require.Equal(t, saturating.Add(before.get(i), other.get(i)), l.get(i))
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

// pairUp checks that a change halves the number of counters, and that each is
// the maximum of two neighbors.
func pairUp(t require.TestingT, l *tail, change func()) {
	before := l.clone()
	change()
	require.Equal(t, before.cells()/2, l.cells())
	for i := range l.cells() {
		require.Equal(t, max(before.get(2*i), before.get(2*i+1)), l.get(i))
	}
}
