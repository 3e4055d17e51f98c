package counting

import (
	"errors"
	"fmt"
	"math"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/nibbles"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Layout determines where the positions of a key may be. It is the Layout of
// package bloom.
type Layout = bloom.Layout

// The layouts. Package counting has no partitioned layout.
const (
	Classic = bloom.Classic // anywhere: the least memory
	Blocked = bloom.Blocked // all in one block of 512 counters: the fastest
)

// A Config describes a filter by at least two of Capacity, FPRate and
// MemoryBytes. The third follows from the other two, as in a [bloom.Config].
type Config struct {
	// Capacity is the number of distinct keys in the filter at one time for
	// which FPRate holds. You may add more keys: none is lost, but the rate
	// rises. If Capacity is zero, the filter uses all of MemoryBytes, and is
	// made for the largest number of keys at which FPRate holds in this memory.
	// [Params.CapacityAt] returns this number.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. It must be above 0 and below 1, and above Capacity/2^64, the
	// chance that a key's digest equals a member's. If FPRate is zero, the
	// filter uses all of MemoryBytes, and has the lowest rate that is possible
	// in this memory at Capacity keys. [Params.RateAt] returns this rate.
	FPRate float64

	// MemoryBytes, if it is not zero, is the most that [Params.SizeBytes] may
	// be. An encoding needs 72 bytes more.
	MemoryBytes uint64

	// Layout is Classic by default.
	Layout Layout

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a filter. Filters with equal Params can be
// merged.
type Params struct {
	// Counters is m, the size of the array: 1 to 2^46. Blocked: a multiple of
	// 512.
	Counters uint64

	// Hashes is k, the number of positions of a key: 1 to 255.
	Hashes int

	Layout Layout
	Family hashfam.Family
}

// maxCounters is the largest number of counters; each takes four bits.
const maxCounters = sizing.MaxBits / 4

// Params returns the parameters of the filter that c describes, without
// allocating it. Counters is the smallest size that meets FPRate, or all of
// MemoryBytes, and Hashes is the number with the lowest rate at that size and
// at Capacity keys. For Capacity and FPRate these are the Bits and Hashes of
// [bloom.Config].
//
// It returns [ErrParams], naming the field, if no filter meets c. O(k^2) time
// for about ten sizes: five microseconds, tens of them for rates below 1e-4,
// and up to a few milliseconds for extreme ones. Without Capacity it is a
// millisecond for common rates, and a second or more for the lowest ones.
func (c Config) Params() (Params, error) {
	if c.Layout != Classic && c.Layout != Blocked {
		return Params{}, paramError("Config.Layout", c.Layout, "classic or blocked")
	}
	return fault.Budget(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
}

// smallest returns the parameters of the smallest filter of n keys with the
// given rate, or ErrParams.
func (c Config) smallest(n uint64, rate float64) (Params, error) {
	b, err := bloom.Config{Capacity: n, FPRate: rate, Layout: c.Layout, Family: c.Family}.Params()
	var ofBloom *bloom.FieldError
	switch {
	case errors.As(err, &ofBloom) && ofBloom.Field == "Config.Capacity":
		return Params{}, tooLarge(n, rate)
	case errors.As(err, &ofBloom):
		return Params{}, errs.Field(ofBloom.Err, ofBloom.Field, ofBloom.Value, ofBloom.Allowed)
	case err != nil:
		return Params{}, err
	case b.Bits > maxCounters:
		return Params{}, tooLarge(n, rate)
	}
	return Params{Counters: b.Bits, Hashes: b.Hashes, Layout: c.Layout, Family: c.Family}, nil
}

// within returns the parameters with the lowest rate of n keys in the given
// memory. They are invalid if there are none.
func (c Config) within(n, bytes uint64) Params {
	p := Params{Counters: min(bytes, sizing.MaxBits/8) / 8 * perWord, Layout: c.Layout, Family: c.Family}
	if c.Layout == Blocked {
		p.Counters -= p.Counters % blockCounters
	}
	p.Hashes = sizing.HashesWithin(p.Counters, n, func(k int) float64 {
		p.Hashes = k
		return p.RateAt(n)
	})
	return p
}

// tooLarge returns the error of a Capacity that no filter holds.
func tooLarge(n uint64, rate float64) error {
	return paramError("Config.Capacity", n,
		fmt.Sprintf("a capacity that fits in %d counters at FPRate %g", uint64(maxCounters), rate))
}

// check returns an error with the given reason that names the invalid field, or
// nil if p is valid.
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

// fits returns an error with the given reason if this platform cannot hold a
// filter of the valid parameters p.
func (p Params) fits(reason error) error {
	return errs.Fits(reason, "Params.Counters", p.Counters, p.SizeBytes())
}

// checkCounters returns an error with the given reason if a counter beyond the
// last one is not zero. len(counters) is p.words().
func (p Params) checkCounters(counters nibbles.Counters, reason error) error {
	if r := p.Counters % perWord; r != 0 && counters[len(counters)-1]>>(4*r) != 0 {
		return errs.Field(reason, "counters beyond the last", fmt.Sprintf("%#x", counters[len(counters)-1]>>(4*r)), "0")
	}
	return nil
}

// String describes p in one line. It does not show the key of the family.
func (p Params) String() string {
	return fmt.Sprintf("%v, %d counters, %d hashes, family %v", p.Layout, p.Counters, p.Hashes, p.Family)
}

// SizeBytes returns the size in bytes of the counters of a filter with these
// parameters. It does not allocate one. O(1) time.
func (p Params) SizeBytes() uint64 { return 8 * p.words() }

// words returns the number of words in the array.
func (p Params) words() uint64 { return p.encoded().Words() }

// bloom returns the parameters of the Bloom filter with a bit for each counter.
func (p Params) bloom() bloom.Params {
	return bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family}
}

// RateAt returns the expected false-positive rate of a filter with these
// parameters that holds n distinct keys, each at least once. It is the rate of
// the Bloom filter with the same layout, see [bloom.Params.RateAt]. It returns
// NaN if p is invalid. O(k^2) time: tens of microseconds.
func (p Params) RateAt(n uint64) float64 {
	if p.check(ErrParams) != nil {
		return math.NaN()
	}
	return p.bloom().RateAt(n)
}

// CapacityAt returns the largest number of distinct keys at which a filter with
// these parameters has at most the given false-positive rate. It is the inverse
// of [Params.RateAt]. It returns 0 if p is invalid, and math.MaxUint64 if rate
// is 1 or more. O(k^2) time for each of a few dozen numbers of keys: a
// millisecond or less for common rates.
func (p Params) CapacityAt(rate float64) uint64 {
	if p.check(ErrParams) != nil {
		return 0
	}
	return p.bloom().CapacityAt(rate)
}
