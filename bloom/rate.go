package bloom

import (
	"math"

	"github.com/filterfam/filterfam/internal/sizing"
)

// RateAt returns the expected false-positive rate of a filter with these
// parameters that holds n distinct keys. It returns NaN if p is invalid. O(k^2)
// time: tens of microseconds.
//
// The rate is the exact expectation over all families: Bose et al., IPL 108,
// 2008 (Classic), and the equivalent for the other layouts. It includes keys
// whose 64-bit digest equals a member's, a share of n/2^64. In a Classic filter
// that share is about three times as large, because the digest one step before
// or after a member's in the probe sequence has all positions except one in
// common with it.
func (p Params) RateAt(n uint64) float64 {
	if p.check(ErrParams) != nil {
		return math.NaN()
	}
	return p.rates()(n)
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
	guess := p.estimate(uint64(math.Pow(max(0, min(rate, 0.999)), 1/float64(p.Hashes)) * float64(p.Bits)))
	return sizing.LargestWithin(rate, uint64(guess), p.rates())
}

// rates returns [Params.RateAt] as a function of n. p is valid.
func (p Params) rates() func(n uint64) float64 {
	switch p.Layout {
	case Partitioned:
		return func(n uint64) float64 {
			return sizing.WithDigest(sizing.PartitionedRate(p.Bits, p.Hashes, n), n)
		}
	case Blocked:
		rate := sizing.BlockedRates(p.Bits, p.Hashes)
		return func(n uint64) float64 { return sizing.WithDigest(rate(n), n) }
	}
	return func(n uint64) float64 {
		return sizing.WithClassicDigest(sizing.Rate(p.Bits, p.Hashes, n), p.Bits, p.Hashes, n)
	}
}

// estimate returns the number of keys that set x bits on average.
func (p Params) estimate(x uint64) float64 {
	switch p.Layout {
	case Partitioned:
		return sizing.PartitionedLen(p.Bits, p.Hashes, x)
	case Blocked:
		return sizing.BlockedLen(p.Bits, p.Hashes, x)
	}
	return sizing.ClassicLen(p.Bits, p.Hashes, x)
}
