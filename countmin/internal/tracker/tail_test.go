package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

// The model of a tail is a map. No count is below the truth after additions and
// changes of width and size, and the two ways of adding agree.
func TestTailMatchesAMap(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		l := newTail(2*rapid.Uint64Range(1, 8).Draw(t, "pairs of words"), tailShift)
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
				truth[d] = sizing.SaturatingAdd(truth[d], n)
			},
			"widen in place": func(t *rapid.T) {
				if l.shift == tailMaxShift || l.cells(uint64(l.size)) < 8 {
					return
				}
				before := counters(&l)
				l.widen(false)
				after := counters(&l)
				require.Len(t, after, len(before)/2)
				for i, count := range after {
					require.Equal(t, max(before[2*i], before[2*i+1]), count)
				}
			},
			"widen": func(t *rapid.T) {
				if l.shift == tailMaxShift {
					return
				}
				before := counters(&l)
				l.widen(true)
				require.Equal(t, before, counters(&l))
			},
			"add a tail": func(t *rapid.T) {
				other := newTail(uint64(l.size), l.shift)
				d := digest.Draw(t, "d")
				n := rapid.Uint64Range(0, l.limit()).Draw(t, "n")
				other.raise(d, n)
				before, mine, theirs, fits := l.clone(), counters(&l), counters(&other), true
				for i := range mine {
					fits = fits && (l.shift == tailMaxShift || mine[i] <= l.limit()-theirs[i])
				}
				require.Equal(t, fits, l.addTail(&other))
				if !fits {
					require.Equal(t, before, l)
					return
				}
				truth[d] = sizing.SaturatingAdd(truth[d], n)
				for i, sum := range counters(&l) {
					require.Equal(t, sizing.SaturatingAdd(mine[i], theirs[i]), sum)
				}
			},
			"add nothing": func(t *rapid.T) {
				before, other := l.clone(), newTail(uint64(l.size), l.shift)
				require.True(t, l.addTail(&other))
				l.cover(&other)
				require.Equal(t, before, l)
			},
			"": func(t *rapid.T) {
				for d, n := range truth {
					require.GreaterOrEqual(t, l.count(d), n)
				}
				other := l.clone()
				require.True(t, l.equal(&other))
				other.raise(hashfam.Digest(1), min(l.count(1)+1, l.limit()))
				require.Equal(t, l.count(1) == other.count(1), l.equal(&other))
			},
		})
	})
}

// counters returns all counters of a tail, whether or not they are allocated.
func counters(l *tail) []uint64 {
	all := make([]uint64, l.cells(uint64(l.size)))
	for i := range all {
		if l.words != nil {
			all[i] = l.get(uint64(i))
		}
	}
	return all
}
