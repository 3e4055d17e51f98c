package bloom

import (
	"fmt"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/sizing"
)

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

// MarshalText returns the name of l, or [hashfam.ErrParams] if l is not a
// layout.
func (l Layout) MarshalText() ([]byte, error) {
	if l > Blocked {
		return nil, paramError("Layout", uint8(l), "0 to 2")
	}
	return []byte(l.String()), nil
}

// UnmarshalText sets l to the layout with the given name. If there is none, it
// returns [hashfam.ErrParams] and leaves l unchanged.
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
// set, the filter is the smallest one that meets FPRate. If no such filter fits
// in MemoryBytes, [New] returns an error that contains the required memory and,
// if any, the rate that would fit.
type Config struct {
	// Capacity is the number of distinct keys for which FPRate holds. If you
	// add more keys, none will be lost, but the rate will rise. If Capacity is
	// zero, the filter uses all of MemoryBytes, and [Params.CapacityAt] returns
	// the number of keys for which FPRate holds.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. It must be below 1 and above Capacity/2^64, the probability that a
	// key has the same digest as a key in the filter. If FPRate is zero, the
	// filter uses all of MemoryBytes and has the lowest possible rate, which
	// [Params.RateAt] returns.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Params.SizeBytes]. An encoding
	// needs 72 bytes more. A filter that uses all of MemoryBytes may be up to
	// 63 bytes smaller, because its size is rounded down to whole words, slices
	// or lines.
	MemoryBytes uint64

	Layout Layout // the default is Classic

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
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
// MemoryBytes, and Hashes is the number with the lowest rate at this size. Both
// are computed using the exact rate, since the textbook formula is too
// optimistic.
//
// Unless the filter uses all of MemoryBytes, the number of bits (Classic), bits
// per slice (Partitioned) or lines (Blocked, with 1,024 lines or more) is
// rounded up to a multiple of 8, so that [Filter.Fold] can be called three
// times.
//
// Params returns [hashfam.ErrParams], naming the field, if no filter meets c.
// For a Classic filter, it computes about ten rates in O(k^2) time each, or
// about a hundred rates if there is no Capacity.
func (c Config) Params() (Params, error) {
	if c.Layout > Blocked {
		return Params{}, paramError("Config.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return budget.Plan(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
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

// check returns an error that has the given reason and names an invalid field,
// or nil if p is valid.
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

// fits returns ErrParams if a filter with the valid parameters p is too large
// for this platform.
func (p Params) fits() error {
	return errs.Fits(hashfam.ErrParams, "Params.Bits", p.Bits, p.SizeBytes())
}

// checkWords returns an error with the given reason if a bit after the first
// p.Bits bits is set. words may be longer than p.words(), but not shorter.
func (p Params) checkWords(words []uint64, reason error) error {
	if end := 64 * uint64(len(words)); p.Bits < end && onesIn(words, p.Bits, end) != 0 {
		return errs.Field(reason, "bits beyond the last", "not zero", "zeros")
	}
	return nil
}

// String describes p in one line, without the family's key.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d bits, %d hashes, family %v", p.Layout, p.Bits, p.Hashes, p.Family)
}

// SizeBytes returns the size of the bit array in bytes, without allocating it.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

func (p Params) words() uint64 { return p.Bits/64 + (p.Bits%64+63)/64 }

// unit returns the number by which Bits must be divisible: the number of slices
// (Partitioned), the bits in a line (Blocked), or 1 (Classic). The quotient is
// the filter's span.
func (p Params) unit() uint64 {
	switch p.Layout {
	case Partitioned:
		return uint64(p.Hashes)
	case Blocked:
		return lineBits
	}
	return 1
}

// RateAt returns the expected false-positive rate of a filter with these
// parameters and n distinct keys, or NaN if p is invalid. For a Classic filter,
// it runs in O(k^2) time.
//
// The rate is the exact expectation over all families: Bose et al., IPL 108,
// 2008 (Classic), and the equivalent for the other layouts. It includes the
// probability that a key has the same digest as a key in the filter, which is
// n/2^64. A Classic filter also finds keys whose digest is a few steps further
// in a stored key's probe sequence, since both share most positions. With these
// keys, the included probability is up to 3n/2^64 if the filter is half full.
func (p Params) RateAt(n uint64) float64 {
	if p.check(hashfam.ErrParams) != nil {
		return math.NaN()
	}
	return p.rates()(n)
}

// CapacityAt is the inverse of RateAt: it returns the largest number of
// distinct keys for which the false-positive rate does not exceed rate. This is
// 0 if p is invalid, and math.MaxUint64 if rate is 1 or more. CapacityAt calls
// RateAt up to a few dozen times.
func (p Params) CapacityAt(rate float64) uint64 {
	if p.check(hashfam.ErrParams) != nil {
		return 0
	}
	guess := p.estimate(uint64(math.Pow(max(0, min(rate, 0.999)), 1/float64(p.Hashes)) * float64(p.Bits)))
	return sizing.MostKeys(rate, uint64(guess), p.rates())
}

// rates returns [Params.RateAt] as a function of n. p must be valid.
func (p Params) rates() func(n uint64) float64 {
	switch p.Layout {
	case Partitioned:
		return func(n uint64) float64 {
			return sizing.WithDigest(sizing.PartitionedRate(p.Bits, p.Hashes, n), n)
		}
	case Blocked:
		return func(n uint64) float64 { return sizing.WithDigest(sizing.BlockedRate(p.Bits, p.Hashes, n), n) }
	}
	return func(n uint64) float64 {
		return sizing.WithClassicDigest(sizing.Rate(p.Bits, p.Hashes, n), p.Bits, p.Hashes, n)
	}
}

// estimate returns the number of keys that set x bits on average.
func (p Params) estimate(x uint64) float64 {
	of := [...]func(m uint64, k int, x uint64) float64{sizing.ClassicLen, sizing.PartitionedLen, sizing.BlockedLen}[p.Layout]
	return of(p.Bits, p.Hashes, x)
}
