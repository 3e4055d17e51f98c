package countmin

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds the counts of other to s: counter by counter, so that s is then
// the sketch that would have been built from the keys of both. A conservative
// sketch is not: its counts are still never below the truth, but its error is
// the sum of the parts' errors, more than a joint build has. O(w d) time, no
// allocation. Sketches whose [Params] differ are an [ErrIncompatible], and s is
// unchanged.
func (s *Sketch) Merge(other *Sketch) error {
	if err := s.compatible(other); err != nil {
		return err
	}
	addAll(s.narrow, other.narrow)
	addAll(s.wide, other.wide)
	s.total = addSat(s.total, other.total)
	return nil
}

func addAll[C counter](dst, src []C) {
	src = src[:len(dst)]
	for i, c := range dst {
		dst[i] = addSat(c, src[i])
	}
}

// Remove takes back one [Sketch.Add] of key. It is for keys that are counted
// as often as they are removed: then every count stays at least the truth
// (strict turnstile; Cormode and Muthukrishnan 2005, section 4.1). Removing
// what was never counted takes it from other keys, whose counts may then be too
// low; s refuses it, with an [ErrParams], only where it is plain to see,
// because the key's count or the total is less. A conservative sketch refuses
// to remove anything, with an [ErrParams]: its counters are shared by keys that
// never raised them. After an error s is unchanged. A counter that stands at
// its maximum is not decremented. O(depth) time, no allocation.
func (s *Sketch) Remove(key []byte) error { return s.RemoveNDigest(s.params.Family.Sum(key), 1) }

// RemoveString is [Sketch.Remove] for a string.
func (s *Sketch) RemoveString(key string) error {
	return s.RemoveNDigest(s.params.Family.SumString(key), 1)
}

// RemoveDigest is [Sketch.Remove] for a key already hashed by the sketch's
// family.
func (s *Sketch) RemoveDigest(d hashfam.Digest) error { return s.RemoveNDigest(d, 1) }

// RemoveN is [Sketch.Remove] n times at once: all of them or none.
func (s *Sketch) RemoveN(key []byte, n uint64) error {
	return s.RemoveNDigest(s.params.Family.Sum(key), n)
}

// RemoveNString is [Sketch.RemoveN] for a string.
func (s *Sketch) RemoveNString(key string, n uint64) error {
	return s.RemoveNDigest(s.params.Family.SumString(key), n)
}

// RemoveNDigest is [Sketch.RemoveN] for a key already hashed by the sketch's
// family.
func (s *Sketch) RemoveNDigest(d hashfam.Digest, n uint64) error {
	if s.params.Conservative {
		return paramError("Params.Conservative", true, "false for Remove")
	}
	if most := min(s.CountDigest(d), s.total); n > most {
		return paramError("n", n, fmt.Sprintf("at most the key's count, %d", most))
	}
	if s.wide == nil {
		subtract(s.narrow, s.params.Width, d, uint32(n))
	} else {
		subtract(s.wide, s.params.Width, d, n)
	}
	if s.total != math.MaxUint64 {
		s.total -= n
	}
	return nil
}

// subtract takes n from the key's counter in every row, all of which are at
// least n. One at its maximum stands for that many or more and stays.
func subtract[C counter](cells []C, w uint64, d hashfam.Digest, n C) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(cells)); row, p = row+w, p.Next() {
		if c := &cells[row+hashfam.Reduce(uint64(p), w)]; *c != ^C(0) {
			*c -= n
		}
	}
}

// InnerProduct estimates the sum over all keys of their count in s times their
// count in other: the size of the join of two streams. It is never too low, and
// too high by more than Epsilon times the product of the totals with chance
// Delta at most (Cormode and Muthukrishnan 2005, section 4.2). A product that
// does not fit, or that a counter at its maximum takes part in, is the largest
// uint64. O(w d) time, no allocation. Conservative sketches cannot tell, since
// a product of their counters may be too low: an [ErrParams]. Sketches whose
// [Params] differ are an [ErrIncompatible].
func (s *Sketch) InnerProduct(other *Sketch) (uint64, error) {
	if err := s.compatible(other); err != nil {
		return 0, err
	}
	if s.params.Conservative {
		return 0, paramError("Params.Conservative", true, "false for InnerProduct")
	}
	if s.wide == nil {
		return product(s.narrow, other.narrow, s.params.Width), nil
	}
	return product(s.wide, other.wide, s.params.Width), nil
}

// product returns the least scalar product of a row of a and the same of b.
func product[C counter](a, b []C, w uint64) uint64 {
	least := uint64(math.MaxUint64)
	for ; len(a) > 0; a, b = a[w:], b[w:] {
		sum, full := uint64(0), false
		for i, x := range a[:w] {
			y := b[i]
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			more, carry := bits.Add64(sum, lo, 0)
			sum = more
			full = full || hi|carry != 0 || x != 0 && y != 0 && max(x, y) == ^C(0)
		}
		if !full {
			least = min(least, sum)
		}
	}
	return least
}

// Total returns how much has been counted: the sum of all counts, and of each
// row of a sketch that is not conservative. It stops at the largest uint64.
func (s *Sketch) Total() uint64 { return s.total }

// ErrorBound returns what a count is too high by at most, with chance 1-Delta:
// the share Epsilon of [Sketch.Total], rounded down. Delta is e^-Depth; see
// [Params.Epsilon] and [Params.Delta].
func (s *Sketch) ErrorBound() uint64 {
	if bound := s.params.Epsilon() * float64(s.total); bound < float64(s.total) {
		return uint64(bound)
	}
	return s.total
}

// Bounds returns between what key's true count lies: at most high, always, and
// at least low with chance 1-Delta. They are [Sketch.Count] and that less
// [Sketch.ErrorBound]. Where the count has reached a counter's maximum, nothing
// is known: low is 0 and high the largest uint64.
func (s *Sketch) Bounds(key []byte) (low, high uint64) {
	return s.BoundsDigest(s.params.Family.Sum(key))
}

// BoundsString is [Sketch.Bounds] for a string.
func (s *Sketch) BoundsString(key string) (low, high uint64) {
	return s.BoundsDigest(s.params.Family.SumString(key))
}

// BoundsDigest is [Sketch.Bounds] for a key already hashed by the sketch's
// family.
func (s *Sketch) BoundsDigest(d hashfam.Digest) (low, high uint64) {
	high = s.CountDigest(d)
	low = high - min(high, s.ErrorBound())
	if high == math.MaxUint64 || s.wide == nil && high == math.MaxUint32 {
		return 0, math.MaxUint64
	}
	return low, high
}

// Reset sets every counter to zero. O(w d) time, no allocation.
func (s *Sketch) Reset() {
	clear(s.narrow)
	clear(s.wide)
	s.total = 0
}

// Clone returns a copy that shares nothing with s.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.narrow, c.wide = slices.Clone(s.narrow), slices.Clone(s.wide)
	return &c
}

// Equal reports whether s and other have the same Params, total and counters.
func (s *Sketch) Equal(other *Sketch) bool {
	return other != nil && s.params == other.params && s.total == other.total &&
		slices.Equal(s.narrow, other.narrow) && slices.Equal(s.wide, other.wide)
}

// compatible returns an error that names the first parameter in which s and
// other differ.
func (s *Sketch) compatible(other *Sketch) error {
	if other == nil {
		return fault.Field(ErrIncompatible, "other", nil, "a sketch")
	}
	p, q := s.params, other.params
	switch {
	case p.Width != q.Width:
		return fault.Field(ErrIncompatible, "Params.Width", q.Width, fmt.Sprint(p.Width))
	case p.Depth != q.Depth:
		return fault.Field(ErrIncompatible, "Params.Depth", q.Depth, fmt.Sprint(p.Depth))
	case p.CounterBits != q.CounterBits:
		return fault.Field(ErrIncompatible, "Params.CounterBits", q.CounterBits, fmt.Sprint(p.CounterBits))
	case p.Conservative != q.Conservative:
		return fault.Field(ErrIncompatible, "Params.Conservative", q.Conservative, fmt.Sprint(p.Conservative))
	case p.Family != q.Family:
		return fault.Field(ErrIncompatible, "Params.Family", q.Family, p.Family.String())
	}
	return nil
}
