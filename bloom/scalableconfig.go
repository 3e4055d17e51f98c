package bloom

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A ScalableConfig describes a [Scalable].
type ScalableConfig struct {
	// Expected is the number of distinct keys for which the first stage is
	// made. It must not be 0, but need not be exact, because the filter can
	// grow.
	Expected uint64

	// FPRate is the maximum false-positive rate, as a fraction: 0.01 is 1%. It
	// must be below 1 and above Expected/2^63, twice the probability that a key
	// has the same digest as one of Expected keys.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Scalable.SizeBytes]. The last
	// stage that fits uses all remaining memory, and is made for as many keys
	// as FPRate allows. If more keys are added, none will be lost, but the rate
	// will rise above FPRate; use FalsePositiveRate to check it. The memory
	// must suffice for Expected keys at half of FPRate. Attached filters count
	// towards the limit but are never rejected.
	MemoryBytes uint64

	Layout Layout         // used by all stages; see [Config]
	Family hashfam.Family // see [Config]

	_ struct{} // literals must name their fields
}

// InitialBytes returns the size of a new filter in bytes, without allocating
// it. It returns the errors of [NewScalable], except the one for a filter that
// is too large for the platform.
func (c ScalableConfig) InitialBytes() (uint64, error) {
	p, err := c.first()
	return p.SizeBytes(), err
}

// first returns the parameters of the first stage.
func (c ScalableConfig) first() (Params, error) {
	if err := c.check(hashfam.ErrParams); err != nil {
		return Params{}, err
	}
	p, err := c.stage(0).Params()
	if err != nil {
		return Params{}, paramError("ScalableConfig.Expected", c.Expected,
			fmt.Sprintf("a number of keys that fits in %d bits and %d hashes at FPRate %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, c.FPRate))
	}
	if c.MemoryBytes == 0 {
		return p, nil
	}
	if c.MemoryBytes < p.SizeBytes() {
		return Params{}, paramError("ScalableConfig.MemoryBytes", c.MemoryBytes,
			fmt.Sprintf("at least %d, the size of the first stage", p.SizeBytes()))
	}
	return c.fitted(0, p, c.MemoryBytes), nil
}

// fitted returns the parameters of stage i when room bytes of memory are left.
// p are the planned parameters, which fitted returns if another stage of the
// same size would fit, too. Otherwise stage i is the last one: it uses all of
// room, for as many keys as the remaining part of FPRate allows. If this stage
// would be smaller than p because of rounding, although p fits, fitted also
// returns p. If room is too small for any key, the result has no bits.
func (c ScalableConfig) fitted(i int, p Params, room uint64) Params {
	fits := p.SizeBytes() <= room
	if fits && room-p.SizeBytes() >= p.SizeBytes()+64 { // whole lines or slices lose up to 64 bytes
		return p
	}
	last, err := Config{FPRate: c.restOf(i), MemoryBytes: room, Layout: c.Layout, Family: c.Family}.Params()
	if fits && (err != nil || last.Bits < p.Bits) {
		return p
	}
	return last
}

// stage returns the Config of stage i.
func (c ScalableConfig) stage(i int) Config {
	return Config{Capacity: c.capacityOf(i), FPRate: c.rateOf(i), Layout: c.Layout, Family: c.Family}
}

// capacityOf returns the capacity of stage i: Expected 2^i keys.
func (c ScalableConfig) capacityOf(i int) uint64 {
	if i > bits.LeadingZeros64(c.Expected) {
		return math.MaxUint64
	}
	return c.Expected << i
}

// rateOf returns the rate of stage i. The sum over all stages is FPRate: the
// first stage, which may be the only one, uses half of FPRate, and each later
// stage uses 30% of the rest.
func (c ScalableConfig) rateOf(i int) float64 {
	if i == 0 {
		return c.FPRate / 2
	}
	return 0.15 * c.FPRate * decay(i)
}

// restOf returns the sum of the rates of stage i and all later stages.
func (c ScalableConfig) restOf(i int) float64 {
	if i == 0 {
		return c.FPRate
	}
	return c.FPRate * (0.5 * decay(i))
}

// check is like Params.check.
func (c ScalableConfig) check(reason error) error {
	switch {
	case c.Expected == 0:
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected, "at least 1")
	case !(c.FPRate > 0 && c.FPRate < 1):
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate, fault.RateRange)
	case c.FPRate <= float64(c.Expected)/(1<<63):
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate,
			fmt.Sprintf("above Expected/2^63 = %.3g, the floor of 64-bit digests", float64(c.Expected)/(1<<63)))
	case c.Layout > Blocked:
		return errs.Field(reason, "ScalableConfig.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return nil
}

// decay returns the rest before stage i > 0 divided by the rest before stage 1.
func decay(i int) float64 { return math.Pow(0.7, float64(i-1)) }
