package cuckoo

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

// NewFromParams returns an empty filter of Buckets*FingerprintBits/2 bytes,
// Compact Buckets*(FingerprintBits-1)/2. Parameters that describe no filter
// are an [ErrParams] that names the field. As any large allocation does, one
// that the machine cannot serve ends the program: check Buckets where it comes
// from elsewhere.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, make([]byte, p.bytes())), nil
}

// newFilter returns the filter of checked parameters over bytes.
func newFilter(p Params, bytes []byte) *Filter {
	return &Filter{params: p, table: newTable(p, bytes), moves: newRelocation(p)}
}

// NewReceiver returns a filter that is good for one thing: to decode into it
// what was encoded under fam. Until then it behaves as the zero Filter, which
// decodes what was encoded under the public family.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{params: Params{Family: fam}} }
