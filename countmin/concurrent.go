package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A ConcurrentSketch is a [Sketch] whose methods may all run at the same time,
// in any mixture. Make one with [NewConcurrentSketch] or
// [NewConcurrentSketchFrom]; [ConcurrentSketch.Snapshot] returns the plain
// sketch, which can be encoded. It must not be copied by value.
//
// Counters change by compare-and-swap. Methods that only read never wait. An
// addition waits for a Snapshot that copies the counters, for a Reset, and for
// an addition of 2^32 or more. If the sketch is conservative, it also waits for
// another addition of the same key, and now and then of another key.
//
// A count is never below the truth: an Add that returned is in every count that
// is asked for later, until a Reset. An Add that is still running may be in it
// or not.
type ConcurrentSketch struct {
	params Params
	cells  sharedCells
	gate   *gate // nil in the zero value
}

// NewConcurrentSketch returns an empty sketch for c, as [New] does, with its
// errors. O(w d) time.
func NewConcurrentSketch(c Config) (*ConcurrentSketch, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return newConcurrentSketch(p), nil
}

// NewConcurrentSketchFrom returns a concurrent sketch with the Params and the
// counts of s. It shares nothing with s. It returns an [ErrParams] error if s
// is nil or the zero Sketch. O(w d) time.
func NewConcurrentSketchFrom(s *Sketch) (*ConcurrentSketch, error) {
	if s == nil {
		return nil, errs.Nil()
	}
	if err := s.params.check(); err != nil {
		return nil, err
	}
	c := newConcurrentSketch(s.params)
	c.cells.fill(s)
	c.gate.credit(s.total)
	return c, nil
}

func newConcurrentSketch(p Params) *ConcurrentSketch {
	return &ConcurrentSketch{params: p, cells: newSharedCells(p), gate: newGate()}
}

// Snapshot returns the plain sketch at one moment: every Add that returned
// before the call is in it whole, every other one whole or not at all.
// Additions wait meanwhile, reads do not. O(w d) time; it allocates the sketch.
func (c *ConcurrentSketch) Snapshot() *Sketch {
	if c.gate == nil {
		return &Sketch{params: c.params}
	}
	s := &Sketch{params: c.params}
	s.allocate()
	c.gate.close()
	defer c.gate.open()
	c.cells.copyTo(s)
	s.total = c.gate.complete() // an addition that waits may have announced itself
	return s
}

// Add counts key once. O(depth) time: one compare-and-swap a row, and three
// atomic operations for the total; no allocation. key is not kept.
func (c *ConcurrentSketch) Add(key []byte) { c.AddNDigest(c.params.Family.Sum(key), 1) }

// AddString is [ConcurrentSketch.Add] for a string.
func (c *ConcurrentSketch) AddString(key string) {
	c.AddNDigest(c.params.Family.SumString(key), 1)
}

// AddUint64 is [ConcurrentSketch.Add] for an integer: the key is its eight
// little-endian bytes.
func (c *ConcurrentSketch) AddUint64(key uint64) {
	c.AddNDigest(c.params.Family.SumUint64(key), 1)
}

// AddDigest is [ConcurrentSketch.Add] for a key already hashed by the sketch's
// family, Params().Family.
func (c *ConcurrentSketch) AddDigest(d hashfam.Digest) { c.AddNDigest(d, 1) }

// AddN counts key n times at once. It is like [ConcurrentSketch.Add] in time.
// Counters stop at their maximum and never wrap.
func (c *ConcurrentSketch) AddN(key []byte, n uint64) {
	c.AddNDigest(c.params.Family.Sum(key), n)
}

// AddNString is [ConcurrentSketch.AddN] for a string.
func (c *ConcurrentSketch) AddNString(key string, n uint64) {
	c.AddNDigest(c.params.Family.SumString(key), n)
}

// AddNUint64 is [ConcurrentSketch.AddN] for an integer.
func (c *ConcurrentSketch) AddNUint64(key, n uint64) {
	c.AddNDigest(c.params.Family.SumUint64(key), n)
}

// AddNDigest is [ConcurrentSketch.AddN] for a key already hashed by the
// sketch's family.
func (c *ConcurrentSketch) AddNDigest(d hashfam.Digest, n uint64) {
	if n == 0 || c.gate == nil {
		return
	}
	l := c.gate.lane(d)
	alone := c.gate.enter(l, n)
	if c.params.Conservative {
		c.addConservative(l, d, n)
	} else {
		c.cells.add(d, n)
	}
	c.gate.leave(l, n, alone)
}

// addConservative raises the key's counters to their least plus n.
//
// No count is below the truth, under any schedule. A lane's keys take turns,
// and all additions of one key are in one lane. Let t be what additions of the
// key that are complete have counted. In its turn an addition reads a least of
// at least t: each addition before it, in its own turn, left all the key's
// counters at its least plus its n or more, and other keys only raise them,
// since a lift replaces a value by a larger one and is repeated if the value
// has changed. It then leaves all of them at t+n or more. Without turns two
// additions of a key could read the same least and both raise to least+1.
func (c *ConcurrentSketch) addConservative(l *lane, d hashfam.Digest, n uint64) {
	l.turn.Lock()
	defer l.turn.Unlock()
	least := c.cells.least(d)
	c.cells.raise(d, least+min(n, c.cells.limit-least))
}

// Count returns how often key was counted, or more, but never less, as
// [Sketch.Count] does. O(depth) time, no allocation; it never waits.
func (c *ConcurrentSketch) Count(key []byte) uint64 {
	return c.CountDigest(c.params.Family.Sum(key))
}

// CountString is [ConcurrentSketch.Count] for a string.
func (c *ConcurrentSketch) CountString(key string) uint64 {
	return c.CountDigest(c.params.Family.SumString(key))
}

// CountUint64 is [ConcurrentSketch.Count] for an integer.
func (c *ConcurrentSketch) CountUint64(key uint64) uint64 {
	return c.CountDigest(c.params.Family.SumUint64(key))
}

// CountDigest is [ConcurrentSketch.Count] for a key already hashed by the
// sketch's family.
func (c *ConcurrentSketch) CountDigest(d hashfam.Digest) uint64 { return c.cells.least(d) }

// Bounds returns an interval that contains key's true count, as [Sketch.Bounds]
// does. low is 0 if a Reset runs meanwhile. O(depth) time, no allocation; it
// never waits.
func (c *ConcurrentSketch) Bounds(key []byte) (low, high uint64) {
	return c.BoundsDigest(c.params.Family.Sum(key))
}

// BoundsString is [ConcurrentSketch.Bounds] for a string.
func (c *ConcurrentSketch) BoundsString(key string) (low, high uint64) {
	return c.BoundsDigest(c.params.Family.SumString(key))
}

// BoundsUint64 is [ConcurrentSketch.Bounds] for an integer.
func (c *ConcurrentSketch) BoundsUint64(key uint64) (low, high uint64) {
	return c.BoundsDigest(c.params.Family.SumUint64(key))
}

// BoundsDigest is [ConcurrentSketch.Bounds] for a key already hashed by the
// sketch's family.
func (c *ConcurrentSketch) BoundsDigest(d hashfam.Digest) (low, high uint64) {
	if c.gate == nil {
		return 0, math.MaxUint64
	}
	total := c.gate.totalOf(func() { high = c.CountDigest(d) })
	return c.params.bounds(high, c.params.errorBound(total))
}

// ErrorBound returns the most by which a count exceeds the truth, with
// probability 1-Delta, as [Sketch.ErrorBound] does. O(1) time.
func (c *ConcurrentSketch) ErrorBound() uint64 { return c.params.errorBound(c.Total()) }

// Total returns how much has been counted, including what is being added. It
// stops at the largest uint64. O(1) time: it adds up eight numbers a processor.
func (c *ConcurrentSketch) Total() uint64 {
	if c.gate == nil {
		return 0
	}
	return c.gate.total()
}

// Params returns the parameters of c. O(1) time.
func (c *ConcurrentSketch) Params() Params { return c.params }

// SizeBytes returns the memory of the counters in bytes. The total takes 512
// bytes a processor more. O(1) time.
func (c *ConcurrentSketch) SizeBytes() uint64 { return 8 * uint64(len(c.cells.words)) }

// Remove takes back one [ConcurrentSketch.Add] of key that has returned. It has
// the errors of [Sketch.Remove], and the same rule: a key may be removed only
// as often as it was added. Removals wait for each other, for a Snapshot and
// for a Reset; they do not stop additions. O(depth) time, no allocation.
func (c *ConcurrentSketch) Remove(key []byte) error { return c.RemoveNDigest(c.family().Sum(key), 1) }

// RemoveString is [ConcurrentSketch.Remove] for a string.
func (c *ConcurrentSketch) RemoveString(key string) error {
	return c.RemoveNDigest(c.family().SumString(key), 1)
}

// RemoveUint64 is [ConcurrentSketch.Remove] for an integer.
func (c *ConcurrentSketch) RemoveUint64(key uint64) error {
	return c.RemoveNDigest(c.family().SumUint64(key), 1)
}

// RemoveDigest is [ConcurrentSketch.Remove] for a key already hashed by the
// sketch's family.
func (c *ConcurrentSketch) RemoveDigest(d hashfam.Digest) error { return c.RemoveNDigest(d, 1) }

// RemoveN is [ConcurrentSketch.Remove] n times at once: all of them or none.
func (c *ConcurrentSketch) RemoveN(key []byte, n uint64) error {
	return c.RemoveNDigest(c.family().Sum(key), n)
}

// RemoveNString is [ConcurrentSketch.RemoveN] for a string.
func (c *ConcurrentSketch) RemoveNString(key string, n uint64) error {
	return c.RemoveNDigest(c.family().SumString(key), n)
}

// RemoveNUint64 is [ConcurrentSketch.RemoveN] for an integer.
func (c *ConcurrentSketch) RemoveNUint64(key, n uint64) error {
	return c.RemoveNDigest(c.family().SumUint64(key), n)
}

// RemoveNDigest is [ConcurrentSketch.RemoveN] for a key already hashed by the
// sketch's family.
func (c *ConcurrentSketch) RemoveNDigest(d hashfam.Digest, n uint64) error {
	if c == nil {
		return errs.Nil()
	}
	if c.params.Conservative {
		return paramError("Params.Conservative", true, "false for Remove")
	}
	if c.gate == nil { // a zero sketch, which has counted nothing
		return c.params.checkRemoval(n, 0, 0)
	}
	c.gate.alone.Lock()
	defer c.gate.alone.Unlock()
	// What is found here stays: only removals and Reset take counts away.
	if err := c.params.checkRemoval(n, c.CountDigest(d), c.gate.complete()); err != nil {
		return err
	}
	c.cells.subtract(d, n)
	c.gate.debit(n)
	return nil
}

// family returns the family of c, also if c is nil.
func (c *ConcurrentSketch) family() hashfam.Family {
	if c == nil {
		return hashfam.Family{}
	}
	return c.params.Family
}

// Reset sets every counter and the total to zero. An addition that runs at the
// same time is forgotten or counted as a whole. Additions, removals and
// snapshots wait meanwhile, reads do not: they may see some counts from before
// and others from after. What was added before must not be removed after. O(w
// d) time, no allocation.
func (c *ConcurrentSketch) Reset() {
	if c.gate == nil {
		return
	}
	c.gate.close()
	defer c.gate.open()
	c.cells.clear()
	c.gate.clear()
}

// MarshalJSON returns the text form of a [ConcurrentSketch.Snapshot] as a JSON
// string, which a plain [Sketch] reads. O(memory) time; it allocates.
func (c *ConcurrentSketch) MarshalJSON() ([]byte, error) {
	if c == nil {
		return nil, errs.Nil()
	}
	return c.Snapshot().MarshalJSON()
}
