package counting

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config describes a filter by two or all of Capacity, FPRate and
// MemoryBytes. If two are set, the third follows from them; see [bloom.Config].
type Config struct {
	// Capacity is the number of distinct keys for which FPRate holds. If you
	// add more keys, none will be lost, but the rate will rise. If Capacity is
	// zero, the filter uses all of MemoryBytes, and [Params.CapacityAt] returns
	// the number of keys for which FPRate holds.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. It must be below 1 and above Capacity/2^64. If FPRate is zero, the
	// filter uses all of MemoryBytes and has the lowest possible rate, which
	// [Params.RateAt] returns.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Params.SizeBytes]. An encoding
	// needs 72 bytes more. A filter that uses all of MemoryBytes may be up to
	// 255 bytes smaller, because its size is rounded down to whole words or
	// blocks.
	MemoryBytes uint64

	// Layout is [bloom.Classic], the default, or [bloom.Blocked].
	Layout bloom.Layout

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// Params are a filter's parameters. Filters with equal Params can be merged.
type Params struct {
	// Counters is m, the size of the array: 1 to 2^46. In a Blocked filter, it
	// must be a multiple of 512.
	Counters uint64

	// Hashes is k, the number of positions per key: 1 to 255.
	Hashes int

	Layout bloom.Layout
	Family hashfam.Family
}

// maxCounters is the largest number of counters of four bits.
const maxCounters = sizing.MaxBits / 4

// Params returns the parameters of the filter that c describes, without
// allocating it. Counters is the smallest size that meets FPRate, or all of
// MemoryBytes, and Hashes is the number with the lowest rate at this size. For
// a given Capacity and FPRate, they are the same as Bits and Hashes in package
// bloom.
//
// Params returns [hashfam.ErrParams], naming the field, if no filter meets c.
// It needs the same time as [bloom.Config.Params].
func (c Config) Params() (Params, error) {
	if c.Layout != bloom.Classic && c.Layout != bloom.Blocked {
		return Params{}, errs.Field(hashfam.ErrParams, "Config.Layout", c.Layout, "classic or blocked")
	}
	return budget.Plan(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
}

// smallest returns the parameters of the smallest filter of n keys with the
// given rate, or ErrParams.
func (c Config) smallest(n uint64, rate float64) (Params, error) {
	p, err := bloom.Config{Capacity: n, FPRate: rate, Layout: c.Layout}.Params()
	if err != nil || p.Bits > maxCounters {
		return Params{}, errs.Field(hashfam.ErrParams, "Config.Capacity", n,
			fmt.Sprintf("a capacity that fits in %d counters at FPRate %g", uint64(maxCounters), rate))
	}
	return Params{Counters: p.Bits, Hashes: p.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// within returns the parameters with the lowest rate for n keys in the given
// memory. If there are none, the result is invalid.
func (c Config) within(n, bytes uint64) Params {
	p := Params{Counters: min(bytes, sizing.MaxBits/8) / 8 * perWord, Layout: c.Layout, Family: c.Family}
	if c.Layout == bloom.Blocked {
		p.Counters -= p.Counters % blockCounters
	}
	p.Hashes = sizing.HashesWithin(p.Counters, n, func(k int) float64 {
		p.Hashes = k
		return p.RateAt(n)
	})
	return p
}

// check returns nil if p is valid. Otherwise it returns an error with the given
// reason that names the invalid field.
func (p Params) check(reason error) error {
	switch {
	case p.Counters == 0 || p.Counters > maxCounters:
		return errs.Field(reason, "Params.Counters", p.Counters, fmt.Sprintf("1 to %d", uint64(maxCounters)))
	case p.Hashes < 1 || p.Hashes > sizing.MaxHashes:
		return errs.Field(reason, "Params.Hashes", p.Hashes, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Layout != bloom.Classic && p.Layout != bloom.Blocked:
		return errs.Field(reason, "Params.Layout", p.Layout, "classic or blocked")
	case p.blocked() && p.Counters%blockCounters != 0:
		return errs.Field(reason, "Params.Counters", p.Counters, "a multiple of 512 for Blocked")
	}
	return nil
}

// fits returns ErrParams if a filter with the valid parameters p is too large
// for this platform.
func (p Params) fits() error {
	return errs.Fits(hashfam.ErrParams, "Params.Counters", p.Counters, p.SizeBytes())
}

// blocked reports whether the layout is [bloom.Blocked], not [bloom.Classic].
// It has a pointer receiver because queries would take longer if p were copied.
func (p *Params) blocked() bool { return p.Layout == bloom.Blocked }

// String describes p in one line, without the family's key.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d counters, %d hashes, family %v", p.Layout, p.Counters, p.Hashes, p.Family)
}

// SizeBytes returns the size of the counters in bytes, without allocating them.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

// words returns the number of words in the array.
func (p Params) words() uint64 { return p.encoded().Words() }

// bloom returns the parameters of the Bloom filter with a bit for each counter.
func (p Params) bloom() bloom.Params {
	return bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family}
}

// RateAt returns the expected false-positive rate of a filter with these
// parameters and n distinct keys, or NaN if p is invalid. A Bloom filter has
// the same rate; see [bloom.Params.RateAt].
func (p Params) RateAt(n uint64) float64 {
	if p.check(hashfam.ErrParams) != nil {
		return math.NaN()
	}
	return p.bloom().RateAt(n)
}

// CapacityAt is the inverse of RateAt: it returns the largest number of
// distinct keys for which the false-positive rate does not exceed rate; see
// [bloom.Params.CapacityAt].
func (p Params) CapacityAt(rate float64) uint64 {
	if p.check(hashfam.ErrParams) != nil {
		return 0
	}
	return p.bloom().CapacityAt(rate)
}
