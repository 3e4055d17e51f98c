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
// Until a record is evicted or refused, all counters are zero and have no
// memory.
//
// Shift counts are masked with 7 or 63. This does not change them, but it
// allows the compiler to omit the code for shifts of 64 or more.
type tail struct {
	words []uint64 // nil while all counters are zero
	size  uint32   // number of words, whether or not they are allocated
	shift uint8    // a counter has 1<<shift bits; from 2 to 6
	grows bool     // whether wider counters get more memory
}

const (
	tailRows     = 2
	tailShift    = 2 // 4 bits at first
	tailMaxShift = 6
)

// newTail returns a tail of zeros with the size that g determines.
func newTail(g Goal) tail {
	return tail{size: uint32(g.tailWords()), shift: tailShift, grows: g.grows()}
}

// allocate allocates the tail's memory if it has none yet.
func (t *tail) allocate() {
	if t.words == nil {
		t.words = make([]uint64, t.size)
	}
}

// cells returns the number of counters in both rows.
func (t *tail) cells() uint64 { return uint64(t.size) << 6 >> (t.shift & 7) }

// limit returns the largest count that fits in a counter.
func (t *tail) limit() uint64 { return ^uint64(0) >> (64 - 1<<(t.shift&7)) }

// positions returns the indexes of the key's two counters.
func (t *tail) positions(d hashfam.Digest) (uint64, uint64) {
	p := d.Probe()
	w := t.cells() / tailRows
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
// must fit in a counter. It returns the previous count and whether the key was
// counted. It has the same effect as count and raise, but lifts counters
// without a branch.
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

// raise raises the key's counters to the given count if they are lower. They
// become wide enough for it.
func (t *tail) raise(d hashfam.Digest, to uint64) {
	for to > t.limit() {
		t.widen()
	}
	t.allocate()
	i, j := t.positions(d)
	t.lift(i, to)
	t.lift(j, to)
}

// widen doubles the width of the counters: in twice as much memory if the tail
// grows, otherwise in the same memory, with half as many counters.
func (t *tail) widen() {
	words := t.size
	if t.grows {
		words *= 2
	}
	t.reshape(words, t.shift+1)
}

// halve halves the number of counters, and the memory.
func (t *tail) halve() { t.reshape(t.size/2, t.shift) }

// reshape changes the number of words and the width of the counters. The tail
// must then have as many counters as before, or half as many. If it has half as
// many, each is the maximum of the two neighbors that it replaces. With
// conservative update this is enough, since a counter need not exceed the
// highest count of its keys. Keys find their counters at the new positions
// because [hashfam.Reduce](x, n/2) is half of Reduce(x, n).
func (t *tail) reshape(words uint32, shift uint8) {
	n := tail{size: words, shift: shift, grows: t.grows}
	if t.words != nil {
		n.allocate()
		pair := t.cells() / n.cells() / 2 // 1 if there are half as many, otherwise 0
		for i := range n.cells() {
			n.lift(i, max(t.get(i<<pair), t.get(i<<pair|pair)))
		}
	}
	*t = n
}

// match gives t and o the same shape: the greater width, and the smaller number
// of words. The tails must belong to equal goals.
func (t *tail) match(o *tail) {
	shift := max(t.shift, o.shift)
	for _, l := range []*tail{t, o} {
		for l.shift < shift {
			l.widen()
		}
	}
	size := min(t.size, o.size)
	for _, l := range []*tail{t, o} {
		for l.size > size {
			l.halve()
		}
	}
}

// addTail adds the counters of o to those of t. The counters become wider until
// all sums fit, but sums saturate at 64 bits.
func (t *tail) addTail(o tail) {
	o = o.clone()
	t.match(&o)
	if t.words == nil {
		t.words = o.words
		return
	}
	if o.words == nil {
		return
	}
	for !t.sumsFit(&o) {
		t.widen()
		o.widen()
	}
	for i, w := range o.words {
		t.words[i] = sizing.SaturatingAdd(t.words[i], w)
	}
}

// sumsFit reports whether the counters of t and o, which must have the same
// shape, can be added without overflow, or saturate at 64 bits. In each pair of
// words, it looks for a carry out of a counter's highest bit.
func (t *tail) sumsFit(o *tail) bool {
	if t.shift == tailMaxShift {
		return true // since they saturate
	}
	highest := ^uint64(0) / t.limit() << (1<<t.shift - 1)
	for i, v := range t.words {
		w := o.words[i]
		if carries := v&w | (v|w)&^(v+w); carries&highest != 0 {
			return false
		}
	}
	return true
}

// cover raises every counter to the corresponding counter of o if it is lower.
func (t *tail) cover(o tail) {
	o = o.clone()
	t.match(&o)
	if o.words == nil {
		return
	}
	t.allocate()
	for i := range t.cells() {
		t.lift(i, o.get(i))
	}
}

// clone returns a deep copy of t.
func (t *tail) clone() tail {
	c := *t
	c.words = slices.Clone(t.words)
	return c
}

// equal reports whether t and o have the same shape and equal counters.
func (t *tail) equal(o *tail) bool {
	return t.size == o.size && t.shift == o.shift && slices.Equal(t.words, o.words)
}
