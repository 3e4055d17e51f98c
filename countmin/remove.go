package countmin

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// Remove takes back one [Sketch.Add] of key. It is for keys that are counted
// at least as often as they are removed: then every count stays at least the
// truth (strict turnstile; Cormode and Muthukrishnan 2005, section 4.1).
// O(depth) time, no allocation.
//
// A counter at its maximum is not decremented. The counts of other keys in it
// may then exceed the truth by more than [Sketch.ErrorBound] more often than
// with probability Delta.
//
// Removing what was never counted takes it from other keys, whose counts may
// then be too low. Remove returns [ErrParams] only when that is detectable,
// because the key's count or the total is less, and if s is conservative: its
// counters are shared by keys that never raised them. After an error s is
// unchanged.
func (s *Sketch) Remove(key []byte) error { return s.RemoveNDigest(s.family().Sum(key), 1) }

// RemoveString is [Sketch.Remove] for a string.
func (s *Sketch) RemoveString(key string) error {
	return s.RemoveNDigest(s.family().SumString(key), 1)
}

// RemoveUint64 is [Sketch.Remove] for an integer.
func (s *Sketch) RemoveUint64(key uint64) error {
	return s.RemoveNDigest(s.family().SumUint64(key), 1)
}

// RemoveDigest is [Sketch.Remove] for a key already hashed by the sketch's
// family.
func (s *Sketch) RemoveDigest(d hashfam.Digest) error { return s.RemoveNDigest(d, 1) }

// RemoveN is [Sketch.Remove] n times at once: all of them or none.
func (s *Sketch) RemoveN(key []byte, n uint64) error {
	return s.RemoveNDigest(s.family().Sum(key), n)
}

// RemoveNString is [Sketch.RemoveN] for a string.
func (s *Sketch) RemoveNString(key string, n uint64) error {
	return s.RemoveNDigest(s.family().SumString(key), n)
}

// RemoveNUint64 is [Sketch.RemoveN] for an integer.
func (s *Sketch) RemoveNUint64(key, n uint64) error {
	return s.RemoveNDigest(s.family().SumUint64(key), n)
}

// RemoveNDigest is [Sketch.RemoveN] for a key already hashed by the sketch's
// family.
func (s *Sketch) RemoveNDigest(d hashfam.Digest, n uint64) error {
	if s == nil {
		return errs.Nil()
	}
	if s.params.Conservative {
		return paramError("Params.Conservative", true, "false for Remove")
	}
	if err := s.params.checkRemoval(n, s.CountDigest(d), s.total); err != nil {
		return err
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

// checkRemoval returns an error if more copies of a key are to be removed than
// were counted. A count at the maximum of the counters means that or more, so
// only the total bounds it; no counter of the key changes then.
func (p Params) checkRemoval(n, count, total uint64) error {
	most := min(count, total)
	if p.stuck(count) {
		most = total
	}
	if n > most {
		return paramError("n", n, fmt.Sprintf("at most the key's count, %d", most))
	}
	return nil
}

// family returns the family of s, also if s is nil.
func (s *Sketch) family() hashfam.Family {
	if s == nil {
		return hashfam.Family{}
	}
	return s.params.Family
}

// subtract takes n from the key's counter in every row. A counter at its
// maximum means that or more, and stays; all others are at least n, or all
// stay.
func subtract[C counter](cells []C, w uint64, d hashfam.Digest, n C) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(cells)); row, p = row+w, p.Next() {
		if c := &cells[row+p.In(w)]; *c != ^C(0) {
			*c -= n
		}
	}
}
