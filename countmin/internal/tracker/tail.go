package tracker

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A tail is a conservative count-min sketch of two rows for the keys that a
// tracker does not track. Its counters are narrow, because a key that counts
// much is tracked: they start at 4 bits, and double in width when a count no
// longer fits. Two rows, because the memory is better spent on width: a third
// gains nothing while the tail is sparse and costs accuracy once it is not.
//
// A shift is masked with 7 or 63 where it is known to be smaller: the compiler
// then leaves out the code for shifts that are too large.
type tail struct {
	words []uint64
	shift uint8 // a counter has 1<<shift bits: 2 to 6
}

const (
	tailRows     = 2
	tailShift    = 2 // 4 bits to begin with
	tailMaxShift = 6
)

func newTail(words int) tail { return tail{make([]uint64, words), tailShift} }

// cells returns how many counters there are, the same number in each row.
func (t *tail) cells() uint64 { return uint64(len(t.words)) << 6 >> (t.shift & 7) }

// limit returns the largest count that fits.
func (t *tail) limit() uint64 { return ^uint64(0) >> (64 - 1<<(t.shift&7)) }

// positions returns which counters of all are the key's.
func (t *tail) positions(d hashfam.Digest) (uint64, uint64) {
	p, w := d.Probe(), t.cells()/tailRows
	return p.In(w), w + p.Next().In(w)
}

// get returns counter i.
func (t *tail) get(i uint64) uint64 {
	per := (6 - t.shift) & 7
	return t.words[i>>per] >> (i & (1<<per - 1) << (t.shift & 7) & 63) & t.limit()
}

// max returns the largest counter.
func (t *tail) max() uint64 {
	most := uint64(0)
	for i := range t.cells() {
		most = max(most, t.get(i))
	}
	return most
}

// lift makes counter i at least to, which must fit.
func (t *tail) lift(i, to uint64) {
	per := (6 - t.shift) & 7
	w, up := &t.words[i>>per], i&(1<<per-1)<<(t.shift&7)&63
	if c := *w >> up & t.limit(); to > c {
		*w += (to - c) << up
	}
}

// count returns the least of the key's counters.
func (t *tail) count(d hashfam.Digest) uint64 {
	i, j := t.positions(d)
	return min(t.get(i), t.get(j))
}

// add counts the key n times more, unless it would then count more than most,
// which must fit. It returns what the key counted before, and whether it was
// added. It is count and raise in one, without a branch.
func (t *tail) add(d hashfam.Digest, n, most uint64) (before uint64, added bool) {
	i, j := t.positions(d)
	shift, limit := t.shift&7, t.limit()
	per := (6 - shift) & 7
	v, w := &t.words[i>>per], &t.words[j>>per] // of different rows, so not the same
	lane := uint64(1)<<per - 1
	a, b := i&lane<<shift&63, j&lane<<shift&63
	x, y := *v>>a&limit, *w>>b&limit
	before = min(x, y)
	if before > most || n > most-before {
		return before, false
	}
	*v += (max(x, before+n) - x) << a
	*w += (max(y, before+n) - y) << b
	return before, true
}

// raise makes the key's counters at least to, which must fit.
func (t *tail) raise(d hashfam.Digest, to uint64) {
	i, j := t.positions(d)
	t.lift(i, to)
	t.lift(j, to)
}

// widen doubles the width of the counters, and with it the memory.
func (t *tail) widen() {
	wide := tail{make([]uint64, 2*len(t.words)), t.shift + 1}
	wide.cover(t)
	*t = wide
}

// widenInPlace doubles the width of the counters in the same memory, so that
// half as many are left. Each takes the larger count of the two neighbors that
// it replaces: by the rule of conservative update that is enough, for it is no
// less than the count of any key of either. Positions keep their order under
// [hashfam.Reduce], so a key finds its counters where it looks for them.
func (t *tail) widenInPlace() {
	n, mask := 1<<t.shift, t.limit()
	for i, w := range t.words {
		wide := uint64(0)
		for up := 0; up < 64; up += 2 * n {
			wide |= max(w>>up&mask, w>>(up+n)&mask) << up
		}
		t.words[i] = wide
	}
	t.shift++
}

// halve leaves half the counters, as widenInPlace does, and half the memory. It
// allocates that half.
func (t *tail) halve() {
	half := tail{make([]uint64, len(t.words)/2), t.shift}
	for i := range half.cells() {
		half.lift(i, max(t.get(2*i), t.get(2*i+1)))
	}
	*t = half
}

// addTail adds every counter of o, which has the same shape. It reports false,
// and does nothing, if a sum does not fit; at 64 bits it stops at the largest
// number.
func (t *tail) addTail(o *tail) bool {
	for i := range t.cells() {
		if t.shift < tailMaxShift && t.get(i) > t.limit()-o.get(i) {
			return false
		}
	}
	for i, w := range o.words {
		t.words[i] = AddSat(t.words[i], w)
	}
	return true
}

// cover makes every counter at least that of o, which has as many.
func (t *tail) cover(o *tail) {
	for i := range t.cells() {
		t.lift(i, o.get(i))
	}
}

func (t *tail) clone() tail { return tail{slices.Clone(t.words), t.shift} }

// AddSat returns a+b, or the largest number if that does not fit.
func AddSat(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return ^uint64(0)
}
