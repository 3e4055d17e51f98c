package perfect

import (
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A shape holds the parameters in a frame, which determine the payload's size.
//
// The payload begins with the mapping: the seeds of all levels but the last,
// whose only seed is in the shape, the list of the places that the first level
// left free (see [mapping]), and zeros up to a multiple of 8 bytes. In a
// filter, the slots follow.
type shape struct {
	keys    uint64
	compact bool
	seed    uint32   // the last level's seed
	bumped  []uint64 // number of keys in each level after the first
	slot    slotSize // zero in a function
}

// check returns ErrCorrupt if s is invalid in a frame of this kind.
func (s *shape) check(kind frame.Kind) error {
	switch {
	case s.keys > maxKeys:
		return errs.Field(hashfam.ErrCorrupt, "Params.Keys", s.keys, fmt.Sprintf("at most %d", uint64(maxKeys)))
	case s.seed >= maxLastSeeds:
		return errs.Field(hashfam.ErrCorrupt, "seed of the last level", s.seed, fmt.Sprintf("below %d", maxLastSeeds))
	}
	n := s.keys
	for i, bumped := range s.bumped {
		if n <= maxLast {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("keys of level %d", i), n, fmt.Sprintf("above %d except in the last level", maxLast))
		}
		if bumped > n {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("keys of level %d", i+1), bumped, fmt.Sprintf("at most %d, as in the previous level", n))
		}
		n = bumped
	}
	if n > maxLast {
		return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("keys of level %d", len(s.bumped)), n, fmt.Sprintf("at most %d in the last level", maxLast))
	}
	return s.slot.check(kind)
}

// newList returns the list of the places that the first level left free,
// without its bytes.
func (s *shape) newList() eliasFano {
	n := uint64(0)
	for _, bumped := range s.bumped {
		n += bumped
	}
	return newEliasFano(n, s.keys)
}

func (s *shape) mappingBytes() uint64 {
	total := uint64(0)
	n := s.keys
	for _, bumped := range s.bumped {
		total += bucketsOf(n)
		n = bumped
	}
	list := s.newList()
	return (total + list.bytes() + wordBytes - 1) / wordBytes * wordBytes
}

// bytes returns the size of the payload.
func (s *shape) bytes() uint64 { return s.mappingBytes() + s.slot.bytes(s.keys) }

// mapping returns the mapping that the bytes b encode. It returns ErrCorrupt if
// the list is damaged, because indexes could then be out of range. The check
// takes time linear in the number of bumped keys.
func (s *shape) mapping(b []byte) (mapping, error) {
	m := mapping{n: s.keys, list: s.newList(), built: true}
	m.levels = make([]level, 0, len(s.bumped))
	n := s.keys
	base := uint64(0)
	at := uint64(0)
	for _, bumped := range s.bumped {
		end := at + bucketsOf(n)
		m.levels = append(m.levels, newLevel(n, base, s.compact, b[at:end:end]))
		base += n
		n = bumped
		at = end
	}
	m.last = lastLevel{base: base, n: n, seed: s.seed}
	end := at + m.list.bytes()
	m.list.setBytes(b[at:end:end])
	if err := checkZeros("bits after the list", b, 8*end); err != nil {
		return mapping{}, err
	}
	return m, m.list.mark()
}

func (s *shape) equal(t *shape) bool {
	return s.keys == t.keys && s.compact == t.compact && s.seed == t.seed && s.slot == t.slot && slices.Equal(s.bumped, t.bumped)
}

// params returns the parameters. Their size includes the payload and the list's
// marks, which are only in memory.
func (s *shape) params(fam hashfam.Family) Params {
	marks := (s.newList().n + markEvery - 1) / markEvery
	return Params{Keys: s.keys, Compact: s.compact, bytes: s.bytes() + wordBytes*marks, Family: fam}
}

func (s *shape) filterParams(fam hashfam.Family) FilterParams {
	return FilterParams{Params: s.params(fam), FPRate: s.slot.rate(), ValueBits: int(s.slot.value)}
}

// expected returns s with the numbers of keys that its levels are likely to
// have.
func (s shape) expected() shape {
	s.bumped = nil
	for n := s.keys; n > maxLast; {
		n = bumpedOf(n, s.compact)
		s.bumped = append(s.bumped, n)
	}
	return s
}

// estimate returns about the size of a structure with s's keys and slots.
func (s shape) estimate() uint64 {
	s = s.expected()
	return s.params(hashfam.Family{}).bytes
}
