package perfect

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A shape holds the parameters in a frame, which determine the payload's size.
//
// The payload begins with the mapping: the seeds of all levels, the list of the
// places that the first level left free, and zeros up to a multiple of 8 bytes.
// In a filter the slots follow.
type shape struct {
	keys    uint64
	compact bool
	seed    uint32   // the last level's seed
	bumped  []uint64 // number of keys in each level after the first
	slots   slotSize // zero in a function
}

// check returns ErrCorrupt if l is invalid in a frame of this kind.
func (l *shape) check(kind frame.Kind) error {
	switch {
	case l.keys > maxKeys:
		return errs.Field(hashfam.ErrCorrupt, "Params.Keys", l.keys, fmt.Sprintf("at most %d", uint64(maxKeys)))
	case l.seed >= maxLastSeeds:
		return errs.Field(hashfam.ErrCorrupt, "seed of the last level", l.seed, fmt.Sprintf("below %d", maxLastSeeds))
	}
	n := l.keys
	for i, bumped := range l.bumped {
		if n <= maxLast {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("keys of level %d", i), n, fmt.Sprintf("above %d except in the last level", maxLast))
		}
		if bumped > n {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("keys of level %d", i+1), bumped, fmt.Sprintf("at most %d, as in the previous level", n))
		}
		n = bumped
	}
	if n > maxLast {
		return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("keys of level %d", len(l.bumped)), n, fmt.Sprintf("at most %d in the last level", maxLast))
	}
	return l.slots.check(kind)
}

// free returns the list of the places that the first level left free, without
// its bytes.
func (l *shape) free() eliasFano {
	n := uint64(0)
	for _, bumped := range l.bumped {
		n += bumped
	}
	return newEliasFano(n, l.keys)
}

func (l *shape) mappingBytes() uint64 {
	total := uint64(0)
	n := l.keys
	for _, bumped := range l.bumped {
		total += bucketsOf(n)
		n = bumped
	}
	free := l.free()
	return (total + free.bytes() + wordBytes - 1) / wordBytes * wordBytes
}

// bytes returns the size of the payload.
func (l *shape) bytes() uint64 { return l.mappingBytes() + l.slots.bytes(l.keys) }

// over returns the mapping with the bytes b. It returns ErrCorrupt if the list
// is damaged, because otherwise indexes could be out of range, and runs in
// linear time in the number of bumped keys.
func (l *shape) over(b []byte) (mapping, error) {
	m := mapping{n: l.keys, free: l.free(), built: true}
	m.levels = make([]level, 0, len(l.bumped))
	n := l.keys
	base := uint64(0)
	at := uint64(0)
	for _, bumped := range l.bumped {
		end := at + bucketsOf(n)
		m.levels = append(m.levels, newLevel(n, base, l.compact, b[at:end:end]))
		base += n
		n = bumped
		at = end
	}
	m.last = lastLevel{base: base, n: n, seed: l.seed}
	end := at + m.free.bytes()
	m.free.use(b[at:end:end])
	if err := checkZeros("bits after the list", b, 8*end); err != nil {
		return mapping{}, err
	}
	return m, m.free.mark()
}

// params returns the parameters. In addition to the payload there are marks.
func (l *shape) params(fam hashfam.Family) Params {
	marks := (l.free().n + markEvery - 1) / markEvery
	return Params{Keys: l.keys, Compact: l.compact, bytes: l.bytes() + wordBytes*marks, Family: fam}
}

func (l *shape) filterParams(fam hashfam.Family) FilterParams {
	return FilterParams{Params: l.params(fam), FPRate: l.slots.rate(), ValueBits: int(l.slots.value)}
}

// expected returns l with the numbers of keys that its levels are likely to
// have.
func (l shape) expected() shape {
	l.bumped = nil
	for n := l.keys; n > maxLast; {
		n = bumpedOf(n, l.compact)
		l.bumped = append(l.bumped, n)
	}
	return l
}

// estimate returns about the size of a structure with l's keys and slots.
func (l shape) estimate() uint64 {
	l = l.expected()
	return l.params(hashfam.Family{}).bytes
}
