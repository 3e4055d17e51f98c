package cuckoo

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config says what a filter is wanted for.
type Config struct {
	// Capacity is the number of keys, copies counted, that go in: at least 1.
	// It is reached with probability above 1 - 1e-6 where no key has more
	// than one copy. Often some more go in; then Add returns ErrFull.
	Capacity uint64

	// FPRate is the false-positive rate at Capacity keys, as a fraction: 0.01
	// is 1 %. Above 0 and below 1, above Capacity/2^64, the share of keys
	// that have their digest in common with a member, and at least about
	// 1.9e-9, which is what the widest fingerprints give.
	FPRate float64

	// Compact saves one bit per slot: fingerprints are kept sorted in their
	// buckets. Look-ups cost a third more, adding two to three times as much.
	Compact bool

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family where strangers choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params says what a filter is. Filters with equal Params can be merged.
type Params struct {
	// Buckets is m, the number of buckets of four slots: even, at least 2,
	// and at most what 2^48 bits and the platform's memory have room for.
	Buckets uint64

	// FingerprintBits is f, the width of a fingerprint: 4 to 32, and wide
	// enough for Buckets, see Params.Capacity.
	FingerprintBits int

	// Compact keeps a slot in f-1 bits.
	Compact bool

	Family hashfam.Family
}

// Params returns the filter that meets the configuration, without allocating
// it: the least FingerprintBits that meet the rate, and the least Buckets that
// Capacity keys fit in with probability above 1 - 1e-6. Large tables are
// planned for 0.97 keys a slot, so a key costs f/0.97 bits (Compact: f-1); from
// about 25,000 keys down the share falls, to a third at ten. Where many keys
// meet narrow fingerprints, wider ones take less memory than more buckets
// would, and are chosen. It takes less than a millisecond. An impossible
// configuration is an [ErrParams] that names the field.
func (c Config) Params() (Params, error) {
	if c.Capacity == 0 {
		return Params{}, paramError("Config.Capacity", c.Capacity, "at least 1")
	}
	if err := fault.Rate(c.FPRate, c.Capacity); err != nil {
		return Params{}, err
	}
	saved := 0
	if c.Compact {
		saved = 1
	}
	p, ok := sizing.CuckooPlan(c.Capacity, c.FPRate, saved)
	switch {
	case ok:
		return Params{p.Buckets, p.FingerprintBits, c.Compact, c.Family}, nil
	case c.Capacity > sizing.MaxBits/(slots*minBits):
		return Params{}, paramError("Config.Capacity", c.Capacity,
			fmt.Sprintf("a capacity that needs at most %d bits", uint64(sizing.MaxBits)))
	}
	return Params{}, paramError("Config.FPRate", c.FPRate,
		fmt.Sprintf("a rate that fingerprints of at most %d bits give for so many keys", maxBits))
}

// The narrowest and the widest fingerprint.
const (
	minBits = sizing.MinFingerprintBits
	maxBits = sizing.MaxFingerprintBits
)

// check returns an error that names the field unless p describes a filter.
func (p Params) check() error {
	f := p.FingerprintBits
	if f < minBits || f > maxBits {
		return paramError("Params.FingerprintBits", f, fmt.Sprintf("%d to %d", minBits, maxBits))
	}
	if most := sizing.MaxBits / p.bucketBits(); p.Buckets < 2 || p.Buckets%2 != 0 || p.Buckets > most {
		return paramError("Params.Buckets", p.Buckets, fmt.Sprintf("an even number, 2 to %d", most&^1))
	}
	if least := sizing.LeastFingerprintBits(p.Buckets); f < least {
		return paramError("Params.FingerprintBits", f, fmt.Sprintf(
			"at least %d for %d buckets, which narrower ones do not fill by a quarter", least, p.Buckets))
	}
	return nil
}

// slots returns the number of slots.
func (p Params) slots() uint64 { return slots * p.Buckets }

// bucketBits returns the size of a bucket in bits.
func (p Params) bucketBits() uint64 {
	if p.Compact {
		return slots * uint64(p.FingerprintBits-1)
	}
	return slots * uint64(p.FingerprintBits)
}

// bytes returns the size of the table: the whole words that hold the buckets,
// and one more.
func (p Params) bytes() uint64 { return 8 * ((p.Buckets*p.bucketBits()+63)/64 + 1) }

// Params returns what f is.
func (f *Filter) Params() Params { return f.params }

// SizeBytes returns the memory of the table that a filter of these parameters
// has, in bytes, without making one.
func (p Params) SizeBytes() uint64 { return p.bytes() }

// SizeBytes returns the memory of the table in bytes. The Filter itself adds
// less than 200, and at most a 256th of the table for hashes.
func (f *Filter) SizeBytes() uint64 { return uint64(len(f.table.bytes)) }

// Capacity returns how many distinct keys fit in a filter of these parameters
// with probability above 1 - 1e-6 over random families. One family, such as the
// public one, may do a little worse if fingerprints are narrow. docs/theory.md
// has the derivation.
// Parameters that describe no filter give 0.
func (p Params) Capacity() uint64 {
	if p.check() != nil {
		return 0
	}
	return sizing.CuckooCapacity(p.Buckets, p.FingerprintBits)
}

// RateAt returns the expected false-positive rate once n distinct keys are in
// a filter of these parameters, exact over the families: any of them matches a
// query in fingerprint, one of 2^f-1, and in pair of buckets, which is the
// same for 2 of m buckets. (Fan et al., section 5.1, has an upper bound.)
// Parameters that describe no filter give NaN.
func (p Params) RateAt(n uint64) float64 {
	if p.check() != nil {
		return math.NaN()
	}
	return sizing.WithDigest(sizing.CuckooTableRate(p.Buckets, p.FingerprintBits, n), n)
}
