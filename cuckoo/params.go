package cuckoo

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config describes a filter by at least two of Capacity, FPRate and
// MemoryBytes. The third follows from the other two. If all three are set, the
// filter is the smallest that meets FPRate. If that is larger than MemoryBytes,
// the error names the memory that is needed and the rate that fits.
type Config struct {
	// Capacity is the number of keys that fit, counting copies. They fit with
	// probability above 1 - 1e-6 over random families if no key has more than
	// one copy. Often a few more fit. Add returns ErrFull when no more do. If
	// Capacity is zero, the filter is the one that holds the most keys at
	// FPRate in MemoryBytes. [Params.CapacityAt] returns their number.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1%. It must be above 0 and below 1, above Capacity/2^64, the chance
	// that a key's digest equals a member's, and at least about 1.9e-9, the
	// rate of the widest fingerprints in a full table. If FPRate is zero, the
	// filter has the lowest rate that is possible in MemoryBytes at Capacity
	// keys. [Params.RateAt] returns this rate. With MemoryBytes, FPRate may be
	// below 1.9e-9; the table is then not full at Capacity keys.
	FPRate float64

	// MemoryBytes, if it is not zero, is the most that [Params.SizeBytes] may
	// be. An encoding needs 72 bytes more.
	MemoryBytes uint64

	// Compact saves one bit per slot: fingerprints are kept sorted in their
	// buckets. Lookups take a sixth longer, Adds 40 to 50 % longer.
	Compact bool

	// Family hashes the keys. The zero value is the public one; use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a filter. Filters with equal Params can be
// merged.
type Params struct {
	// Buckets is m, the number of buckets of four slots: even, at least 2, and
	// at most as many as fit in 2^48 bits.
	Buckets uint64

	// FingerprintBits is f, the width of a fingerprint: 4 to 32, and wide
	// enough for Buckets, see Params.Capacity.
	FingerprintBits int

	// Compact keeps a slot in f-1 bits.
	Compact bool

	Family hashfam.Family
}

// Params returns the parameters of the filter that c describes, without
// allocating it. For Capacity and FPRate these are the least FingerprintBits
// that meet the rate, and the least Buckets that Capacity keys fit in with
// probability above 1 - 1e-6. Large tables are planned for 0.97 keys a slot, so
// a key costs f/0.97 bits (compact: f-1). Below about 25,000 keys that share
// falls, to a third at ten keys. Wider fingerprints are chosen if they take
// less memory than the buckets that narrow ones would need. It takes about a
// millisecond, and ten without Capacity. It returns [ErrParams], naming the
// field, if c is impossible.
func (c Config) Params() (Params, error) {
	return fault.Budget(errs, c.Capacity, c.FPRate, c.MemoryBytes, c.smallest, c.within)
}

// within returns the parameters with the lowest rate of n keys in the given
// memory. They are invalid if there are none.
func (c Config) within(n, bytes uint64) Params {
	words := max(1, min(bytes, sizing.MaxBits/8)/8) - 1 // the table has one to spare
	p, _ := sizing.CuckooWithin(n, 64*words, c.saved())
	return Params{p.Buckets, p.FingerprintBits, c.Compact, c.Family}
}

// saved returns the bits that a slot takes less than a fingerprint.
func (c Config) saved() int {
	if c.Compact {
		return 1
	}
	return 0
}

// smallest returns the parameters of the smallest filter of n keys with the
// given rate, or ErrParams.
func (c Config) smallest(n uint64, rate float64) (Params, error) {
	if err := errs.Rate(rate, n); err != nil {
		return Params{}, err
	}
	if p, ok := sizing.CuckooPlan(n, rate, c.saved()); ok {
		return Params{p.Buckets, p.FingerprintBits, c.Compact, c.Family}, nil
	}
	// In a full table a query meets eight fingerprints, and any digest.
	if least := math.Ldexp(2*table.Slots, -maxBits) + math.Ldexp(float64(n), -64); rate < least {
		return Params{}, errs.Field(ErrParams, "Config.FPRate", rate,
			fmt.Sprintf("at least about %.2g (fingerprints have at most %d bits)", least, maxBits))
	}
	return Params{}, errs.Field(ErrParams, "Config.Capacity", n,
		fmt.Sprintf("a capacity that fits in %d bits at this rate", uint64(sizing.MaxBits)))
}

// The narrowest and the widest fingerprint.
const (
	minBits = sizing.MinFingerprintBits
	maxBits = sizing.MaxFingerprintBits
)

// check returns an error for the given reason, which names the field, unless p
// is valid.
func (p Params) check(reason error) error {
	f := p.FingerprintBits
	if f < minBits || f > maxBits {
		return errs.Field(reason, "Params.FingerprintBits", f, fmt.Sprintf("%d to %d", minBits, maxBits))
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

// fits returns an error with the given reason if this platform cannot hold a
// filter of the valid parameters p.
func (p Params) fits(reason error) error {
	return errs.Fits(reason, "Params.Buckets", p.Buckets, p.SizeBytes())
}

// String describes p in one line, without the key of its family.
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

// slots returns the number of slots.
func (p Params) slots() uint64 { return table.Slots * p.Buckets }

// shape returns the shape of the table.
func (p Params) shape() table.Shape {
	return table.Shape{Buckets: p.Buckets, Bits: p.FingerprintBits, Sorted: p.Compact}
}

// SizeBytes returns the memory, in bytes, of the table of a filter with these
// parameters, without making one, and math.MaxUint64 if the number of bits is
// larger than that. O(1) time.
func (p Params) SizeBytes() uint64 {
	if over, _ := bits.Mul64(p.Buckets, p.shape().BucketBits()); over > 0 {
		return math.MaxUint64
	}
	return p.shape().Bytes()
}

// Capacity returns how many distinct keys fit in a filter of these parameters
// with probability above 1 - 1e-6 over random families. One family, such as the
// public one, may do a little worse if fingerprints are narrow. docs/theory.md
// has the derivation. It returns 0 if the parameters are invalid. A few
// microseconds.
func (p Params) Capacity() uint64 {
	if p.check(ErrParams) != nil {
		return 0
	}
	return sizing.CuckooCapacity(p.Buckets, p.FingerprintBits)
}

// CapacityAt returns the largest number of distinct keys, at most
// [Params.Capacity], at which a filter with these parameters has at most the
// given false-positive rate. It returns 0 if p is invalid. A few microseconds.
func (p Params) CapacityAt(rate float64) uint64 {
	most := p.Capacity()
	return min(most, sizing.LargestWithin(rate, most, p.RateAt))
}

// RateAt returns the expected false-positive rate with n distinct keys in a
// filter of these parameters, NaN if they are invalid. It is exact over the
// families: a key matches a query if it has the same fingerprint, one of 2^f-1,
// and the same pair of buckets, which holds for 2 of m buckets. (Fan et al.,
// section 5.1, has an upper bound.) O(1) time.
func (p Params) RateAt(n uint64) float64 {
	if p.check(ErrParams) != nil {
		return math.NaN()
	}
	return sizing.WithDigest(sizing.CuckooTableRate(p.Buckets, p.FingerprintBits, n), n)
}
