package cuckoo

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config describes a filter by at least two of Capacity, FPRate and
// MemoryBytes. If two are set, the third follows from them. If all three are
// set, MemoryBytes is a limit, and if no filter meets all three, the error
// contains the required memory and, if any, the rate that would fit.
type Config struct {
	// Capacity is the number of keys that the filter has room for, counting
	// copies. If each key has a single copy, this number fits with probability
	// above 1 - 1e-6 over random families, and often a few more keys fit. If
	// most keys have several copies, Add may fail earlier, because all copies
	// of a key must be in two buckets. If Capacity is zero, the filter has room
	// for as many keys as FPRate and MemoryBytes allow, which
	// [Params.CapacityAt] returns.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. If it is zero, the filter has the lowest rate that is possible in
	// MemoryBytes, which [Params.RateAt] returns.
	//
	// FPRate must be below 1 and above Capacity/2^64, which is the probability
	// that an absent key has the same digest as a key in the filter. Since
	// fingerprints have at most 32 bits, a rate below 1.8e-9 can only be
	// reached if more slots stay free than usual, so keys need more bits. To
	// limit this, FPRate must exceed Capacity/2^64 by at least 2^-32 unless
	// MemoryBytes is set.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Params.SizeBytes]. An encoding
	// needs 72 bytes more.
	MemoryBytes uint64

	// Compact saves one bit per slot by sorting the fingerprints in each
	// bucket, so lookups and in particular Adds take longer.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// Params are a filter's parameters. Filters with equal Params can be merged.
type Params struct {
	// Buckets is m, the number of buckets. It must be even, at least 2, and
	// such that all buckets fit in 2^48 bits.
	Buckets uint64

	// FingerprintBits is f, the fingerprint width: 4 to 32. Filters with 2^19
	// or more buckets need more than 4, because the risk that more than eight
	// keys share two buckets would otherwise be too high; see docs/theory.md.
	FingerprintBits int

	// Compact stores a slot in f-1 bits.
	Compact bool

	Family hashfam.Family
}

// Params returns the parameters of the filter that c describes, without
// allocating it. For Capacity and FPRate, this is the smallest filter that
// meets the rate and in which Capacity keys fit with probability above 1 -
// 1e-6. If fingerprints are narrow, a filter that is smaller by up to 0.1% may
// be overlooked. The size never decreases if Capacity increases or FPRate
// decreases.
//
// In a large filter, Capacity keys use 97% of the slots, so with fingerprints
// of f bits, a key uses f/0.97 bits, or (f-1)/0.97 bits in a compact filter.
// The keys use a smaller part of the slots if this reduces the rate enough to
// save a bit of each fingerprint. Below about 25,000 keys, the part that can be
// used decreases, to a third at ten keys. A small filter may therefore have
// wider fingerprints than the rate requires, where this takes less memory than
// more buckets.
//
// Params returns [hashfam.ErrParams], naming the field, if no filter meets c.
// Params compares many sizes, and many more if Capacity is zero.
func (c Config) Params() (Params, error) {
	return budget.Plan(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
}

// within returns the parameters that give n keys the lowest rate in this
// memory. If n keys do not fit, the parameters are invalid.
func (c Config) within(n, bytes uint64) Params {
	words := max(1, min(bytes, sizing.MaxBits/8)/8) - 1 // the table has a spare word
	p, _ := sizing.CuckooWithin(n, 64*words, table.Saved(c.Compact))
	return Params{p.Buckets, p.FingerprintBits, c.Compact, c.Family}
}

// smallest returns the parameters of the smallest filter for n keys and the
// given rate, or ErrParams.
func (c Config) smallest(n uint64, rate float64) (Params, error) {
	if p, ok := sizing.CuckooPlan(n, rate, table.Saved(c.Compact)); ok {
		return Params{p.Buckets, p.FingerprintBits, c.Compact, c.Family}, nil
	}
	if least := sizing.LeastCuckooRate(n); rate < least {
		return Params{}, errs.Field(hashfam.ErrParams, "Config.FPRate", rate,
			fmt.Sprintf("at least about %.2g (fingerprints have at most %d bits)", least, sizing.MaxFingerprintBits))
	}
	return Params{}, errs.Field(hashfam.ErrParams, "Config.Capacity", n,
		fmt.Sprintf("a capacity that fits in %d bits at this rate", uint64(sizing.MaxBits)))
}

// check returns an error for the given reason that names the invalid field, or
// nil if p is valid.
func (p Params) check(reason error) error {
	f := p.FingerprintBits
	if f < sizing.MinFingerprintBits || f > sizing.MaxFingerprintBits {
		return errs.Field(reason, "Params.FingerprintBits", f,
			fmt.Sprintf("%d to %d", sizing.MinFingerprintBits, sizing.MaxFingerprintBits))
	}
	if most := sizing.MaxBits / p.shape().BucketBits(); p.Buckets < 2 || p.Buckets%2 != 0 || p.Buckets > most {
		return errs.Field(reason, "Params.Buckets", p.Buckets, fmt.Sprintf("an even number, 2 to %d", most&^1))
	}
	if least := sizing.LeastFingerprintBits(p.Buckets); f < least {
		return errs.Field(reason, "Params.FingerprintBits", f, fmt.Sprintf(
			"at least %d for %d buckets: narrower fingerprints would not fill a quarter of them", least, p.Buckets))
	}
	return nil
}

// fits returns ErrParams if a filter with these parameters is too large for
// this platform.
func (p Params) fits() error {
	return errs.Fits(hashfam.ErrParams, "Params.Buckets", p.Buckets, p.SizeBytes())
}

// String describes p in one line, without the family's key.
func (p Params) String() string {
	return fmt.Sprintf("%s, %d buckets, %d bits a fingerprint, family %v",
		form(p.Compact), p.Buckets, p.FingerprintBits, p.Family)
}

func form(compact bool) string {
	if compact {
		return "compact"
	}
	return "plain"
}

func (p Params) slots() uint64 { return table.Slots * p.Buckets }

func (p Params) shape() table.Shape {
	return table.Shape{Buckets: p.Buckets, Bits: p.FingerprintBits, Sorted: p.Compact}
}

// SizeBytes returns the size of the table in bytes, without allocating it, or
// math.MaxUint64 if the size in bits would overflow.
func (p Params) SizeBytes() uint64 {
	if over, _ := bits.Mul64(p.Buckets, p.shape().BucketBits()); over > 0 {
		return math.MaxUint64
	}
	return p.shape().Bytes()
}

// capacity returns CapacityAt(1).
func (p Params) capacity() uint64 {
	if p.check(hashfam.ErrParams) != nil {
		return 0
	}
	return sizing.CuckooCapacity(p.Buckets, p.FingerprintBits)
}

// CapacityAt is the inverse of RateAt: it returns the largest number of
// distinct keys for which RateAt does not exceed rate, but never more than
// CapacityAt(1). The result of CapacityAt(1) is the number of keys that fit in
// the filter with probability above 1 - 1e-6 over random families;
// docs/theory.md derives it. If fingerprints are narrow, the probability may be
// slightly lower for a particular family, for example the public one.
// CapacityAt returns 0 if p is invalid.
func (p Params) CapacityAt(rate float64) uint64 {
	most := p.capacity()
	return min(most, sizing.MostKeys(rate, most, p.RateAt))
}

// RateAt returns the expected false-positive rate of a filter with these
// parameters and n distinct keys, or NaN if p is invalid. The result is exact
// over all families: a key matches a query if both have the same fingerprint,
// of which there are 2^f-1, and the same pair of buckets, which has probability
// 2/m. (Fan et al., section 5.1, give an upper bound.)
func (p Params) RateAt(n uint64) float64 {
	if p.check(hashfam.ErrParams) != nil {
		return math.NaN()
	}
	return sizing.WithDigest(sizing.CuckooTableRate(p.Buckets, p.FingerprintBits, n), n)
}
