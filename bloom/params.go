package bloom

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams       = hashfam.ErrParams       // the Config or Params are invalid
	ErrIncompatible = hashfam.ErrIncompatible // two filters have different Params, or a delta is for another state
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // the bytes were encoded by a later version
	ErrFamily       = hashfam.ErrFamily       // the bytes were encoded with another family
)

// A FieldError describes an invalid field. See package [hashfam].
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "bloom"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}

// A Layout determines where a key's positions can be.
type Layout uint8

// See Layouts in the package comment.
const (
	Classic     Layout = iota // anywhere in the array; uses the least memory
	Partitioned               // one position in each of k slices
	Blocked                   // in a single cache line; the fastest
)

var layoutNames = []string{Classic: "classic", Partitioned: "partitioned", Blocked: "blocked"}

// String returns the layout's name in lower case.
func (l Layout) String() string {
	if l > Blocked {
		return fmt.Sprintf("Layout(%d)", uint8(l))
	}
	return layoutNames[l]
}

// MarshalText returns the name of l, or [ErrParams] if l is not a layout.
func (l Layout) MarshalText() ([]byte, error) {
	if l > Blocked {
		return nil, paramError("Layout", uint8(l), "0 to 2")
	}
	return []byte(l.String()), nil
}

// UnmarshalText sets l to the layout with the given name. If there is none, it
// returns [ErrParams] and leaves l unchanged.
func (l *Layout) UnmarshalText(text []byte) error {
	named := slices.Index(layoutNames, string(text))
	if named < 0 {
		return paramError("Layout", fmt.Sprintf("%q", text), "classic, partitioned or blocked")
	}
	*l = Layout(named)
	return nil
}

// A Config describes a filter by two or all of Capacity, FPRate and
// MemoryBytes. If two are set, the third follows from them. If all three are
// set, the filter is the smallest one that meets FPRate. If this filter is
// larger than MemoryBytes, the error contains the required memory and the rate
// that would fit.
type Config struct {
	// Capacity is the number of distinct keys for which FPRate holds. You can
	// add more keys: none will be lost, but the rate will rise. If Capacity is
	// zero, the filter uses all of MemoryBytes, and [Params.CapacityAt] returns
	// the number of keys for which FPRate holds.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. It must be below 1 and above Capacity/2^64, the probability that a
	// key has the same digest as a key in the filter. If FPRate is zero, the
	// filter uses all of MemoryBytes and has the lowest possible rate, which
	// [Params.RateAt] returns.
	FPRate float64

	// MemoryBytes, if it is not zero, is the maximum of [Params.SizeBytes]. A
	// filter that uses all of it may be up to 63 bytes smaller. An encoding
	// needs 72 more.
	MemoryBytes uint64

	Layout Layout // the default is Classic

	// Family hashes the keys. The zero value is the public family. A keyed
	// family should be used if untrusted parties can choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// Params are a filter's parameters. Filters with equal Params can be merged.
type Params struct {
	// Bits is m, the size of the array: 1 to 2^48. It must be a multiple of
	// Hashes for Partitioned, and a multiple of 512 for Blocked.
	Bits uint64

	// Hashes is k, the number of positions per key: 1 to 255.
	Hashes int

	Layout Layout
	Family hashfam.Family
}

// Params returns the parameters of the filter that c describes, without
// allocating it. Bits is the smallest size that meets FPRate, or all of
// MemoryBytes. Hashes is the number with the lowest rate at this size. Both are
// computed using the exact rate; the textbook formula is too optimistic.
//
// Unless the filter uses all of MemoryBytes, the number of bits (Classic), bits
// per slice (Partitioned) or lines (Blocked, with 1,024 lines or more) is
// rounded up to a multiple of 8, so that it can be folded three times.
//
// Params returns [ErrParams], naming the field, if no filter meets c. It runs
// in O(k^2) time for each of about ten sizes: five microseconds, tens of
// microseconds for rates below 1e-4, and up to a few milliseconds for extreme
// rates. Without a Capacity, it needs a millisecond for common rates, and a
// second or more for the lowest ones.
func (c Config) Params() (Params, error) {
	if c.Layout > Blocked {
		return Params{}, paramError("Config.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return fault.Budget(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
}

// smallest returns the parameters of the smallest filter for n keys and a rate.
func (c Config) smallest(n uint64, rate float64) (Params, error) {
	plan := [...]func(uint64, float64) (sizing.Plan, bool){sizing.ClassicPlan, sizing.PartitionedPlan, sizing.BlockedPlan}[c.Layout]
	p, ok := plan(n, rate)
	if !ok {
		return Params{}, paramError("Config.Capacity", n,
			fmt.Sprintf("a capacity that fits in %d bits and %d hashes at FPRate %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, rate))
	}
	return Params{Bits: p.Bits, Hashes: p.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// within returns the parameters with the lowest rate at n keys within the given
// memory. If there are none, the result is invalid.
func (c Config) within(n, bytes uint64) Params {
	bytes = min(bytes, sizing.MaxBits/8)
	of := func(k int) Params {
		p := Params{Bits: bytes / 8 * 64, Hashes: k, Layout: c.Layout, Family: c.Family}
		p.Bits -= p.Bits % p.unit()
		return p
	}
	rate := func(k int) float64 { return of(k).RateAt(n) }
	best := sizing.HashesWithin(8*bytes, n, rate)
	for k := 1; c.Layout == Partitioned && k <= sizing.MaxHashes; k++ { // with few bits, slices leave a remainder
		if rate(k) < rate(best) {
			best = k
		}
	}
	return of(best)
}

// check returns an error with the given reason that names an invalid field.
func (p Params) check(reason error) error {
	switch {
	case p.Bits == 0 || p.Bits > sizing.MaxBits:
		return errs.Field(reason, "Params.Bits", p.Bits, fmt.Sprintf("1 to %d", uint64(sizing.MaxBits)))
	case p.Hashes < 1 || p.Hashes > sizing.MaxHashes:
		return errs.Field(reason, "Params.Hashes", p.Hashes, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Layout > Blocked:
		return errs.Field(reason, "Params.Layout", p.Layout, "classic, partitioned or blocked")
	case p.Bits%p.unit() != 0:
		return errs.Field(reason, "Params.Bits", p.Bits, fmt.Sprintf("a multiple of %d in this layout", p.unit()))
	}
	return nil
}

// fits returns an error with the given reason if a filter with the valid
// parameters p is too large for this platform.
func (p Params) fits(reason error) error {
	return errs.Fits(reason, "Params.Bits", p.Bits, p.SizeBytes())
}

// checkWords returns an error with the given reason if a bit after the last one
// is set. words may be longer than p.words(), but not shorter.
func (p Params) checkWords(words []uint64, reason error) error {
	if end := 64 * uint64(len(words)); p.Bits < end && onesIn(words, p.Bits, end) != 0 {
		return errs.Field(reason, "bits beyond the last", "not zero", "zeros")
	}
	return nil
}

// String describes p in a single line.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d bits, %d hashes, family %v", p.Layout, p.Bits, p.Hashes, p.Family)
}

// SizeBytes returns the bit array's size in bytes, without allocating it.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

func (p Params) words() uint64 { return p.Bits/64 + (p.Bits%64+63)/64 }

// unit returns the number of slices in a Partitioned filter, the number of bits
// in a Blocked filter's line, and otherwise 1. Bits is a multiple of it, and
// Bits divided by it is the range of positions.
func (p Params) unit() uint64 {
	switch p.Layout {
	case Partitioned:
		return uint64(p.Hashes)
	case Blocked:
		return lineBits
	}
	return 1
}

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
// [ErrParams], naming the field, if p is invalid or if the filter is too large
// for the platform: the limit is 1 GiB with 32-bit addresses.
//
// The program terminates if the machine does not have this much memory. If p
// comes from an untrusted source, check [Params.SizeBytes] first.
func NewFromParams(p Params) (*Filter, error) {
	if err := cmp.Or(p.check(ErrParams), p.fits(ErrParams)); err != nil {
		return nil, err
	}
	return newFilter(p, make([]uint64, p.words())), nil
}

// newFilter returns a filter with the valid parameters p that uses words.
func newFilter(p Params, words []uint64) *Filter { return &Filter{newReader(p, words)} }

func newReader(p Params, words []uint64) reader {
	return reader{shape{p, p.Bits / p.unit(), p.Family.Hasher(p.SizeBytes())}, words}
}

// NewReceiver returns an empty filter that can only be decoded into. It decodes
// data encoded with fam, whereas a zero Filter uses the public family.
func NewReceiver(fam hashfam.Family) *Filter {
	return &Filter{reader{shape: shape{params: Params{Family: fam}}}}
}

// FromWords returns a filter whose bits are words: bit i of the filter is bit
// i%64 of words[i/64], where bit 0 is the least significant. The filter uses
// words directly, so the caller must not use them again.
//
// FromWords returns [ErrParams], naming the field, if p is invalid, if there
// are not exactly ceil(Bits/64) words, or if a bit after the last one is set.
//
// For a Blocked filter, words should begin at a multiple of 64 bytes, as large
// slices in Go do. Otherwise a key can cause two cache misses instead of one.
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

// Params returns the filter's parameters.
func (s *shape) Params() Params { return s.params }

// Family returns the family that hashes the filter's keys.
func (s *shape) Family() hashfam.Family { return s.params.Family }

// SizeBytes returns the size of the bit array in bytes. The structure itself
// needs up to 200 bytes more.
func (s *shape) SizeBytes() uint64 { return s.params.SizeBytes() }

// String describes the filter in a single line.
func (s shape) String() string { return fmt.Sprintf("bloom.Filter(%v)", s.params) }

// Format prints the result of String for every verb.
func (s shape) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the result of String for package log/slog.
func (s shape) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reset removes all keys.
func (f *Filter) Reset() {
	f.used(zeroFilter)
	clear(f.words)
}

// Clone returns a deep copy of f.
func (f *Filter) Clone() *Filter { return newFilter(f.params, slices.Clone(f.words)) }

// Equal reports whether f and other have the same Params and the same bits.
func (f *Filter) Equal(other *Filter) bool {
	return f.params == other.params && slices.Equal(f.words, other.words)
}
