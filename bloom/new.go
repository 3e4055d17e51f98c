package bloom

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// New returns an empty filter for c: [Config.Params] and [NewFromParams] in
// one. Its errors are theirs.
func New(c Config) (*Filter, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty filter of Bits/8 bytes. Parameters that
// describe no filter are an [ErrParams] that names the field. As any large
// allocation does, one that the machine cannot serve ends the program: check
// Bits where it comes from elsewhere.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, make([]uint64, p.words())), nil
}

// newFilter returns the filter of checked parameters over words.
func newFilter(p Params, words []uint64) *Filter {
	return &Filter{params: p, span: p.span(), words: words}
}

// NewReceiver returns a filter that is good for one thing: to decode into it
// what was encoded under fam. Until then it behaves as the zero Filter, which
// decodes what was encoded under the public family.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{params: Params{Family: fam}} }

// FromWords returns the filter of parameters p whose bits are words: bit i is
// bit i mod 64, from the least significant, of words[i/64]. The filter keeps
// words, which the caller must not use again. O(1) time, no copy. In a Blocked
// filter a key costs two cache misses in place of one unless words begins at a
// multiple of 64 bytes, as large slices of Go do.
//
// Parameters that describe no filter are an [ErrParams] that names the field,
// and so are another number of words than ceil(Bits/64), or a bit set beyond
// the last.
func FromWords(p Params, words []uint64) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	if uint64(len(words)) != p.words() {
		return nil, paramError("len(words)", len(words), fmt.Sprint(p.words()))
	}
	if err := p.checkWords(words, ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, words), nil
}
