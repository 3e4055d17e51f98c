package perfect

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A FilterConfig describes a [Filter].
type FilterConfig struct {
	// FPRate is the false-positive rate as a fraction: 0.01 is 1 %. It is above
	// 0 and below 1, above n/2^64 for n keys, and at least 2^(ValueBits-56).
	// The chance that a key's digest equals that of one of the n keys, n/2^64,
	// comes on top.
	FPRate float64

	// ValueBits is the number of bits of the value that the filter keeps with
	// each key: 0 to 32.
	ValueBits int

	// Compact saves a quarter of a bit per key. Building takes 2.5 times as
	// long.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// FilterParams are the parameters of a [Filter].
type FilterParams struct {
	// Keys is the number of keys.
	Keys uint64

	// FPRate is the false-positive rate: at most that of the FilterConfig. In a
	// set of fewer than 4,096 keys it is a power of two.
	FPRate float64

	ValueBits int
	Compact   bool

	// Bytes is the size of the filter in memory. It depends on the keys.
	Bytes uint64

	Family hashfam.Family
}

// check returns ErrParams, naming the field, if a filter of n keys cannot meet
// c.
func (c FilterConfig) check(n int) error {
	if err := checkLen(n); err != nil {
		return err
	}
	if c.ValueBits < 0 || c.ValueBits > maxValue {
		return paramError("FilterConfig.ValueBits", c.ValueBits, fmt.Sprintf("0 to %d", maxValue))
	}
	if !(c.FPRate > 0 && c.FPRate < 1) {
		return paramError("FilterConfig.FPRate", c.FPRate, "above 0 and below 1")
	}
	least := max(math.Ldexp(1, c.ValueBits-maxSlotBits), math.Ldexp(float64(n+1), -64))
	if c.FPRate < least {
		return paramError("FilterConfig.FPRate", c.FPRate, fmt.Sprintf("at least %.3g", least))
	}
	return nil
}

// String describes p in one line. It does not show the key of the family.
func (p FilterParams) String() string {
	return fmt.Sprintf("%d keys, rate %.3g, %d bits of value, %d bytes%s, family %v",
		p.Keys, p.FPRate, p.ValueBits, p.Bytes, compactText(p.Compact), p.Family)
}

// SizeBytes returns the size in bytes of a filter with these parameters. O(1)
// time.
func (p FilterParams) SizeBytes() uint64 { return p.Bytes }

// Params returns the parameters of f. O(1) time.
func (f *Filter) Params() FilterParams { return f.params }

// Len returns the number of keys that f was built from, without copies. It
// includes keys that were deleted. O(1) time.
func (f *Filter) Len() uint64 { return f.n }

// SizeBytes returns the size of f in bytes. The Filter itself adds less than
// two kilobytes. O(1) time.
func (f *Filter) SizeBytes() uint64 { return f.params.Bytes }

// BitsPerKey returns the size of f in bits, divided by the number of keys. It
// returns 0 if there are none. O(1) time.
func (f *Filter) BitsPerKey() float64 { return bitsPerKey(f.params.Bytes, f.n) }

// FalsePositiveRate returns the false-positive rate: 0 if there are no keys,
// and 1 for a zero Filter, which contains every key. O(1) time.
func (f *Filter) FalsePositiveRate() float64 {
	switch {
	case f.isZero():
		return 1
	case f.n == 0:
		return 0
	}
	return f.params.FPRate
}

// filterParams returns the parameters of a filter of shape s.
func (s *shape) filterParams(size slotSize, fam hashfam.Family) FilterParams {
	return FilterParams{
		Keys:      s.keys,
		FPRate:    size.rate(),
		ValueBits: int(size.value),
		Compact:   s.compact,
		Bytes:     s.memory() + size.bytes(s.keys),
		Family:    fam,
	}
}
