package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// Params returns the parameters of s. O(1) time.
func (s *Sketch) Params() Params { return s.params }

// SizeBytes returns the memory of the counters in bytes. The Sketch itself
// adds less than 200. O(1) time.
func (s *Sketch) SizeBytes() uint64 { return 4*uint64(len(s.narrow)) + 8*uint64(len(s.wide)) }

// Total returns how much has been counted: the sum of all counts, and of each
// row of a sketch that is not conservative. It stops at the largest
// uint64. O(1) time.
func (s *Sketch) Total() uint64 { return s.total }

// ErrorBound returns the most by which a count exceeds the truth, with
// probability 1-Delta: the share Epsilon of [Sketch.Total], rounded down. If
// the total is the largest uint64, so is ErrorBound. Delta is e^-Depth; see
// [Params.Epsilon] and [Params.Delta]. O(1) time.
func (s *Sketch) ErrorBound() uint64 { return s.params.errorBound(s.total) }

// errorBound returns the share Epsilon of a total, rounded down. A total at its
// maximum means that or more, so nothing bounds the error.
func (p Params) errorBound(total uint64) uint64 {
	if bound := p.Epsilon() * float64(total); bound < float64(total) && total != math.MaxUint64 {
		return uint64(bound)
	}
	return total
}

// Bounds returns an interval that contains key's true count: that is at most
// high, always, and at least low with probability 1-Delta. They are
// [Sketch.Count], and that less [Sketch.ErrorBound]. If the count has reached a
// counter's maximum, low is 0 and high the largest uint64. O(depth) time, no
// allocation.
func (s *Sketch) Bounds(key []byte) (low, high uint64) {
	return s.BoundsDigest(s.params.Family.Sum(key))
}

// BoundsString is [Sketch.Bounds] for a string.
func (s *Sketch) BoundsString(key string) (low, high uint64) {
	return s.BoundsDigest(s.params.Family.SumString(key))
}

// BoundsUint64 is [Sketch.Bounds] for an integer.
func (s *Sketch) BoundsUint64(key uint64) (low, high uint64) {
	return s.BoundsDigest(s.params.Family.SumUint64(key))
}

// BoundsDigest is [Sketch.Bounds] for a key already hashed by the sketch's
// family.
func (s *Sketch) BoundsDigest(d hashfam.Digest) (low, high uint64) {
	return s.params.bounds(s.CountDigest(d), s.ErrorBound())
}

// bounds returns the bounds of a count that is too high by at most err. A count
// at the maximum of a counter means that or more.
func (p Params) bounds(count, err uint64) (low, high uint64) {
	if p.stuck(count) {
		return 0, math.MaxUint64
	}
	return count - min(count, err), count
}

// stuck reports whether a count is at the maximum of a counter, which means
// that or more.
func (p Params) stuck(count uint64) bool {
	return count == math.MaxUint64 || p.CounterBits == 32 && count == math.MaxUint32
}
