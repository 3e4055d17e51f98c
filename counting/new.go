package counting

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/nibbles"
)

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
	return newFilter(p, make(nibbles.Counters, p.words())), nil
}

// newFilter returns a filter of the valid parameters p that keeps counters.
func newFilter(p Params, counters nibbles.Counters) *Filter { return &Filter{newReader(p, counters)} }

func newReader(p Params, counters nibbles.Counters) reader {
	span := p.Counters
	if p.Layout == Blocked {
		span /= blockCounters
	}
	return reader{p, p.kind(), span, counters, p.Family.Hasher(p.SizeBytes())}
}

// NewReceiver returns an empty filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. O(1)
// time.
func NewReceiver(fam hashfam.Family) *Filter {
	return &Filter{reader{params: Params{Family: fam}}}
}

// Params returns the parameters of the filter. O(1) time.
func (f *reader) Params() Params { return f.params }

// Family returns the family that hashes the keys of the filter. O(1) time.
func (f *reader) Family() hashfam.Family { return f.params.Family }

// SizeBytes returns the size of the counters in bytes. The filter itself adds
// less than 100. O(1) time.
func (f *reader) SizeBytes() uint64 { return 8 * uint64(len(f.counters)) }

// Reset removes every key and clears the stuck counters. O(m) time, no
// allocation.
func (f *Filter) Reset() { clear(f.made().counters) }

// Clone returns a copy that shares no memory with f. O(m) time, one allocation
// of the counters.
func (f *Filter) Clone() *Filter {
	c := *f
	c.counters = slices.Clone(f.counters)
	return &c
}

// Equal reports whether f and other have the same Params and the same counters.
// O(m) time, no allocation.
func (f *Filter) Equal(other *Filter) bool {
	return f.params == other.params && slices.Equal(f.counters, other.counters)
}

// Merge adds every copy of every key of the others to f: each counter becomes
// the sum of all, and is stuck if that is 15 or more. If nothing was deleted
// from any of them, the result is, counter for counter, the filter built from
// all keys. If the [Params] of one differ, Merge returns [ErrIncompatible],
// naming the field and the place in others, and leaves f unchanged. It passes
// over f once, so that one call with many filters is faster than many calls if
// f is larger than the cache. O(m) time for each of them, no allocation.
func (f *Filter) Merge(others ...*Filter) error {
	err := fault.Mergeable(errs, "Params", f.made().params, others, func(other *Filter) Params { return other.params })
	if err != nil {
		return err
	}
	for first := 0; first < len(f.counters); first += mergeWords {
		piece := f.counters[first:min(first+mergeWords, len(f.counters))]
		for _, other := range others {
			piece.AddAll(other.counters[first:])
		}
	}
	return nil
}

// mergeWords is the number of words that Merge merges at a time: 8 KiB, which
// stay in the first cache.
const mergeWords = 1024

// Bloom returns the Bloom filter of the keys in the filter: bit i is set if
// counter i is not zero. It answers every Contains in the same way, in a
// quarter of the memory, and shares no memory with the filter. Except for the
// bits of stuck counters it is, bit for bit, the filter that package bloom
// builds from these keys with the same number of bits, hashes, layout and
// family. O(m) time, one allocation of m/8 bytes.
func (f *reader) Bloom() *bloom.Filter {
	words := make([]uint64, (len(f.made().counters)+3)/4)
	for i, w := range f.counters {
		words[i/4] |= nibbles.Gather(nibbles.Nonzero(w)) << (i % 4 * 16)
	}
	if rest := f.params.Counters % 64; rest > 0 { // in a damaged View, counters beyond the last are not zero
		words[len(words)-1] &= 1<<rest - 1
	}
	b, err := bloom.FromWords(f.params.bloom(), words)
	if err != nil {
		panic(err) // impossible: the parameters are valid
	}
	return b
}

// String describes f in one line. It does not show the key.
func (f Filter) String() string { return fmt.Sprintf("counting.Filter(%v)", f.params) }

// Format prints [Filter.String] for every verb, so that none shows the key.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns [Filter.String] for package log/slog.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }
