package counting

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/nibbles"
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
	return newFilter(p, make(nibbles.Counters, p.words())), nil
}

// newFilter returns a filter with the valid parameters p. The filter retains
// counters.
func newFilter(p Params, counters nibbles.Counters) *Filter {
	f := &Filter{p, p.Counters, counters, p.Family.Hasher(p.SizeBytes())}
	if p.blocked() {
		f.span /= blockCounters
	}
	return f
}

// NewReceiver returns an empty filter for decoding data that was encoded with
// fam. A zero Filter decodes data that was encoded with the public family.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{params: Params{Family: fam}} }

// Params returns the filter's parameters.
func (f *Filter) Params() Params { return f.params }

// Family returns the family that hashes the keys.
func (f *Filter) Family() hashfam.Family { return f.params.Family }

// SizeBytes returns the size of the counters in bytes. The structure itself
// needs up to 200 bytes more.
func (f *Filter) SizeBytes() uint64 { return 8 * uint64(len(f.counters)) }

// Reset removes all keys and clears the stuck counters.
func (f *Filter) Reset() { clear(f.made().counters) }

// Clone returns a deep copy of f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.counters = slices.Clone(f.counters)
	return &c
}

// Equal reports whether f and other have the same Params and counters. It
// compares all counters.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.counters, other.counters)
}

// Bloom returns a Bloom filter of the keys in the filter: bit i is set if
// counter i is not zero. Contains returns the same results for both filters,
// but the Bloom filter needs only a quarter of the memory. Except for the bits
// of stuck counters, the result is identical, bit for bit, to a filter that
// package bloom builds from these keys with equal parameters. Bloom reads all
// counters and allocates m/8 bytes.
func (f *Filter) Bloom() *bloom.Filter {
	words := make([]uint64, (len(f.made().counters)+3)/4)
	for i, w := range f.counters {
		words[i/4] |= nibbles.Gather(nibbles.Nonzero(w)) << (i % 4 * 16)
	}
	b, err := bloom.FromWords(f.params.bloom(), words)
	if err != nil {
		panic(err) // impossible: the parameters are valid
	}
	return b
}

// String describes f in one line.
func (f Filter) String() string { return fmt.Sprintf("counting.Filter(%v)", f.params) }

// Format prints the result of String for every verb.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }
