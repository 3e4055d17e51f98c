package cuckoo

import (
	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// New returns an empty filter for c: [Config.Params] and [NewFromParams] in
// one. It returns their errors. O(m) time for m buckets.
func New(c Config) (*Filter, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty filter of Buckets*FingerprintBits/2 bytes, or
// Buckets*(FingerprintBits-1)/2 if it is compact. It returns [ErrParams] and
// names the field if p is invalid. If the machine does not have the memory, the
// program ends: check [Params.SizeBytes] first if the parameters come from
// elsewhere. O(m) time for m buckets.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	return &Filter{newReader(p, make([]byte, p.SizeBytes()), 0)}, nil
}

// newReader returns the reader of checked parameters over bytes, in which count
// slots are taken.
func newReader(p Params, bytes []byte, count uint64) reader {
	return reader{
		params:   p,
		hash:     p.Family.Hasher(p.SizeBytes()),
		table:    table.New(p.shape(), bytes),
		partners: table.NewPartners(p.shape(), partnersKey(p.Family)),
		count:    count,
	}
}

// partnersKey returns what hides from untrusted parties which keys share
// buckets.
func partnersKey(fam hashfam.Family) uint64 {
	return uint64(fam.Derive("cuckoo relocation").SumUint64(0))
}

// NewReceiver returns an empty filter to decode into. It accepts encodings made
// under fam; the zero Filter accepts those of the public family. O(1) time.
func NewReceiver(fam hashfam.Family) *Filter {
	return &Filter{reader{params: Params{Family: fam}}}
}
