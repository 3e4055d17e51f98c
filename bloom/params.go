package bloom

import (
	"fmt"
	"math"
	"strconv"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Layout says where the positions of a key may lie.
type Layout uint8

// The layouts.
const (
	Classic     Layout = iota // anywhere: the least memory
	Partitioned               // one in each of k slices
	Blocked                   // all in one cache line: the fastest
)

// String returns the layout's name in lower case.
func (l Layout) String() string {
	switch l {
	case Classic:
		return "classic"
	case Partitioned:
		return "partitioned"
	case Blocked:
		return "blocked"
	}
	return fmt.Sprintf("Layout(%d)", uint8(l))
}

// AppendText appends the name of l to dst. It returns ErrParams if l is not a
// layout.
func (l Layout) AppendText(dst []byte) ([]byte, error) {
	if l > Blocked {
		return dst, paramError("Layout", uint8(l), "0 to 2")
	}
	return append(dst, l.String()...), nil
}

// MarshalText returns the name of l: [Layout.AppendText] to nil.
func (l Layout) MarshalText() ([]byte, error) { return l.AppendText(nil) }

// UnmarshalText sets l to the layout of that name. It returns ErrParams if
// there is none, and leaves l unchanged.
func (l *Layout) UnmarshalText(text []byte) error {
	for named := Classic; named <= Blocked; named++ {
		if string(text) == named.String() {
			*l = named
			return nil
		}
	}
	return paramError("Layout", strconv.Quote(string(text)), "classic, partitioned or blocked")
}

// A Config says what a filter is wanted for.
type Config struct {
	// Capacity is the number of distinct keys for which FPRate holds; at
	// least 1. More may be added: none is lost, but the rate rises.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1 %. Above 0 and below 1, and above Capacity/2^64, the share of keys
	// that have their digest in common with a member.
	FPRate float64

	// Layout is Classic where it is left out.
	Layout Layout

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family where strangers choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params says what a filter is. Filters with equal Params can be combined.
type Params struct {
	// Bits is m, the size of the array: at least 1, at most 2^48 and what the
	// platform can address. Partitioned: a multiple of Hashes. Blocked: a
	// multiple of 512.
	Bits uint64

	// Hashes is k, the number of positions of a key: 1 to 255.
	Hashes int

	Layout Layout
	Family hashfam.Family
}

// Params returns the smallest filter that meets the configuration, without
// allocating it: the least Bits that do, by the exact rate and not by the
// textbook's approximation, which promises too much, and the Hashes for which
// the rate is then lowest. Classic sizes are multiples of 8 bits, slices of
// Partitioned too, and Blocked ones, from 1,024 lines up, of 8 lines, so that
// a filter can be folded three times. It takes tens of microseconds, for
// extreme rates a few milliseconds. An impossible configuration is an
// [ErrParams] that names the field.
func (c Config) Params() (Params, error) {
	if c.Capacity == 0 {
		return Params{}, paramError("Config.Capacity", c.Capacity, "at least 1")
	}
	if err := errs.Rate(c.FPRate, c.Capacity); err != nil {
		return Params{}, err
	}
	var plan func(uint64, float64) (sizing.Plan, bool)
	switch c.Layout {
	case Classic:
		plan = sizing.ClassicPlan
	case Partitioned:
		plan = sizing.PartitionedPlan
	case Blocked:
		plan = sizing.BlockedPlan
	default:
		return Params{}, paramError("Config.Layout", c.Layout, "classic, partitioned or blocked")
	}
	p, ok := plan(c.Capacity, c.FPRate)
	if !ok {
		return Params{}, paramError("Config.Capacity", c.Capacity,
			fmt.Sprintf("a capacity that fits in %d bits and %d hashes at FPRate %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, c.FPRate))
	}
	return Params{Bits: p.Bits, Hashes: p.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// check returns an error for the given reason, which names the field, unless p
// is valid.
func (p Params) check(reason error) error {
	switch {
	case p.Bits == 0 || p.Bits > sizing.MaxBits:
		return errs.Field(reason, "Params.Bits", p.Bits, fmt.Sprintf("1 to %d", uint64(sizing.MaxBits)))
	case p.Hashes < 1 || p.Hashes > sizing.MaxHashes:
		return errs.Field(reason, "Params.Hashes", p.Hashes, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Layout > Blocked:
		return errs.Field(reason, "Params.Layout", p.Layout, "classic, partitioned or blocked")
	case p.Layout == Partitioned && p.Bits%uint64(p.Hashes) != 0:
		return errs.Field(reason, "Params.Bits", p.Bits, fmt.Sprintf("a multiple of Hashes (%d) for Partitioned", p.Hashes))
	case p.Layout == Blocked && p.Bits%lineBits != 0:
		return errs.Field(reason, "Params.Bits", p.Bits, "a multiple of 512 for Blocked")
	}
	return nil
}

// checkWords returns an error for the given reason unless words, of the right
// number, can be the array of a filter.
func (p Params) checkWords(words []uint64, reason error) error {
	if r := p.Bits % 64; r != 0 && words[len(words)-1]>>r != 0 {
		return errs.Field(reason, "bits beyond the last", fmt.Sprintf("%#x", words[len(words)-1]>>r), "0")
	}
	return nil
}

// String describes p in one line, without the key of its family.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d bits, %d hashes, family %v", p.Layout, p.Bits, p.Hashes, p.Family)
}

// SizeBytes returns the memory of the bit array that a filter of these
// parameters has, in bytes, without making one.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

// words returns how many words hold p.Bits.
func (p Params) words() uint64 { return p.Bits/64 + (p.Bits%64+63)/64 }

// span returns what one position is reduced to.
func (p Params) span() uint64 {
	switch p.Layout {
	case Partitioned:
		return p.Bits / uint64(max(p.Hashes, 1))
	case Blocked:
		return p.Bits / lineBits
	}
	return p.Bits
}

// Params returns what f is.
func (f *Filter) Params() Params { return f.params }

// SizeBytes returns the memory of the bit array in bytes. The Filter itself
// adds less than 100.
func (f *Filter) SizeBytes() uint64 { return 8 * uint64(len(f.words)) }

// RateAt returns the expected false-positive rate with n distinct keys in a
// filter of these parameters, NaN if they are invalid. It is the exact
// expectation over the families: Bose et al., IPL 108, 2008 (Classic), and its
// counterpart for the other layouts. It includes the keys that share their
// 64-bit digest with a member: n/2^64 of all, and in a Classic filter about
// three times as many, since a digest that follows a member's in the sequence
// of positions shares all of them except one. Tens of microseconds.
func (p Params) RateAt(n uint64) float64 {
	if p.check(ErrParams) != nil {
		return math.NaN()
	}
	return p.rates()(n)
}

// CapacityAt returns the largest number of distinct keys at which a filter of
// these parameters has at most the given false-positive rate: the inverse of
// [Params.RateAt]. It returns 0 if the parameters are invalid, and the largest
// uint64 if the rate is 1 or above. It takes a millisecond or less for common
// rates.
func (p Params) CapacityAt(rate float64) uint64 {
	if p.check(ErrParams) != nil {
		return 0
	}
	guess := p.estimate(uint64(math.Pow(max(0, min(rate, 0.999)), 1/float64(p.Hashes)) * float64(p.Bits)))
	return sizing.LargestWithin(rate, uint64(guess), p.rates())
}

// rates returns RateAt of valid parameters as a function of n.
func (p Params) rates() func(n uint64) float64 {
	switch p.Layout {
	case Partitioned:
		return func(n uint64) float64 {
			return sizing.WithDigest(sizing.PartitionedRate(p.Bits, p.Hashes, n), n)
		}
	case Blocked:
		rate := sizing.BlockedRates(p.Bits, p.Hashes)
		return func(n uint64) float64 { return sizing.WithDigest(rate(n), n) }
	}
	return func(n uint64) float64 {
		return sizing.WithClassicDigest(sizing.Rate(p.Bits, p.Hashes, n), p.Bits, p.Hashes, n)
	}
}
