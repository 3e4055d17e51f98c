// Package budget computes the parameters of a structure from two of three
// numbers: the key count, the rate and the memory.
package budget

import (
	"cmp"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Plan returns the parameters of a structure for a key count n, a rate and a
// memory limit in bytes. One of the three can be zero, which means that it is
// not given:
//
//   - without a memory limit, Plan returns the smallest structure
//   - without a rate, it returns the structure with the lowest rate
//   - without n, it returns a structure for the largest possible n
//
// If all three are given, Plan returns the smallest structure for n keys at the
// rate. If this structure exceeds the memory limit, Plan returns the structure
// with the lowest rate within the limit, provided that its rate is not above
// the given one.
//
// If no structure fits, Plan returns the error of least. If least returns no
// error, Plan's error names the memory that is needed and, if any rate below 1
// fits, that rate.
//
// least must return the smallest structure for n keys at a rate. within must
// return the structure with the lowest rate for n keys in the given number of
// bytes. If there is none, RateAt of the result must return NaN.
func Plan[P interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
}](m *fault.Maker, n uint64, rate float64, bytes uint64, least func(n uint64, rate float64) (P, error), within func(n, bytes uint64) P) (p P, err error) {
	if err := given(m, n, rate, bytes); err != nil {
		return p, err
	}
	lowest := func(n uint64) float64 { return within(n, bytes).RateAt(n) }
	if n == 0 {
		n = sizing.MostKeys(rate, min(bytes, sizing.MaxBits/8), lowest)
		if n > 0 {
			return within(n, bytes), nil
		}
		n = 1 // for the error
	}
	if bytes == 0 {
		return least(n, rate)
	}
	wanted := cmp.Or(rate, 0.5) // 0.5 is for the error, if there is no rate below 1
	small, err := least(n, wanted)
	if err == nil && rate != 0 && small.SizeBytes() <= bytes {
		return small, nil
	}
	if best := lowest(n); best <= rate || rate == 0 && best < 1 {
		return within(n, bytes), nil
	} else if err == nil {
		err = m.Field(hashfam.ErrParams, "Config.MemoryBytes", bytes, NeedBytes(small.SizeBytes(), wanted, best))
	}
	return p, err
}

// given returns an error unless two arguments of [Plan] are given and valid.
func given(m *fault.Maker, n uint64, rate float64, bytes uint64) error {
	switch {
	case n == 0 && (rate == 0 || bytes == 0):
		return m.Field(hashfam.ErrParams, "Config.Capacity", n, "at least 1, or both FPRate and MemoryBytes")
	case rate == 0 && bytes == 0:
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate, "above 0 and below 1, or MemoryBytes")
	case rate == 0 && n >= 1<<63:
		return m.Field(hashfam.ErrParams, "Config.Capacity", n, "below 2^63, for digests of 64 bits")
	case rate != 0:
		return checkRate(m, rate, max(1, n))
	}
	return nil
}

// checkRate returns ErrParams unless a filter of capacity keys can have this
// false-positive rate with 64-bit digests.
func checkRate(m *fault.Maker, rate float64, capacity uint64) error {
	if !(rate > 0 && rate < 1) {
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate, fault.RateRange)
	}
	if floor := float64(capacity) / (1 << 63) / 2; rate <= floor {
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate,
			fmt.Sprintf("above Capacity/2^64 = %.3g, the floor of 64-bit digests", floor))
	}
	return nil
}

// NeedBytes describes the memory that a rate needs, and the rate that fits,
// rounded up to three digits. It leaves out a rate that would be printed as 1.
func NeedBytes(bytes uint64, rate, fits float64) string {
	need := fmt.Sprintf("at least %d for FPRate %g", bytes, rate)
	fits *= 1.006
	if fits < 0.9995 { // otherwise it would be printed as 1
		need += fmt.Sprintf(", or FPRate %.3g", fits)
	}
	return need
}
