package countmin

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// Remove takes back n counts of key, all of them or none. It is for keys that
// are counted at least as often as they are removed: then every count stays at
// least the truth (strict turnstile; Cormode and Muthukrishnan 2005, section
// 4.1). O(depth) time, no allocation.
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
func (s *Sketch) Remove(key []byte, n uint64) error {
	return s.RemoveDigest(s.hash.Sum(key), n)
}

// RemoveDigest is [Sketch.Remove] for a digest under its family.
func (s *Sketch) RemoveDigest(d hashfam.Digest, n uint64) error {
	if s.params.Conservative {
		return paramError("Params.Conservative", true, "false for Remove")
	}
	if most := s.removable(d); n > most {
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

// removable returns how often the key may have been counted. A count at the
// maximum of the counters means that or more, so only the total bounds it; no
// counter of the key changes then.
func (s *Sketch) removable(d hashfam.Digest) uint64 {
	if count := s.CountDigest(d); !s.params.stuck(count) {
		return min(count, s.total)
	}
	return s.total
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
