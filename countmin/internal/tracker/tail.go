package tracker

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A tail is a conservative count-min sketch with two rows for the keys that a
// tracker does not track. Since keys with high counts are tracked, its counters
// are narrow: they have 4 bits at first, and double in width when a count no
// longer fits. A third row would be useless while the tail is sparse, and would
// reduce the accuracy later, when wider rows are a better use of the memory.
// While all counters are zero, which is often the case until the first sweep,
// they have no memory.
//
// Shifts are masked with 7 or 63 where they are known to be smaller, so that
// the compiler omits the code for larger ones.
type tail struct {
	words []uint64 // nil while all counters are zero
	size  uint32   // number of words, whether or not they are allocated
	shift uint8    // a counter has 1<<shift bits; from 2 to 6
}

const (
	tailRows     = 2
	tailShift    = 2 // 4 bits at first
	tailMaxShift = 6
)

// newTail returns a tail with the given number of words, all of which are zero.
func newTail(words uint64, shift uint8) tail { return tail{size: uint32(words), shift: shift} }

// allocate allocates the tail's memory if it has none yet.
func (t *tail) allocate() {
	if t.words == nil {
		t.words = make([]uint64, t.size)
	}
}

// cells returns the number of counters in the given number of words.
func (t *tail) cells(words uint64) uint64 { return words << 6 >> (t.shift & 7) }

// limit returns the largest count that fits in a counter.
func (t *tail) limit() uint64 { return ^uint64(0) >> (64 - 1<<(t.shift&7)) }

// positions returns the indexes of the key's two counters.
func (t *tail) positions(d hashfam.Digest) (uint64, uint64) {
	p := d.Probe()
	w := t.cells(uint64(t.size)) / tailRows
	return p.In(w), w + p.Next().In(w)
}

// get returns counter i.
func (t *tail) get(i uint64) uint64 {
	per := (6 - t.shift) & 7
	return t.words[i>>per] >> (i & (1<<per - 1) << (t.shift & 7) & 63) & t.limit()
}

// lift raises counter i to the given count, which must fit, if it is lower.
func (t *tail) lift(i, to uint64) {
	per := (6 - t.shift) & 7
	w := &t.words[i>>per]
	up := i & (1<<per - 1) << (t.shift & 7) & 63
	if c := *w >> up & t.limit(); to > c {
		*w += (to - c) << up
	}
}

// count returns the minimum of the key's counters.
func (t *tail) count(d hashfam.Digest) uint64 {
	if t.words == nil {
		return 0
	}
	i, j := t.positions(d)
	return min(t.get(i), t.get(j))
}

// add counts the key n times, unless its count would then exceed most, which
// must fit in a counter. It combines count and raise without a branch, and
// returns the previous count and whether the key was counted.
func (t *tail) add(d hashfam.Digest, n, most uint64) (before uint64, added bool) {
	if t.words == nil {
		if n > most {
			return 0, false
		}
		t.allocate()
	}
	i, j := t.positions(d)
	shift := t.shift & 7
	limit := t.limit()
	per := (6 - shift) & 7
	v, w := &t.words[i>>per], &t.words[j>>per] // in different rows, so not the same
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

// raise raises the key's counters to the given count, which must fit, if they
// are lower.
func (t *tail) raise(d hashfam.Digest, to uint64) {
	t.allocate()
	i, j := t.positions(d)
	t.lift(i, to)
	t.lift(j, to)
}

// reshape gives the tail another number of words and width, so that it has as
// many counters as before, or half as many. Each is then the maximum of the two
// neighbors that it replaces. With conservative update this is enough, since a
// counter need not exceed the highest count of its keys. [hashfam.Reduce]
// preserves the order of positions, so keys find their counters at the new
// positions.
func (t *tail) reshape(words uint64, shift uint8) {
	n := newTail(words, shift)
	if t.words != nil {
		n.allocate()
		cells := t.cells(uint64(t.size))
		pair := cells / n.cells(words) / 2 // 1 if there are half as many, otherwise 0
		for i := range cells {
			n.lift(i>>pair, t.get(i))
		}
	}
	*t = n
}

// addTail adds the counters of o, which must have the same shape. If a sum does
// not fit, it returns false without changing t. Counters of 64 bits saturate
// instead.
func (t *tail) addTail(o *tail) bool {
	if o.words == nil {
		return true
	}
	t.allocate()
	for i := range t.cells(uint64(t.size)) {
		if t.shift < tailMaxShift && t.get(i) > t.limit()-o.get(i) {
			return false
		}
	}
	for i, w := range o.words {
		t.words[i] = sizing.SaturatingAdd(t.words[i], w)
	}
	return true
}

// cover raises every counter to the corresponding counter of o, which must have
// the same shape, if it is lower.
func (t *tail) cover(o *tail) {
	if o.words == nil {
		return
	}
	t.allocate()
	for i := range t.cells(uint64(t.size)) {
		t.lift(i, o.get(i))
	}
}

func (t *tail) clone() tail { return tail{slices.Clone(t.words), t.size, t.shift} }

// equal reports whether t and o have the same shape and equal counters.
func (t *tail) equal(o *tail) bool {
	return t.size == o.size && t.shift == o.shift && slices.Equal(t.words, o.words)
}
