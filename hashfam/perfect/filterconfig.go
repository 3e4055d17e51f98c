package perfect

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A FilterConfig describes a [Filter].
type FilterConfig struct {
	// FPRate is the false-positive rate as a fraction: 0.01 is 1%. It must be
	// below 1, at least 2^-56 and, for n keys, above n/2^64, which is the
	// probability that another key has the same digest as one of the n keys.
	// FPRate does not include this probability.
	FPRate float64

	// ValueBits is the number of bits of each key's value, from 0 to 64.
	ValueBits int

	Compact bool           // saves 0.25 bits per key; see [Config]
	Family  hashfam.Family // hashes the keys; see [Config]

	_ struct{} // literals name their fields
}

// EstimatedBytes is like [Config.EstimatedBytes] for a filter of n keys. It
// returns [hashfam.ErrParams], naming the field, if c is invalid for n keys.
func (c FilterConfig) EstimatedBytes(n uint64) (uint64, error) {
	if err := c.check(n); err != nil {
		return 0, err
	}
	return c.shape(n).estimate(), nil
}

// shape returns the shape of a filter of n keys.
func (c FilterConfig) shape(n uint64) shape {
	return shape{keys: n, compact: c.Compact, slot: newSlotSize(c.FPRate, c.ValueBits, n)}
}

// check returns ErrParams if c is invalid for n keys.
func (c FilterConfig) check(n uint64) error {
	if err := checkLen(n); err != nil {
		return err
	}
	if c.ValueBits < 0 || c.ValueBits > maxValue {
		return paramError("FilterConfig.ValueBits", c.ValueBits, fmt.Sprintf("0 to %d", maxValue))
	}
	if !(c.FPRate > 0 && c.FPRate < 1) {
		return paramError("FilterConfig.FPRate", c.FPRate, fault.RateRange)
	}
	least := max(math.Ldexp(1, -maxFingerprint), math.Ldexp(float64(n+1), -64))
	if c.FPRate < least {
		return paramError("FilterConfig.FPRate", c.FPRate, fmt.Sprintf("at least %.3g", least))
	}
	return nil
}

// checkValues returns ErrParams if there is not one value for each of n
// digests, or if a value needs more than c.ValueBits bits.
func (c FilterConfig) checkValues(n int, values []uint64) error {
	if c.ValueBits == 0 {
		n = 0
	}
	if len(values) != n {
		return paramError("number of values", len(values), fmt.Sprintf("%d, because ValueBits is %d", n, c.ValueBits))
	}
	most := uint64(1)<<c.ValueBits - 1
	for i, value := range values {
		if value > most {
			return valueError(uint64(i), value, most)
		}
	}
	return nil
}

// valueError returns the error for value i, which is larger than most.
func valueError(i, value, most uint64) error {
	return paramError(fmt.Sprintf("value %d", i), value, fmt.Sprintf("at most %d", most))
}

// FilterParams are the parameters of a [Filter].
type FilterParams struct {
	Params

	// FPRate is the false-positive rate. It does not exceed
	// FilterConfig.FPRate. For fewer than 4,096 keys it is a power of two.
	FPRate float64

	ValueBits int
}

// String describes p in one line, without the family's key.
func (p FilterParams) String() string {
	return fmt.Sprintf("%d keys, rate %.3g, %d bits of value, %d bytes%s, family %v",
		p.Keys, p.FPRate, p.ValueBits, p.bytes, p.compact(), p.Family)
}
