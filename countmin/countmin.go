package countmin

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Sketch is a count-min sketch. Use [New] or [NewFromParams] to create one.
// It must not be copied by value; use [Sketch.Clone].
type Sketch struct {
	params Params
	of8    cells[uint8] // the counters if they have 8 bits, otherwise nil
	of16   cells[uint16]
	of32   cells[uint32]
	of64   cells[uint64]
	total  uint64
	hash   hashfam.Hasher

	// uneven is true if the counters of a decoded row have a sum of 2^64-1 or
	// more although the total and all of these counters are below their
	// maximum. Only forged data can contain such a row.
	uneven bool
}

// rows returns the counters of s. It panics if s is the zero Sketch.
func (s *Sketch) rows() rows {
	switch s.params.CounterBits {
	case 8:
		return &s.of8
	case 16:
		return &s.of16
	case 32:
		return &s.of32
	case 64:
		return &s.of64
	}
	panic(zeroSketch)
}

// zeroSketch is the panic value of methods that are called on the zero Sketch.
var zeroSketch = errs.Zero("Sketch", "New, or decode into it")

// Add counts key once. It runs in O(depth) time, with at most one cache miss
// per row.
func (s *Sketch) Add(key []byte) { s.AddNDigest(s.hash.Sum(key), 1) }

// AddString is like [Sketch.Add] for a string key.
func (s *Sketch) AddString(key string) { s.AddNDigest(s.hash.SumString(key), 1) }

// AddDigest is like [Sketch.Add] for a digest computed by the sketch's family.
func (s *Sketch) AddDigest(d hashfam.Digest) { s.AddNDigest(d, 1) }

// AddN counts key n times, in the same time as [Sketch.Add]. Counters stop at
// their maximum and never wrap around.
func (s *Sketch) AddN(key []byte, n uint64) { s.AddNDigest(s.hash.Sum(key), n) }

// AddNDigest is like [Sketch.AddN] for a key's digest, which must be computed
// by the sketch's family.
func (s *Sketch) AddNDigest(d hashfam.Digest, n uint64) {
	s.total = sizing.SaturatingAdd(s.total, n)
	switch p, w := &s.params, s.params.Width; {
	case p.CounterBits == 32 && p.Conservative: // the most common width first
		raise(s.of32, w, d, plus[uint32](s.of32.least(w, d), n))
	case p.CounterBits == 32:
		add(s.of32, w, d, n)
	case p.CounterBits == 64 && p.Conservative:
		raise(s.of64, w, d, plus[uint64](s.of64.least(w, d), n))
	case p.CounterBits == 64:
		add(s.of64, w, d, n)
	case p.CounterBits == 16 && p.Conservative:
		raise(s.of16, w, d, plus[uint16](s.of16.least(w, d), n))
	case p.CounterBits == 16:
		add(s.of16, w, d, n)
	case p.CounterBits == 8 && p.Conservative:
		raise(s.of8, w, d, plus[uint8](s.of8.least(w, d), n))
	case p.CounterBits == 8:
		add(s.of8, w, d, n)
	default:
		panic(zeroSketch)
	}
}

// Count returns the minimum of the key's counters (Cormode and Muthukrishnan,
// Journal of Algorithms 55, 2005, section 4.1). This is how often key was
// counted, or a higher number. The result can be too low only in three cases:
// after [Sketch.Halve], if any key was removed more often than it was counted,
// or if the result is a counter's maximum. [Sketch.ErrorQuantile] returns a
// bound on the error.
//
// Count runs in O(depth) time, with at most one cache miss per row. If the
// sketch is larger than the cache, a call mostly waits for memory, so
// [Sketch.CountAll] is much faster for many keys.
func (s *Sketch) Count(key []byte) uint64 { return s.CountDigest(s.hash.Sum(key)) }

// CountString is like [Sketch.Count] for a string key.
func (s *Sketch) CountString(key string) uint64 { return s.CountDigest(s.hash.SumString(key)) }

// CountDigest is like [Sketch.Count] for a digest computed by the sketch's
// family.
func (s *Sketch) CountDigest(d hashfam.Digest) uint64 {
	if s.params.Width == 0 {
		panic(zeroSketch)
	}
	return s.count(d)
}

// count is CountDigest for a sketch that is not zero. All functions that it
// calls are inlined, because a call would make it slower.
func (s *Sketch) count(d hashfam.Digest) uint64 {
	switch p := &s.params; {
	case p.CounterBits == 64:
		return s.of64.least(p.Width, d)
	case p.CounterBits == 32:
		return s.of32.least(p.Width, d)
	case p.CounterBits == 16:
		return s.of16.least(p.Width, d)
	default:
		return s.of8.least(p.Width, d)
	}
}
