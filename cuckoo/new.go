package cuckoo

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
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
// names the field if p is invalid or if the filter is too large for the
// platform: 1 GiB is the limit if addresses have 32 bits. If the machine does
// not have the memory, the program ends: check [Params.SizeBytes] first if the
// parameters come from elsewhere. O(m) time for m buckets.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	if err := p.fits(ErrParams); err != nil {
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

// Params returns the parameters of f. O(1) time.
func (f *reader) Params() Params { return f.params }

// Family returns the family that hashes the keys of f. O(1) time.
func (f *reader) Family() hashfam.Family { return f.params.Family }

// SizeBytes returns the memory of the table in bytes. The filter itself adds
// less than 200, and at most a 256th of the table. O(1) time.
func (f *reader) SizeBytes() uint64 { return uint64(len(f.table.Bytes())) }

// Len returns the number of keys in f, counting copies: those added and not
// deleted. It is exact, also in a full filter. A [View] has it from the header;
// [View.Verify] counts. O(1) time.
func (f *reader) Len() uint64 { return f.count }

// FillRatio returns the share of slots that are taken, 0 to 1. O(1) time.
func (f *reader) FillRatio() float64 { return float64(f.count) / float64(f.params.slots()) }

// FalsePositiveRate returns the probability that a key that is not in f is
// found, in its current state: [Params.RateAt] of Len. Copies of a key count as
// keys of their own, so if there are some, the rate is lower than that. It is
// higher if ContainsOrAdd added the keys, because no two of them match each
// other: -ln(1-r) where FalsePositiveRate returns r, 0.128 for 0.12 and 1% more
// for 0.02. O(1) time.
func (f *reader) FalsePositiveRate() float64 { return f.params.RateAt(f.count) }

// Merge adds to f every fingerprint of others. Every key of all of them is then
// found, copies add up, and what was added to one of them can be deleted. The
// result need not Equal the filter built from all keys, in which the same
// fingerprints may lie in other slots.
//
// Merge returns [ErrIncompatible] if the [Params] differ, and names the place
// in others if there are several, and [ErrFull] if there is no room for all; f
// is then unchanged. ErrFull can happen to filters whose keys together would
// fit, since fingerprints find room in another order. Merge works on one copy
// of f, so it needs as much memory again. O(k m) time for k filters.
func (f *Filter) Merge(others ...*Filter) error {
	f.table.Made()
	if err := fault.Mergeable(errs, "Params", f.params, others, (*Filter).Params); err != nil {
		return err
	}
	room := f.params.slots() - f.count
	for _, other := range others {
		if other.count > room {
			return table.ErrFull
		}
		room -= other.count
	}
	merged := f.Clone()
	for _, other := range others {
		if err := merged.insertAll(other); err != nil {
			return err
		}
	}
	*f = *merged
	return nil
}

// insertAll adds every fingerprint of other, as far as there is room.
func (f *Filter) insertAll(other *Filter) error {
	for i := range other.params.Buckets {
		for _, fp := range other.table.Fingerprints(i) {
			if fp == 0 {
				continue
			}
			if err := f.insert(i, f.partners.Other(i, f.partners.Hash(fp)), fp); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reset removes every key. O(m) time, no allocation.
func (f *Filter) Reset() {
	f.table.Made()
	clear(f.table.Bytes())
	f.count = 0
}

// Clone returns a copy that shares no memory with f that changes. O(m) time.
func (f *Filter) Clone() *Filter {
	c := *f
	c.table = f.table.Clone()
	return &c
}

// Equal reports whether f and other have the same Params and hold the same
// fingerprints in the same places. Filters built from the same keys in another
// order hold the same fingerprints, but not always in the same places. O(m)
// time.
func (f *Filter) Equal(other *Filter) bool {
	return f.params == other.params && slices.Equal(f.table.Bytes(), other.table.Bytes())
}

// String describes the filter in one line, without its key.
func (f Filter) String() string { return fmt.Sprintf("cuckoo.Filter(%v)", f.params) }

// Format prints [Filter.String] for every verb, as [hashfam.Family.Format]
// does.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns [Filter.String] for structured logs.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }
