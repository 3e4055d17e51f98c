package countmin

import (
	"math"
	"slices"
)

// Total returns the sum of all counts, which stops at math.MaxUint64. The
// counters of each row add up to it, unless s is conservative, or a counter or
// the total is at its maximum.
func (s *Sketch) Total() uint64 { return s.total }

// ErrorBound returns the error that a count exceeds with a probability of no
// more than Delta: Epsilon times [Sketch.Total], rounded down, but no more than
// the total. If the total has stopped at math.MaxUint64, ErrorBound returns
// math.MaxUint64. See [Params.Epsilon] and [Params.Delta].
func (s *Sketch) ErrorBound() uint64 {
	bound := s.params.Epsilon() * float64(s.total)
	if bound < float64(s.total) && s.total != math.MaxUint64 {
		return uint64(bound)
	}
	return s.total
}

// ErrorQuantile returns the least t such that a key's count is too high by more
// than t with a probability of no more than delta, which should be above 0 and
// below 1. It is usually far below [Sketch.ErrorBound] because it is computed
// from the counters of s. In each row, the error of a key's counter is
// distributed like the value of a random counter. The probability of an error
// above t is therefore the product, over all rows, of the fraction of counters
// above t (Ting, KDD 2018). For m keys at once, use delta/m.
//
// The key must not have been chosen by anyone who knows the family. If s is
// conservative, the probability is proven only for keys that were never
// counted, but usually holds for all keys. With a delta of 0, no key that was
// never counted has a higher error. If the error reaches a counter's maximum,
// ErrorQuantile returns math.MaxUint64. ErrorQuantile does not allocate, but
// reads all counters several times.
func (s *Sketch) ErrorQuantile(delta float64) uint64 {
	t := s.rows().quantile(s.params.Width, delta)
	if s.params.stuck(t) {
		return math.MaxUint64
	}
	return t
}

// quantile returns the least t for which the product, over all rows, of the
// fraction of counters above t does not exceed delta.
func (c cells[C]) quantile(w uint64, delta float64) uint64 {
	// above(high) never exceeds delta, but above(low-1) does unless low is 0.
	high := uint64(math.MaxUint64)
	for row := c; len(row) > 0; row = row[w:] {
		high = min(high, uint64(slices.Max(row[:w])))
	}
	low := uint64(0)
	for low < high {
		middle := low + (high-low)/2
		if c.above(w, C(middle)) <= max(0, delta) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// above returns the product, over all rows, of the fraction of counters above
// t.
func (c cells[C]) above(w uint64, t C) float64 {
	product := 1.0
	for ; len(c) > 0; c = c[w:] {
		n := 0
		for _, x := range c[:w] {
			if x > t {
				n++
			}
		}
		product *= float64(n) / float64(w)
	}
	return product
}

// stuck reports whether a count is a counter's maximum, so that the true count
// may be any higher number.
func (p Params) stuck(count uint64) bool { return count == math.MaxUint64>>(64-p.CounterBits) }
