package fault

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// Budget sizes a structure of n keys by a false-positive rate, a number of
// bytes, or both; zero stands for none. least returns the smallest structure
// with a rate, and within the one with the lowest rate in a memory. If there is
// none, its rate is not a number.
//
// Both together are a limit: the result is the smallest structure with the
// rate, or any that has the rate and fits. If there is none, the error names
// the rate that fits and the memory that is needed.
func Budget[P interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
}](m *Maker, n uint64, rate float64, bytes uint64, least func(rate float64) (P, error), within func(bytes uint64) P) (p P, err error) {
	if bytes == 0 {
		return least(rate)
	}
	wanted := rate
	if rate == 0 {
		wanted = 0.5 // for the error, if there is no rate below 1
		if n >= 1<<63 {
			return p, m.Field(hashfam.ErrParams, "Config.Capacity", n, "below 2^63, for digests of 64 bits")
		}
	}
	small, err := least(wanted)
	if err != nil || rate != 0 && small.SizeBytes() <= bytes {
		return small, err
	}
	best := within(bytes)
	lowest := best.RateAt(n)
	if lowest <= rate || rate == 0 && lowest < 1 {
		return best, nil
	}
	return p, m.Field(hashfam.ErrParams, "Config.MemoryBytes", bytes, NeedBytes(small.SizeBytes(), wanted, lowest))
}

// NeedBytes says what memory a rate needs, and what rate fits instead. It
// rounds the latter up to three digits.
func NeedBytes(bytes uint64, rate, fits float64) string {
	need := fmt.Sprintf("at least %d for FPRate %g", bytes, rate)
	if fits *= 1.006; fits < 1 {
		need += fmt.Sprintf(", or FPRate %.3g", fits)
	}
	return need
}
