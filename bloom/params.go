package bloom

import (
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrParams       = hashfam.ErrParams       // the Config or Params are invalid
	ErrIncompatible = hashfam.ErrIncompatible // two filters differ in their Params, or a delta is for another state
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // a later version encoded the bytes
	ErrFamily       = hashfam.ErrFamily       // the bytes were encoded under another family
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "bloom"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}

// A Layout determines where the positions of a key may be.
type Layout uint8

// The layouts.
const (
	Classic     Layout = iota // anywhere: the least memory
	Partitioned               // one in each of k slices
	Blocked                   // all in one cache line: the fastest
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

// A Config describes a filter by at least two of Capacity, FPRate and
// MemoryBytes. The third follows from the other two. If all three are set, the
// filter is the smallest that meets FPRate. If that is larger than MemoryBytes,
// the error names the memory that is needed and the rate that fits.
type Config struct {
	// Capacity is the number of distinct keys for which FPRate holds. You may
	// add more keys: none is lost, but the rate rises. If Capacity is zero, the
	// filter uses all of MemoryBytes, and is made for the largest number of
	// keys at which FPRate holds in this memory. [Params.CapacityAt] returns
	// this number.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. It must be above 0 and below 1, and above Capacity/2^64, the
	// chance that a key's digest equals a member's. If FPRate is zero, the
	// filter uses all of MemoryBytes, and has the lowest rate that is possible
	// in this memory at Capacity keys. [Params.RateAt] returns this rate.
	FPRate float64

	// MemoryBytes, if it is not zero, is the most that [Params.SizeBytes] may
	// be. A filter that uses all of it is at most 63 bytes smaller. An encoding
	// needs 72 bytes more.
	MemoryBytes uint64

	Layout Layout // Classic by default

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a filter. Filters with equal Params can be
// combined.
type Params struct {
	// Bits is m, the size of the array: 1 to 2^48. Partitioned: a multiple of
	// Hashes. Blocked: a multiple of 512.
	Bits uint64

	// Hashes is k, the number of positions of a key: 1 to 255.
	Hashes int

	Layout Layout
	Family hashfam.Family
}

// Params returns the parameters of the filter that c describes, without
// allocating it. Bits is the smallest size that meets FPRate, or all of
// MemoryBytes. Hashes is the number with the lowest rate at that size and at
// Capacity keys. Both follow from the exact rate; the textbook approximation is
// too optimistic. Sizes are rounded up so that a filter can be folded three
// times: Classic filters and the slices of Partitioned ones are multiples of 8
// bits, and Blocked filters with 1,024 or more lines are multiples of 8 lines.
// If the filter uses all of MemoryBytes, they are not.
//
// It returns [ErrParams], naming the field, if no filter meets c. O(k^2) time
// for about ten sizes: five microseconds, tens of them for rates below 1e-4,
// and up to a few milliseconds for extreme ones. Without Capacity it is a
// millisecond for common rates, and a second or more for the lowest ones.
func (c Config) Params() (Params, error) {
	if c.Layout > Blocked {
		return Params{}, paramError("Config.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return fault.Budget(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
}

// smallest returns the parameters of the smallest filter of n keys with the
// given rate.
func (c Config) smallest(n uint64, rate float64) (Params, error) {
	if err := errs.Rate(rate, n); err != nil {
		return Params{}, err
	}
	plan := [...]func(uint64, float64) (sizing.Plan, bool){sizing.ClassicPlan, sizing.PartitionedPlan, sizing.BlockedPlan}[c.Layout]
	p, ok := plan(n, rate)
	if !ok {
		return Params{}, paramError("Config.Capacity", n,
			fmt.Sprintf("a capacity that fits in %d bits and %d hashes at FPRate %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, rate))
	}
	return Params{Bits: p.Bits, Hashes: p.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// within returns the parameters with the lowest rate of n keys in the given
// memory. They are invalid if there are none.
func (c Config) within(n, bytes uint64) Params {
	bytes = min(bytes, sizing.MaxBits/8)
	of := func(k int) Params {
		p := Params{Bits: bytes / 8 * 64, Hashes: k, Layout: c.Layout, Family: c.Family}
		p.Bits -= p.Bits % p.unit()
		return p
	}
	rate := func(k int) float64 { return of(k).RateAt(n) }
	best := sizing.HashesWithin(8*bytes, n, rate)
	for k := 1; c.Layout == Partitioned && k <= sizing.MaxHashes; k++ { // divides few bits unevenly
		if rate(k) < rate(best) {
			best = k
		}
	}
	return of(best)
}

// check returns an error with the given reason that names the invalid field.
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

// fits returns an error with the given reason if this platform cannot hold a
// filter of the valid parameters p.
func (p Params) fits(reason error) error {
	return errs.Fits(reason, "Params.Bits", p.Bits, p.SizeBytes())
}

// checkWords returns an error with the given reason if a bit beyond the last
// one is set. len(words) is p.words().
func (p Params) checkWords(words []uint64, reason error) error {
	if r := p.Bits % 64; r != 0 && words[len(words)-1]>>r != 0 {
		return errs.Field(reason, "bits beyond the last", fmt.Sprintf("%#x", words[len(words)-1]>>r), "0")
	}
	return nil
}

// String describes p in one line. It does not show the key of the family.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d bits, %d hashes, family %v", p.Layout, p.Bits, p.Hashes, p.Family)
}

// SizeBytes returns the size in bytes of the bit array of a filter with these
// parameters. It does not allocate one. O(1) time.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

// words returns the number of words in the array.
func (p Params) words() uint64 { return p.Bits/64 + (p.Bits%64+63)/64 }

// unit returns the number of slices in a Partitioned array, the number of bits
// in a line of a Blocked one, and otherwise 1. Bits must be a multiple of it,
// and the quotient is the range of a position.
func (p Params) unit() uint64 {
	switch p.Layout {
	case Partitioned:
		return uint64(p.Hashes)
	case Blocked:
		return lineBits
	}
	return 1
}
