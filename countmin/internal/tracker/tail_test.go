package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

// The model of a tail is a map. No count is below the truth after additions,
// changes of the shape, and merges, and the two ways of adding agree.
func TestTailMatchesAMap(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		size := 2 * rapid.Uint32Range(1, 8).Draw(t, "pairs of words")
		empty := tail{size: size, shift: tailShift, grows: rapid.Bool().Draw(t, "grows")}
		l := empty
		truth := map[hashfam.Digest]uint64{}
		digest := rapid.Custom(func(t *rapid.T) hashfam.Digest {
			return hashfam.Family{}.SumUint64(rapid.Uint64Range(0, 60).Draw(t, "key"))
		})
		count := rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64().Draw(t, "count") >> rapid.SampledFrom([]int{62, 60, 58, 50, 40, 1, 0}).Draw(t, "shift")
		})
		other := func(t *rapid.T) (tail, map[hashfam.Digest]uint64) {
			o, counts := empty, map[hashfam.Digest]uint64{}
			for range rapid.IntRange(0, 5).Draw(t, "keys") {
				d := digest.Draw(t, "d")
				counts[d] = count.Draw(t, "n")
				o.raise(d, counts[d])
				counts[d] = o.count(d)
			}
			if o.size%4 == 0 && !o.grows && rapid.Bool().Draw(t, "halve") {
				o.halve()
			}
			return o, counts
		}
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
			"raise": func(t *rapid.T) {
				d, n := digest.Draw(t, "d"), count.Draw(t, "n")
				l.raise(d, n)
				require.GreaterOrEqual(t, l.count(d), n)
			},
			"widen": func(t *rapid.T) {
				if l.shift == tailMaxShift {
					return
				}
				before, size := counters(&l), l.size
				l.widen()
				if l.grows {
					require.Equal(t, before, counters(&l))
					require.Equal(t, 2*size, l.size)
					return
				}
				require.Equal(t, pairs(before), counters(&l))
				require.Equal(t, size, l.size)
			},
			"halve": func(t *rapid.T) {
				if l.size%4 != 0 || l.grows {
					return
				}
				before, size := counters(&l), l.size
				l.halve()
				require.Equal(t, pairs(before), counters(&l))
				require.Equal(t, size/2, l.size)
			},
			"add a tail": func(t *rapid.T) {
				o, counts := other(t)
				was := o.clone()
				want := sums(l.clone(), o.clone())
				l.addTail(o)
				require.Equal(t, want, counters(&l))
				if l.grows { // no counter is shared that was not shared before
					require.Len(t, want, int(empty.cells()))
				}
				require.True(t, was.equal(&o), "the other tail does not change")
				for d, n := range counts {
					truth[d] = sizing.SaturatingAdd(truth[d], n)
				}
			},
			"cover": func(t *rapid.T) {
				o, counts := other(t)
				a, b := l.clone(), o.clone()
				a.match(&b)
				l.cover(o)
				if l.grows { // no counter is shared that was not shared before
					require.Len(t, counters(&l), int(empty.cells()))
				}
				for i, n := range counters(&l) {
					require.Equal(t, max(counters(&a)[i], counters(&b)[i]), n)
				}
				for d, n := range counts {
					truth[d] = max(truth[d], n)
				}
			},
			"": func(t *rapid.T) {
				for d, n := range truth {
					require.GreaterOrEqual(t, l.count(d), n)
				}
				c := l.clone()
				require.True(t, l.equal(&c))
				n := c.count(1)
				c.raise(1, sizing.SaturatingAdd(n, 1))
				require.Equal(t, n == c.count(1), l.equal(&c))
			},
		})
	})
}

// counters returns all counters of a tail, whether or not they are allocated.
func counters(l *tail) []uint64 {
	all := make([]uint64, l.cells())
	for i := range all {
		if l.words != nil {
			all[i] = l.get(uint64(i))
		}
	}
	return all
}

// pairs returns the maximum of each pair.
func pairs(counters []uint64) (all []uint64) {
	for i := 0; i < len(counters); i += 2 {
		all = append(all, max(counters[i], counters[i+1]))
	}
	return all
}

// sums returns the sums of the counters after both tails have been widened until
// the sums fit.
func sums(l, o tail) (all []uint64) {
	l.match(&o)
	for i := 0; i < len(counters(&l)); i++ {
		a, b := counters(&l)[i], counters(&o)[i]
		if l.shift < tailMaxShift && a+b > l.limit() {
			l.widen()
			o.widen()
			return sums(l, o)
		}
		all = append(all, sizing.SaturatingAdd(a, b))
	}
	return all
}
