package bloom

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// New returns an empty filter for c: it calls [Config.Params] and
// [NewFromParams] and returns their errors. O(m) time, one allocation of the
// bit array.
func New(c Config) (*Filter, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty filter of Bits/8 bytes. It returns
// [ErrParams], naming the field, if p is invalid or if the filter is too large
// for the platform: 1 GiB is the limit if addresses have 32 bits. O(m) time.
//
// The program ends if the machine does not have that much memory. If p comes
// from an untrusted source, check [Params.SizeBytes] first.
func NewFromParams(p Params) (*Filter, error) {
	if err := p.check(ErrParams); err != nil {
		return nil, err
	}
	if err := p.fits(ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, make([]uint64, p.words())), nil
}

// newFilter returns a filter of the valid parameters p that keeps words.
func newFilter(p Params, words []uint64) *Filter { return &Filter{newReader(p, words)} }

func newReader(p Params, words []uint64) reader {
	return reader{shape{p, p.kind(), p.span(), p.Family.Hasher(p.SizeBytes())}, words}
}

// NewReceiver returns an empty filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. O(1)
// time.
func NewReceiver(fam hashfam.Family) *Filter {
	return &Filter{reader{shape: shape{params: Params{Family: fam}}}}
}

// FromWords returns the filter with parameters p whose bits are words: bit i of
// the filter is bit i%64 of words[i/64], where bit 0 is the least significant.
// The filter keeps words; the caller must not use it again. O(1) time, no copy.
//
// It returns [ErrParams], naming the field, if p is invalid, if the number of
// words is not ceil(Bits/64), or if a bit beyond the last one is set.
//
// A Blocked filter costs one cache miss per key if words begins at a multiple
// of 64 bytes, as large slices in Go do, and up to two otherwise.
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

// Params returns the parameters of the filter. O(1) time.
func (s *shape) Params() Params { return s.params }

// Family returns the family that hashes the keys of the filter. O(1) time.
func (s *shape) Family() hashfam.Family { return s.params.Family }

// SizeBytes returns the size of the bit array in bytes. The filter itself adds
// less than 100, and a Concurrent 4 KiB of locks. O(1) time.
func (s *shape) SizeBytes() uint64 { return s.params.SizeBytes() }

// String describes the filter in one line. It does not show the key.
func (s shape) String() string { return fmt.Sprintf("bloom.Filter(%v)", s.params) }

// Format prints String for every verb, as [hashfam.Family.Format] explains.
func (s shape) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns String for package log/slog.
func (s shape) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reset removes every key. O(m) time, no allocation.
func (f *Filter) Reset() { clear(f.used().words) }

// Clone returns a copy that shares no memory with f. O(m) time, one allocation
// of the bit array.
func (f *Filter) Clone() *Filter { return newFilter(f.params, slices.Clone(f.words)) }

// Equal reports whether f and other have the same Params and the same bits.
// O(m) time, no allocation.
func (f *Filter) Equal(other *Filter) bool {
	return f.params == other.params && slices.Equal(f.words, other.words)
}
