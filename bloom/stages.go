package bloom

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// stages are the filters that a [Scalable] or a [Rotating] consists of, from
// the oldest to the newest. They have one family, so that one digest serves all
// of them.
type stages []Filter

// has reports whether any stage may contain d. Recent keys are asked for most
// often, so it begins with the newest stage.
//
// Most stages do not contain d, and half of the bits of a full one are set. So
// three positions are enough to exclude seven of eight stages.
func (s stages) has(d hashfam.Digest) bool {
	for i := len(s) - 1; i >= 0; i-- {
		if f := &s[i]; f.hasFirst(d) && f.ContainsDigest(d) {
			return true
		}
	}
	return false
}

// hasFirst tests the first three positions of d, or all if there are fewer. The
// positions of a Blocked filter are in one line, which AVX-512 tests as fast as
// three of them.
func (f *Filter) hasFirst(d hashfam.Digest) bool {
	switch k := min(3, f.params.Hashes); f.params.Layout {
	case Classic:
		return hasClassic(f.words, f.span, k, d)
	case Partitioned:
		return hasPartitioned(f.words, f.span, k, d)
	default:
		return useAVX512 || hasBlocked(f.words, f.span, k, d)
	}
}

// newest returns the newest stage. There is at least one.
func (s stages) newest() *Filter { return &s[len(s)-1] }

func (s stages) sizeBytes() uint64 {
	size := uint64(0)
	for i := range s {
		size += s[i].SizeBytes()
	}
	return size
}

// rate returns the chance that a key that was not added is found in one of the
// stages. They hold different keys, so they are independent.
func (s stages) rate() float64 {
	none := 1.0
	for i := range s {
		none *= 1 - s[i].FalsePositiveRate()
	}
	if len(s) == 1 {
		return s[0].FalsePositiveRate() // without the rounding of 1-(1-x)
	}
	return 1 - none
}

func (s stages) estimatedLen() float64 {
	if len(s) == 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for i := range s {
		sum += s[i].EstimatedLen()
	}
	return sum
}

func (s stages) clone() stages {
	c := make(stages, len(s))
	for i := range s {
		c[i] = *s[i].Clone()
	}
	return c
}

func (s stages) equal(other stages) bool {
	return slices.EqualFunc(s, other, func(f, g Filter) bool { return f.Equal(&g) })
}

// paddedWords returns the number of words of the array in the payload of a
// frame: whole lines, so that every array begins at a multiple of 64 bytes.
func (p Params) paddedWords() uint64 { return (p.words() + lineWords - 1) / lineWords * lineWords }

// yield yields the array of every stage, each followed by zeros up to a
// multiple of 64 bytes.
func (s stages) yield(yield func([]byte) bool) {
	for i := range s {
		for piece := range frame.Numbers(s[i].words) {
			if !yield(piece) {
				return
			}
		}
		p := s[i].params
		if n := p.paddedWords() - p.words(); n > 0 && !yield(make([]byte, 8*n)) {
			return
		}
	}
}

// cut returns the stages with the given valid parameters whose arrays are in
// words, one after another. They share its memory. It returns ErrCorrupt if
// words is too short or too long, or if a bit beyond the last one of an array
// is set.
func cut(words []uint64, list []Params) (stages, error) {
	s := make(stages, 0, len(list))
	for _, p := range list {
		n := p.paddedWords()
		if uint64(len(words)) < n {
			return nil, errs.Field(ErrCorrupt, "payload", "too short", "the arrays of all stages")
		}
		array, padding := words[:p.words():p.words()], words[p.words():n]
		words = words[n:]
		if err := p.checkWords(array, ErrCorrupt); err != nil {
			return nil, err
		}
		if ones(padding) != 0 {
			return nil, errs.Field(ErrCorrupt, "padding of a stage", "not zero", "zeros")
		}
		s = append(s, *newFilter(p, array))
	}
	if len(words) != 0 {
		return nil, errs.Field(ErrCorrupt, "payload", "too long", "the arrays of all stages")
	}
	return s, nil
}
