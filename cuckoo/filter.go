package cuckoo

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// New returns an empty filter for c. It returns the errors of [Config.Params]
// and [NewFromParams].
func New(c Config) (*Filter, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty filter with the parameters p. It returns
// [hashfam.ErrParams], naming the field, if p is invalid or if the filter is
// too large for the platform: with 32-bit addresses, the limit is 1 GiB.
//
// If there is not enough memory, the program crashes, so check
// [Params.SizeBytes] first if p comes from an untrusted source.
func NewFromParams(p Params) (*Filter, error) {
	if err := cmp.Or(p.check(hashfam.ErrParams), p.fits()); err != nil {
		return nil, err
	}
	return &Filter{newReadable(p, make([]byte, p.SizeBytes()), 0)}, nil
}

// newReadable returns the readable part of a filter for valid parameters, using
// bytes as the table, which must contain count fingerprints.
func newReadable(p Params, bytes []byte, count uint64) readable {
	return readable{
		params:   p,
		hash:     p.Family.Hasher(p.SizeBytes()),
		table:    table.New(p.shape(), bytes),
		partners: table.NewPartners(p.shape(), partnersKey(p.Family)),
		count:    count,
	}
}

// partnersKey returns a secret that makes pairs of buckets unpredictable.
func partnersKey(fam hashfam.Family) uint64 {
	return uint64(fam.Derive("cuckoo relocation").SumUint64(0))
}

// NewReceiver returns an empty filter for decoding data that was encoded with
// fam. A zero Filter decodes data that was encoded with the public family.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{readable{params: Params{Family: fam}}} }

// Params returns the filter's parameters.
func (f *readable) Params() Params { return f.params }

// Family returns the family that hashes the keys.
func (f *readable) Family() hashfam.Family { return f.params.Family }

// SizeBytes returns the size of the table in bytes. The structure itself needs
// up to 350 bytes more, plus up to 1/256 of the table size.
func (f *readable) SizeBytes() uint64 { return uint64(len(f.table.Bytes)) }

// Len returns the exact number of keys that were added and not deleted,
// counting copies.
func (f *readable) Len() uint64 { return f.count }

// Reset removes all keys.
func (f *Filter) Reset() {
	clear(f.table.Made().Bytes)
	f.count = 0
}

// Clone returns a deep copy of f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.table.Bytes = slices.Clone(f.table.Bytes)
	return &c
}

// Equal reports whether f and other have the same Params and the same
// fingerprints in the same slots. If filters were built from the same keys in a
// different order, they may not be equal.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.table.Bytes, other.table.Bytes)
}

// String describes f in one line.
func (f readable) String() string { return fmt.Sprintf("cuckoo.Filter(%v)", f.params) }

// Format prints the result of String for every verb.
func (f readable) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f readable) LogValue() slog.Value { return slog.StringValue(f.String()) }
