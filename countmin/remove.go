package countmin

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Remove undoes n counts of key, or returns an error and leaves s unchanged. It
// must only be called for keys that were counted n times or more. Then no count
// will be below the truth (the strict turnstile model; Cormode and
// Muthukrishnan 2005, section 4.1).
//
// Remove does not decrement a counter at its maximum, so other keys that share
// this counter may have an error above [Sketch.ErrorBound] with a probability
// above Delta.
//
// If the key was counted fewer than n times, the counts of other keys may
// become too low. Remove can detect this, and then returns [hashfam.ErrParams],
// only if n exceeds the result of Count or the total.
//
// Remove always returns ErrParams if s is conservative, because a key then may
// not have raised all of its counters. It also returns ErrParams if s was
// decoded from forged data: the counters of a row have a sum of 2^64-1 or more,
// although the total and all of these counters are below their maximum.
func (s *Sketch) Remove(key []byte, n uint64) error { return s.RemoveDigest(s.hash.Sum(key), n) }

// RemoveDigest is like [Sketch.Remove] for a key's digest, which must be
// computed by the sketch's family.
func (s *Sketch) RemoveDigest(d hashfam.Digest, n uint64) error {
	if s.params.Conservative {
		return errs.Field(hashfam.ErrParams, "Params.Conservative", true, "false for Remove")
	}
	if s.uneven { // removing a key could leave rows that do not add up to the total
		return errs.Field(hashfam.ErrParams, "sum of a row", "above 2^64-1", fmt.Sprint("the total, ", s.total))
	}
	most := s.CountDigest(d)
	if s.params.stuck(most) { // then all of the key's counters are stuck, and will not change
		most = s.total
	}
	if most = min(most, s.total); n > most {
		return errs.Field(hashfam.ErrParams, "n", n, fmt.Sprintf("at most the key's count, %d", most))
	}
	s.rows().subtract(s.params.Width, d, n)
	if s.total != math.MaxUint64 {
		s.total -= n
	}
	return nil
}

// subtract subtracts n from the key's counter in every row, except from
// counters at their maximum, because the true count may be higher. All other
// counters must be n or more.
func (c cells[C]) subtract(w uint64, d hashfam.Digest, n uint64) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		if cell := &c[row+p.In(w)]; *cell != ^C(0) {
			*cell -= C(n)
		}
	}
}

// Halve divides every counter and the total by two, rounding down, so that old
// counts fade. It returns [hashfam.ErrParams] if s is not conservative: in a
// plain sketch, Remove and the encoding rely on the fact that each row adds up
// to the total, which would no longer be true because of the rounding.
//
// Counters at their maximum are halved, too, because otherwise the most
// frequent keys would never fade. After Halve, a count may therefore be too
// low. But imagine a private counter for the key that stops at the same maximum
// and is halved with s. Count never returns less than this private counter, and
// [Sketch.ErrorBound] refers to the difference between these two numbers. This
// bound may be a little too low because of rounding. A total of 2^64-1 stays
// the same.
func (s *Sketch) Halve() error {
	rows := s.rows()
	if !s.params.Conservative {
		return errs.Field(hashfam.ErrParams, "Params.Conservative", false, "true for Halve")
	}
	most := rows.halve(s.params.Width)
	if s.total != math.MaxUint64 {
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
			sum = sizing.SaturatingAdd(sum, uint64(n/2))
		}
		most = max(most, sum)
	}
	return most
}
