package counting

import "github.com/filterfam/filterfam/hashfam"

// New returns an empty filter for c: it calls [Config.Params] and
// [NewFromParams] and returns their errors. O(m) time, one allocation of the
// counters.
func New(c Config) (*Filter, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty filter of Counters/2 bytes. It returns
// [ErrParams], naming the field, if p is invalid. O(m) time.
//
// The program ends if the machine does not have that much memory. If p comes
// from an untrusted source, check [Params.SizeBytes] first.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, make(nibbles, p.words())), nil
}

// newFilter returns a filter of the valid parameters p that keeps counters.
func newFilter(p Params, counters nibbles) *Filter {
	span := p.Counters
	if p.Layout == Blocked {
		span /= blockCounters
	}
	return &Filter{params: p, span: span, counters: counters}
}

// NewReceiver returns an empty filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. Until
// then it behaves like a zero Filter. O(1) time.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{params: Params{Family: fam}} }
