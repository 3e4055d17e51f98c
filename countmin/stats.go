package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// Total returns the sum of all counts. It stops at the largest uint64. The
// counters of each row have the same sum, unless s is conservative or one of
// them is at its maximum.
func (s *Sketch) Total() uint64 { return s.total }

// ErrorBound returns the error that a count exceeds with a probability of no
// more than Delta: Epsilon times [Sketch.Total], rounded down. If the total is
// the largest uint64, so is ErrorBound. See [Params.Epsilon] and
// [Params.Delta].
func (s *Sketch) ErrorBound() uint64 {
	bound := s.params.Epsilon() * float64(s.total)
	if bound < float64(s.total) && s.total != math.MaxUint64 {
		return uint64(bound)
	}
	return s.total
}

// Bounds returns an interval for key's true count. The true count never exceeds
// high, which is [Sketch.Count]. With probability 1-Delta or more, it is not
// below low, which is high minus [Sketch.ErrorBound]. If the count is a
// counter's maximum, low is 0 and high is the largest uint64.
func (s *Sketch) Bounds(key []byte) (low, high uint64) { return s.BoundsDigest(s.hash.Sum(key)) }

// BoundsDigest is like [Sketch.Bounds] for a key's digest, which must be
// computed by the sketch's family.
func (s *Sketch) BoundsDigest(d hashfam.Digest) (low, high uint64) {
	count := s.CountDigest(d)
	if s.params.stuck(count) {
		return 0, math.MaxUint64
	}
	return count - min(count, s.ErrorBound()), count
}

// stuck reports whether a count is a counter's maximum, so that the true count
// may be any higher number.
func (p Params) stuck(count uint64) bool { return count == math.MaxUint64>>(64-p.CounterBits) }
