package perfect

import (
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A shape is what the parameters of a frame tell about a mapping. The size of
// its payload follows from it.
//
// The payload is the seeds of all levels, the list of the places that the first
// level left free, and zeros up to a multiple of 8 bytes.
type shape struct {
	keys    uint64
	compact bool
	seed    uint32   // of the last level
	bumped  []uint64 // number of keys of each level after the first
}

// check returns an error with the given reason that names the invalid field,
// or nil if s is valid: only the last level has at most maxLast keys, and no
// level has more than the one before.
func (s *shape) check(reason error) error {
	if s.keys > maxKeys {
		return errs.Field(reason, "Params.Keys", s.keys, fmt.Sprintf("at most %d", uint64(maxKeys)))
	}
	if len(s.bumped) > maxLevels {
		return errs.Field(reason, "levels", len(s.bumped), fmt.Sprintf("at most %d", maxLevels))
	}
	n := s.keys
	for i, bumped := range s.bumped {
		if n <= maxLast || bumped > n {
			return errs.Field(reason, fmt.Sprintf("keys of level %d", i+1), bumped,
				fmt.Sprintf("no such level after one of %d keys, or at most as many", n))
		}
		n = bumped
	}
	if n > maxLast {
		return errs.Field(reason, "keys of the last level", n, fmt.Sprintf("at most %d", maxLast))
	}
	if s.seed >= maxLastSeeds {
		return errs.Field(reason, "last seed", s.seed, fmt.Sprintf("below %d", maxLastSeeds))
	}
	return nil
}

// listSize returns the layout of the list of free places.
func (s *shape) listSize() listSize {
	n := uint64(0)
	for _, bumped := range s.bumped {
		n += bumped
	}
	return newListSize(n, s.keys)
}

// bytes returns the size of the payload.
func (s *shape) bytes() uint64 {
	total := uint64(0)
	for i, n := 0, s.keys; i < len(s.bumped); i++ {
		total += bucketsOf(n)
		n = s.bumped[i]
	}
	return (total + s.listSize().bytes() + wordBytes - 1) / wordBytes * wordBytes
}

// over returns the mapping of shape s whose payload is b, which has s.bytes()
// bytes. It returns ErrCorrupt if the list is damaged, so that every index is
// in range. O(bumped keys) time.
func (s *shape) over(b []byte) (mapping, error) {
	m := mapping{n: s.keys}
	n, base, at := s.keys, uint64(0), uint64(0)
	for _, bumped := range s.bumped {
		end := at + bucketsOf(n)
		m.levels = append(m.levels, newLevel(n, base, s.compact, b[at:end:end]))
		base, n, at = base+n, bumped, end
	}
	m.last = last{base: base, n: n, seed: s.seed}
	size := s.listSize()
	end := at + size.bytes()
	m.free = size.over(b[at:end:end])
	for i, c := range b[end:] {
		if c != 0 {
			return mapping{}, errs.Field(ErrCorrupt, fmt.Sprintf("byte %d after the list", i), c, "0")
		}
	}
	return m, m.free.mark(s.keys)
}

// memory returns the size of the mapping in memory: the payload and the marks.
func (s *shape) memory() uint64 {
	return s.bytes() + wordBytes*((s.listSize().n+markEvery-1)/markEvery)
}

// params returns the parameters of the function of shape s.
func (s *shape) params(fam hashfam.Family) Params {
	return Params{Keys: s.keys, Compact: s.compact, Bytes: s.memory(), Family: fam}
}

func (s *shape) equal(t *shape) bool {
	return s.keys == t.keys && s.compact == t.compact && s.seed == t.seed && slices.Equal(s.bumped, t.bumped)
}
