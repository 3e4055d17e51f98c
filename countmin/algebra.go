package countmin

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Merge adds the counts of the other sketches to s, counter by counter. Unless
// s is conservative, the result is the sketch that would have been built from
// all keys. Conservative counts will still never be below the truth, but the
// parts' errors add up and exceed the error of a single sketch. Merge passes
// over s only once, so one call with many sketches is faster than many calls.
// If a sketch's [Params] differ, Merge returns [ErrIncompatible] and leaves s
// unchanged.
func (s *Sketch) Merge(others ...*Sketch) error {
	if err := fault.Mergeable(errs, "Params", s.params, others, (*Sketch).Params); err != nil {
		return err
	}
	s.rows().merge(others)
	for _, other := range others {
		s.total = sizing.AddSat(s.total, other.total)
	}
	return nil
}

// merge adds the cells of others to c, in blocks that fit in the L1 cache.
func (c cells[C]) merge(others []*Sketch) {
	const size = 2048
	for from := 0; from < len(c); from += size {
		block := c[from:min(from+size, len(c))]
		for _, other := range others {
			addCells(block, (*other.rows().(*cells[C]))[from:])
		}
	}
}

// addCells adds each cell of src to the corresponding cell of dst. It is not
// inlined because otherwise some of the loop's variables would not be in
// registers.
//
//go:noinline
func addCells[C counter](dst, src []C) {
	src = src[:len(dst)]
	for i, c := range dst {
		dst[i] = plus[C](uint64(c), uint64(src[i]))
	}
}

// InnerProduct estimates the sum, over all keys, of the key's count in s times
// its count in other. For example, this is the size of the join when two
// streams are joined by key. The estimate is never too low. With probability
// 1-Delta or more, its error is no more than Epsilon times the product of the
// totals (Cormode and Muthukrishnan 2005, section 4.2). InnerProduct ignores
// rows in which the sum does not fit or a counter at its maximum is multiplied
// by a count. If no row is left, it returns the largest uint64.
//
// InnerProduct returns [ErrParams] if the sketches are conservative, because
// the product of their counters may be too low, and [ErrIncompatible] if their
// [Params] differ.
func (s *Sketch) InnerProduct(other *Sketch) (uint64, error) {
	if err := fault.Same(errs, "", "Params", s.params, other.params); err != nil {
		return 0, err
	}
	if s.params.Conservative {
		return 0, errs.Field(ErrParams, "Params.Conservative", true, "false for InnerProduct")
	}
	return s.rows().product(other.rows(), s.params.Width), nil
}

// product returns the minimum of the scalar products of corresponding rows.
func (a cells[C]) product(other rows, w uint64) uint64 {
	least, b := uint64(math.MaxUint64), *other.(*cells[C])
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

// Reset sets every counter and the total to zero.
func (s *Sketch) Reset() {
	s.rows().clear()
	s.total = 0
}

// Clone returns a deep copy of s.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.of8, c.of16 = slices.Clone(s.of8), slices.Clone(s.of16)
	c.of32, c.of64 = slices.Clone(s.of32), slices.Clone(s.of64)
	return &c
}

// Equal reports whether s and other have the same [Params], total and counters.
func (s *Sketch) Equal(other *Sketch) bool {
	return s.params == other.params && s.total == other.total &&
		slices.Equal(s.of8, other.of8) && slices.Equal(s.of16, other.of16) &&
		slices.Equal(s.of32, other.of32) && slices.Equal(s.of64, other.of64)
}

// Remove undoes n counts of key, or returns an error and leaves s unchanged. It
// should only be used for keys that were counted n times or more. Then no count
// will be below the truth (this is the strict turnstile model; Cormode and
// Muthukrishnan 2005, section 4.1).
//
// Remove does not decrement a counter at its maximum. The counts of other keys
// that share this counter may then be too high by more than
// [Sketch.ErrorBound], with a probability above Delta.
//
// If the key was counted fewer times, other keys lose the difference and their
// counts may be too low. Remove can only detect this, and return [ErrParams],
// if n exceeds the key's count or the total. It always returns ErrParams if s
// is conservative, because keys of conservative sketches need not have raised
// all their counters.
func (s *Sketch) Remove(key []byte, n uint64) error { return s.RemoveDigest(s.hash.Sum(key), n) }

// RemoveDigest is like [Sketch.Remove] for a key's digest, which must be
// computed by the sketch's family.
func (s *Sketch) RemoveDigest(d hashfam.Digest, n uint64) error {
	if s.params.Conservative {
		return errs.Field(ErrParams, "Params.Conservative", true, "false for Remove")
	}
	most := s.CountDigest(d)
	if s.params.stuck(most) { // then all of the key's counters are stuck, and will not change
		most = s.total
	}
	if most = min(most, s.total); n > most {
		return errs.Field(ErrParams, "n", n, fmt.Sprintf("at most the key's count, %d", most))
	}
	s.rows().subtract(s.params.Width, d, n)
	if s.total != math.MaxUint64 {
		s.total -= n
	}
	return nil
}

// subtract subtracts n from the key's counter in every row, except from
// counters at their maximum, because the true count may be higher. No other
// counter may be below n.
func (c cells[C]) subtract(w uint64, d hashfam.Digest, n uint64) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		if cell := &c[row+p.In(w)]; *cell != ^C(0) {
			*cell -= C(n)
		}
	}
}

// Halve divides every counter and the total by two, rounding down, so that old
// counts fade. It returns [ErrParams] if s is not conservative: the rows of
// plain sketches must add up to the total, on which Remove and the encoding
// rely, and rounding would break this rule.
//
// Counters at their maximum are halved, too, because otherwise the most
// frequent keys would never fade. So a count may be too low after Halve. But it
// is never below the value of an exact counter that belongs to the key alone,
// has [Params].CounterBits bits, stops at its maximum and is halved as often.
// [Sketch.Bounds] and [Sketch.ErrorBound] describe the difference from this
// counter, and may be off by one because of rounding. A total of 2^64-1 stays
// the same.
func (s *Sketch) Halve() error {
	rows := s.rows()
	if !s.params.Conservative {
		return errs.Field(ErrParams, "Params.Conservative", false, "true for Halve")
	}
	if most := rows.halve(s.params.Width); s.total != math.MaxUint64 {
		s.total = max(s.total/2, most) // most is lower, unless forged rows were decoded
	}
	return nil
}

// halve halves every counter, rounding down. It returns the greatest row sum.
func (c cells[C]) halve(w uint64) (most uint64) {
	for ; len(c) > 0; c = c[w:] {
		sum := uint64(0)
		for i, n := range c[:w] {
			c[i] = n / 2
			sum = sizing.AddSat(sum, uint64(n/2))
		}
		most = max(most, sum)
	}
	return most
}
