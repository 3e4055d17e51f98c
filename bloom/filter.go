package bloom

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

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
	return newFilter(p, make([]uint64, p.words())), nil
}

// newFilter returns a filter with the valid parameters p that uses words.
func newFilter(p Params, words []uint64) *Filter { return &Filter{newReadable(p, words)} }

func newReadable(p Params, words []uint64) readable {
	return readable{setup{p, p.Bits / p.unit(), p.Family.Hasher(p.SizeBytes())}, words}
}

// NewReceiver returns an empty filter for decoding data that was encoded with
// fam. A zero Filter decodes data that was encoded with the public family.
func NewReceiver(fam hashfam.Family) *Filter {
	return &Filter{readable{setup: setup{params: Params{Family: fam}}}}
}

// FromWords returns a filter whose bits are words: bit i of the filter is bit
// i%64 of words[i/64], where bit 0 is the least significant. The filter uses
// the slice itself, so the caller must not use it again.
//
// FromWords returns [hashfam.ErrParams], naming the field, if p is invalid, if
// there are not exactly ceil(Bits/64) words, or if a bit after the first Bits
// bits is set.
//
// For a Blocked filter, words should begin at a multiple of 64 bytes, as large
// slices in Go do. Otherwise a key can cause two cache misses instead of one.
func FromWords(p Params, words []uint64) (*Filter, error) {
	if err := p.check(hashfam.ErrParams); err != nil {
		return nil, err
	}
	if uint64(len(words)) != p.words() {
		return nil, paramError("len(words)", len(words), fmt.Sprint(p.words()))
	}
	if err := p.checkWords(words, hashfam.ErrParams); err != nil {
		return nil, err
	}
	return newFilter(p, words), nil
}

// Params returns the filter's parameters.
func (s *setup) Params() Params { return s.params }

// Family returns the family that hashes the keys.
func (s *setup) Family() hashfam.Family { return s.params.Family }

// SizeBytes returns the size of the bit array in bytes. The structure itself
// needs up to 200 bytes more.
func (s *setup) SizeBytes() uint64 { return s.params.SizeBytes() }

// Reset removes all keys.
func (f *Filter) Reset() {
	f.made()
	clear(f.words)
}

// Clone returns a deep copy of f.
func (f *Filter) Clone() *Filter { return newFilter(f.params, slices.Clone(f.words)) }

// Equal reports whether f and other have the same Params and the same bits.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.words, other.words)
}

// String describes the filter in one line.
func (s setup) String() string { return fmt.Sprintf("bloom.Filter(%v)", s.params) }

// Format prints the result of String for every verb.
func (s setup) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the result of String for package log/slog.
func (s setup) LogValue() slog.Value { return slog.StringValue(s.String()) }
