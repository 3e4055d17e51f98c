package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// paddedWords returns the number of words that the bit array uses in a frame's
// payload. Each array is padded to whole lines, so the next one begins at a
// multiple of 64 bytes.
func (p Params) paddedWords() uint64 { return (p.words() + lineWords - 1) / lineWords * lineWords }

// yield yields the bit array of every stage, followed by its padding.
func (s *stages) yield(yield func([]byte) bool) {
	for i := range s.list {
		for piece := range frame.Numbers(s.list[i].words) {
			if !yield(piece) {
				return
			}
		}
		p := s.list[i].params
		if n := p.paddedWords() - p.words(); n > 0 && !yield(make([]byte, 8*n)) {
			return
		}
	}
}

// words returns the number of words that all bit arrays use in a payload.
func (s *stages) words() uint64 {
	return total(s, func(f *Filter) uint64 { return f.params.paddedWords() })
}

// use gives each stage its bit array in words, without copying it. The stages
// must have valid parameters. use returns ErrCorrupt if words is too short or
// too long, or if a bit is set after the end of an array.
func (s *stages) use(words []uint64) error {
	for i := range s.list {
		p := s.list[i].params
		n := p.paddedWords()
		if uint64(len(words)) < n {
			return errs.Field(hashfam.ErrCorrupt, "payload", "too short", "the arrays of all stages")
		}
		if err := p.checkWords(words[:n], hashfam.ErrCorrupt); err != nil {
			return err
		}
		s.list[i].words = words[:p.words():p.words()]
		words = words[n:]
	}
	if len(words) != 0 {
		return errs.Field(hashfam.ErrCorrupt, "payload", "too long", "the arrays of all stages")
	}
	return nil
}
