package countmin

import (
	"math"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// sharedCells are the counters of a sketch that many goroutines change at the
// same time: rows, one after another, as in a [Sketch]. Counters of 32 bits
// share a word, the first in its low half. A word changes only by
// compare-and-swap, and only to a value that the goroutine computed from the
// one that it replaces. So no change is lost, and a counter that would not fit
// stops at its maximum: an atomic addition would wrap first, and a reader would
// see a count of almost nothing. Only clear stores, when nothing else changes
// them.
type sharedCells struct {
	words []atomic.Uint64
	width uint64 // counters in a row
	rows  uint64
	pair  uint64 // 1 if two counters share a word, else 0
	limit uint64 // the maximum of a counter
}

// newSharedCells returns counters for p, all zero.
func newSharedCells(p Params) sharedCells {
	c := sharedCells{width: p.Width, rows: uint64(p.Depth), limit: math.MaxUint64}
	if p.CounterBits == 32 {
		c.pair, c.limit = 1, math.MaxUint32
	}
	c.words = make([]atomic.Uint64, (p.cells()+c.pair)>>c.pair)
	return c
}

// at returns the word of counter i, and the place of the counter in it.
func (c *sharedCells) at(i uint64) (word *atomic.Uint64, shift uint64) {
	return &c.words[i>>(c.pair&63)], i & c.pair << 5
}

// load returns counter i. It never waits.
func (c *sharedCells) load(i uint64) uint64 {
	word, shift := c.at(i)
	return word.Load() >> (shift & 63) & c.limit
}

// bump adds n to counter i, or what is left up to its maximum.
func (c *sharedCells) bump(i, n uint64) {
	word, shift := c.at(i)
	for {
		old := word.Load()
		room := c.limit - old>>(shift&63)&c.limit
		if word.CompareAndSwap(old, old+min(n, room)<<(shift&63)) {
			return
		}
	}
}

// lift makes counter i at least to, which must fit.
func (c *sharedCells) lift(i, to uint64) {
	word, shift := c.at(i)
	for {
		old := word.Load()
		now := old >> (shift & 63) & c.limit
		if now >= to || word.CompareAndSwap(old, old+(to-now)<<(shift&63)) {
			return
		}
	}
}

// lower takes n from counter i, which is at least n, unless it is at its
// maximum, which means that or more.
func (c *sharedCells) lower(i, n uint64) {
	word, shift := c.at(i)
	for {
		old := word.Load()
		if old>>(shift&63)&c.limit == c.limit || word.CompareAndSwap(old, old-n<<(shift&63)) {
			return
		}
	}
}

// add adds n to the key's counter in every row.
func (c *sharedCells) add(d hashfam.Digest, n uint64) {
	p, first := d.Probe(), uint64(0)
	for range c.rows {
		c.bump(first+p.In(c.width), n)
		first, p = first+c.width, p.Next()
	}
}

// raise makes every counter of the key at least to, which must fit.
func (c *sharedCells) raise(d hashfam.Digest, to uint64) {
	p, first := d.Probe(), uint64(0)
	for range c.rows {
		c.lift(first+p.In(c.width), to)
		first, p = first+c.width, p.Next()
	}
}

// subtract takes n from the key's counter in every row, all of which are at
// least n.
func (c *sharedCells) subtract(d hashfam.Digest, n uint64) {
	p, first := d.Probe(), uint64(0)
	for range c.rows {
		c.lower(first+p.In(c.width), n)
		first, p = first+c.width, p.Next()
	}
}

// least returns the least of the key's counters. Without counters it is the
// largest number.
func (c *sharedCells) least(d hashfam.Digest) uint64 {
	low := uint64(math.MaxUint64)
	p, first := d.Probe(), uint64(0)
	for range c.rows {
		low = min(low, c.load(first+p.In(c.width)))
		first, p = first+c.width, p.Next()
	}
	return low
}

// addRows adds one to the counters of every digest, in one row after the other.
// A row's counters are read first: many cache misses are then under way at
// once, while each compare-and-swap waits for those before it.
func (c *sharedCells) addRows(digests []hashfam.Digest) {
	step, first := hashfam.Digest(1).Probe(), uint64(0)
	for range c.rows {
		for _, d := range digests {
			c.load(first + (hashfam.Probe(d) * step).In(c.width))
		}
		for _, d := range digests {
			c.bump(first+(hashfam.Probe(d)*step).In(c.width), 1)
		}
		first, step = first+c.width, step.Next()
	}
}

// countRows appends the least of the counters of every digest to dst.
func (c *sharedCells) countRows(dst []uint64, digests []hashfam.Digest) []uint64 {
	end := len(dst)
	for range digests {
		dst = append(dst, math.MaxUint64)
	}
	least := dst[end:]
	step, first := hashfam.Digest(1).Probe(), uint64(0)
	for range c.rows {
		for i, d := range digests {
			least[i] = min(least[i], c.load(first+(hashfam.Probe(d)*step).In(c.width)))
		}
		first, step = first+c.width, step.Next()
	}
	return dst
}

// clear sets every counter to zero. No other goroutine may change them.
func (c *sharedCells) clear() {
	for i := range c.words {
		c.words[i].Store(0)
	}
}

// fill copies the counters of s, which has the same shape.
func (c *sharedCells) fill(s *Sketch) {
	for i, n := range s.narrow {
		c.lift(uint64(i), uint64(n))
	}
	for i, n := range s.wide {
		c.words[i].Store(n)
	}
}

// copyTo copies the counters to s, which has the same shape.
func (c *sharedCells) copyTo(s *Sketch) {
	for i := range s.narrow {
		s.narrow[i] = uint32(c.load(uint64(i)))
	}
	for i := range s.wide {
		s.wide[i] = c.words[i].Load()
	}
}
