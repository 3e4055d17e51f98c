package perfect

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A layout holds the parameters in a frame. They determine the payload's size.
//
// The payload begins with the mapping: the seeds of all levels, the list of the
// places that the first level left free, and zeros up to a multiple of 8 bytes.
// In a filter the slots follow.
type layout struct {
	keys    uint64
	compact bool
	seed    uint32   // the last level's seed
	bumped  []uint64 // number of keys in each level after the first
	slots   slotSize // zero in a function
}

// check returns ErrCorrupt if l is invalid in a frame of this kind: a level
// cannot have more keys than the previous one, and only the last level can have
// maxLast keys or fewer.
func (l *layout) check(kind frame.Kind) error {
	n, valid := l.keys, l.keys <= maxKeys && len(l.bumped) <= maxLevels && l.seed < maxLastSeeds
	for _, bumped := range l.bumped {
		valid = valid && n > maxLast && bumped <= n
		n = bumped
	}
	if !valid || n > maxLast {
		return errs.Field(ErrCorrupt, "keys of each level, last seed", fmt.Sprint(l.keys, l.bumped, l.seed),
			fmt.Sprintf("at most %d keys in %d levels, no more than in the previous level, above %d except in the last level, and a seed below %d",
				uint64(maxKeys), maxLevels, maxLast, maxLastSeeds))
	}
	return l.slots.check(kind)
}

// free returns the list of the places that the first level left free, without
// its bytes.
func (l *layout) free() eliasFano {
	n := uint64(0)
	for _, bumped := range l.bumped {
		n += bumped
	}
	return newEliasFano(n, l.keys)
}

func (l *layout) mappingBytes() uint64 {
	total := uint64(0)
	for i, n := 0, l.keys; i < len(l.bumped); i++ {
		total += bucketsOf(n)
		n = l.bumped[i]
	}
	free := l.free()
	return (total + free.bytes() + wordBytes - 1) / wordBytes * wordBytes
}

// bytes returns the size of the payload.
func (l *layout) bytes() uint64 { return l.mappingBytes() + l.slots.bytes(l.keys) }

// over returns the mapping with the bytes b. It returns ErrCorrupt if the list
// is damaged, because otherwise indexes could be out of range. The time is
// linear in the number of bumped keys.
func (l *layout) over(b []byte) (mapping, error) {
	m := mapping{n: l.keys, free: l.free(), valid: true}
	n, base, at := l.keys, uint64(0), uint64(0)
	for _, bumped := range l.bumped {
		end := at + bucketsOf(n)
		m.levels = append(m.levels, newLevel(n, base, l.compact, b[at:end:end]))
		base, n, at = base+n, bumped, end
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
func (l *layout) params(fam hashfam.Family) Params {
	marks := (l.free().n + markEvery - 1) / markEvery
	return Params{Keys: l.keys, Compact: l.compact, Bytes: l.bytes() + wordBytes*marks, Family: fam}
}

func (l *layout) filterParams(fam hashfam.Family) FilterParams {
	return FilterParams{Params: l.params(fam), FPRate: l.slots.rate(), ValueBits: int(l.slots.value)}
}
