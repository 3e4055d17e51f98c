package counting

import "github.com/filterfam/filterfam/hashfam"

// New returns an empty filter for c: [Config.Params] and [NewFromParams] in
// one. Its errors are theirs.
func New(c Config) (*Filter, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty filter of Counters/2 bytes. Parameters that
// describe no filter are an [ErrParams] that names the field. As any large
// allocation does, one that the machine cannot serve ends the program: check
// Counters where it comes from elsewhere.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, make(nibbles, p.words())), nil
}

// newFilter returns the filter of checked parameters over counters.
func newFilter(p Params, counters nibbles) *Filter {
	span := p.Counters
	if p.Layout == Blocked {
		span /= blockCounters
	}
	return &Filter{params: p, span: span, counters: counters}
}

// NewReceiver returns a filter that is good for one thing: to decode into it
// what was encoded under fam. Until then it behaves as the zero Filter, which
// decodes what was encoded under the public family.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{params: Params{Family: fam}} }
