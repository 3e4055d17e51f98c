package bloom

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
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
	if err := fault.Rate(c.FPRate, c.Capacity); err != nil {
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
		return Params{}, paramError("Config.Layout", c.Layout, "Classic, Partitioned or Blocked")
	}
	p, ok := plan(c.Capacity, c.FPRate)
	if !ok {
		return Params{}, paramError("Config.Capacity", c.Capacity,
			fmt.Sprintf("at FPRate %g a capacity that needs at most %d bits and %d hashes",
				c.FPRate, uint64(sizing.MaxBits), sizing.MaxHashes))
	}
	return Params{Bits: p.Bits, Hashes: p.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// check returns an error that names the field unless p describes a filter.
func (p Params) check() error {
	switch {
	case p.Bits == 0 || p.Bits > sizing.MaxBits:
		return paramError("Params.Bits", p.Bits, fmt.Sprintf("1 to %d", uint64(sizing.MaxBits)))
	case p.Hashes < 1 || p.Hashes > sizing.MaxHashes:
		return paramError("Params.Hashes", p.Hashes, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Layout > Blocked:
		return paramError("Params.Layout", p.Layout, "Classic, Partitioned or Blocked")
	case p.Layout == Partitioned && p.Bits%uint64(p.Hashes) != 0:
		return paramError("Params.Bits", p.Bits, fmt.Sprintf("a multiple of Hashes (%d) for Partitioned", p.Hashes))
	case p.Layout == Blocked && p.Bits%lineBits != 0:
		return paramError("Params.Bits", p.Bits, "a multiple of 512 for Blocked")
	}
	return nil
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

// RateAt returns the expected false-positive rate once n distinct keys are in
// a filter of these parameters. It is the exact expectation over the families:
// Bose et al., IPL 108, 2008 (Classic), and its like for the other layouts.
// Parameters that describe no filter give NaN.
func (p Params) RateAt(n uint64) float64 {
	if p.check() != nil {
		return math.NaN()
	}
	rate := sizing.Rate
	switch p.Layout {
	case Partitioned:
		rate = sizing.PartitionedRate
	case Blocked:
		rate = sizing.BlockedRate
	}
	return sizing.WithDigest(rate(p.Bits, p.Hashes, n), n)
}
