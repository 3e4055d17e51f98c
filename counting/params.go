package counting

import (
	"errors"
	"fmt"
	"math"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Layout says where the positions of a key may lie. It is that of package
// bloom.
type Layout = bloom.Layout

// The layouts. There is no partitioned one.
const (
	Classic = bloom.Classic // anywhere: the least memory
	Blocked = bloom.Blocked // all in one block of 512 counters: the fastest
)

// A Config says what a filter is wanted for.
type Config struct {
	// Capacity is the number of distinct keys in the filter at one time for
	// which FPRate holds; at least 1. More may be added: none is lost, but the
	// rate rises.
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
	// Counters is m, the size of the array: at least 1, at most 2^46 and what
	// the platform can address. Blocked: a multiple of 512.
	Counters uint64

	// Hashes is k, the number of positions of a key: 1 to 255.
	Hashes int

	Layout Layout
	Family hashfam.Family
}

// maxCounters is the largest filter, of four bits a counter.
const maxCounters = sizing.MaxBits / 4

// Params returns the smallest filter that meets the configuration, without
// allocating it: as many counters as [bloom.Config] gives a filter of that
// layout bits, and the same Hashes. It takes tens of microseconds, for extreme
// rates a few milliseconds. An impossible configuration is an [ErrParams] that
// names the field.
func (c Config) Params() (Params, error) {
	if c.Layout != Classic && c.Layout != Blocked {
		return Params{}, paramError("Config.Layout", c.Layout, "classic or blocked")
	}
	b, err := bloom.Config{Capacity: c.Capacity, FPRate: c.FPRate, Layout: c.Layout, Family: c.Family}.Params()
	var ofBloom *bloom.FieldError
	switch {
	case errors.As(err, &ofBloom):
		return Params{}, (*FieldError)(ofBloom)
	case err != nil:
		return Params{}, err
	case b.Bits > maxCounters:
		return Params{}, paramError("Config.Capacity", c.Capacity,
			fmt.Sprintf("a capacity that fits in %d counters at FPRate %g", uint64(maxCounters), c.FPRate))
	}
	return Params{Counters: b.Bits, Hashes: b.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// check returns an error for the given reason, which names the field, unless p
// is valid.
func (p Params) check(reason error) error {
	switch {
	case p.Counters == 0 || p.Counters > maxCounters:
		return errs.Field(reason, "Params.Counters", p.Counters, fmt.Sprintf("1 to %d", uint64(maxCounters)))
	case p.Hashes < 1 || p.Hashes > sizing.MaxHashes:
		return errs.Field(reason, "Params.Hashes", p.Hashes, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Layout != Classic && p.Layout != Blocked:
		return errs.Field(reason, "Params.Layout", p.Layout, "classic or blocked")
	case p.Layout == Blocked && p.Counters%blockCounters != 0:
		return errs.Field(reason, "Params.Counters", p.Counters, "a multiple of 512 for Blocked")
	}
	return nil
}

// checkCounters returns an error for the given reason unless counters, of the
// right number of words, can be those of a filter.
func (p Params) checkCounters(counters nibbles, reason error) error {
	if r := p.Counters % perWord; r != 0 && counters[len(counters)-1]>>(4*r) != 0 {
		return errs.Field(reason, "counters beyond the last", fmt.Sprintf("%#x", counters[len(counters)-1]>>(4*r)), "0")
	}
	return nil
}

// String describes p in one line, without the key of its family.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d counters, %d hashes, family %v", p.Layout, p.Counters, p.Hashes, p.Family)
}

// SizeBytes returns the memory of the counters that a filter of these
// parameters has, in bytes, without making one.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

// words returns how many words hold p.Counters.
func (p Params) words() uint64 { return p.Counters/perWord + (p.Counters%perWord+perWord-1)/perWord }

// bloom returns the parameters of the Bloom filter with a bit for each counter.
func (p Params) bloom() bloom.Params {
	return bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family}
}

// Params returns what f is.
func (f *Filter) Params() Params { return f.params }

// SizeBytes returns the memory of the counters in bytes. The Filter itself
// adds less than 100.
func (f *Filter) SizeBytes() uint64 { return 8 * uint64(len(f.counters)) }

// RateAt returns the expected false-positive rate with n distinct keys, each at
// least once, in a filter of these parameters: that of the Bloom filter of the
// same layout, see [bloom.Params.RateAt]. It returns NaN if the parameters are
// invalid.
func (p Params) RateAt(n uint64) float64 {
	if p.check(ErrParams) != nil {
		return math.NaN()
	}
	return p.bloom().RateAt(n)
}

// CapacityAt returns the largest number of distinct keys at which a filter of
// these parameters has at most the given false-positive rate, as
// [bloom.Params.CapacityAt] does. It returns 0 if the parameters are invalid.
func (p Params) CapacityAt(rate float64) uint64 {
	if p.check(ErrParams) != nil {
		return 0
	}
	return p.bloom().CapacityAt(rate)
}
