package bloom

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A ScalableConfig describes a [Scalable] filter.
type ScalableConfig struct {
	// Expected is the number of distinct keys that the first stage is for, at
	// least 1. It need not be exact: the filter grows beyond it.
	Expected uint64

	// FPRate is the highest false-positive rate, as a fraction: 0.01 is 1 %. It
	// is above 0 and below 1, and above Expected/2^63, twice the chance that a
	// key's digest equals a member's.
	FPRate float64

	// Layout is that of the stages: Classic by default.
	Layout Layout

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// capacityOf returns the number of keys that stage i is for: Expected 2^i.
func (c ScalableConfig) capacityOf(i int) uint64 {
	if i > bits.LeadingZeros64(c.Expected) {
		return math.MaxUint64
	}
	return c.Expected << max(i, 0)
}

// rateOf returns the rate of stage i: half of FPRate for the first stage, which
// may be the only one, and 0.15 FPRate 0.7^(i-1) for stage i. The sum over all
// stages is FPRate.
func (c ScalableConfig) rateOf(i int) float64 {
	if i == 0 {
		return c.FPRate / 2
	}
	return 0.15 * c.FPRate * math.Pow(0.7, float64(i-1))
}

// stage returns the Config of stage i.
func (c ScalableConfig) stage(i int) Config {
	return Config{Capacity: c.capacityOf(i), FPRate: c.rateOf(i), Layout: c.Layout, Family: c.Family}
}

// check returns an error with the given reason that names the invalid field,
// or nil if the fields of c are valid.
func (c ScalableConfig) check(reason error) error {
	switch {
	case c.Expected == 0:
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected, "at least 1")
	case !(c.FPRate > 0 && c.FPRate < 1):
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate, "above 0 and below 1")
	case c.FPRate <= float64(c.Expected)/(1<<63):
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate,
			fmt.Sprintf("above Expected/2^63 = %.3g, the floor of 64-bit digests", float64(c.Expected)/(1<<63)))
	case c.Layout > Blocked:
		return errs.Field(reason, "ScalableConfig.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return nil
}

// NewScalable returns an empty filter for c, with one stage. It returns
// [ErrParams], naming the field, if c is invalid or if the first stage would
// exceed 2^48 bits or what the platform can address. O(Expected) time, one
// allocation of the bit array.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	p, err := c.stage(0).Params()
	if err != nil {
		return nil, paramError("ScalableConfig.Expected", c.Expected,
			fmt.Sprintf("a number of keys that fits in %d bits and %d hashes at FPRate %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, c.FPRate))
	}
	return &Scalable{config: c, stages: firstStage(p)}, nil
}

// SizeBytes returns the memory of a new filter for c in bytes: that of its
// first stage. It returns 0 if [NewScalable] returns an error. O(1) time.
func (c ScalableConfig) SizeBytes() uint64 {
	if c.check(ErrParams) != nil {
		return 0
	}
	p, err := c.stage(0).Params()
	if err != nil {
		return 0
	}
	return p.SizeBytes()
}

// firstStage returns one empty stage.
func firstStage(p Params) stages { return stages{*newFilter(p, make([]uint64, p.words()))} }

// NewScalableReceiver returns an empty filter to decode into. It accepts
// encodings made under fam, as a zero Scalable accepts those made under the
// public family. Until then it behaves like a zero Scalable. O(1) time.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}}
}

// Config returns the configuration of s. O(1) time.
func (s *Scalable) Config() ScalableConfig { return s.config }

// Stages returns the number of stages, including those merged. O(1) time.
func (s *Scalable) Stages() int { return len(s.stages) }

// SizeBytes returns the size of the bit arrays of all stages in bytes. O(s)
// time for s stages.
func (s *Scalable) SizeBytes() uint64 { return s.stages.sizeBytes() }

// FalsePositiveRate returns the chance that s in its current state finds a key
// that was not added: that at least one stage finds it. O(m) time.
func (s *Scalable) FalsePositiveRate() float64 {
	if len(s.stages) == 0 {
		return 1
	}
	return s.stages.rate()
}

// EstimatedLen estimates the number of distinct keys that were added: the sum
// of [Filter.EstimatedLen] over all stages. Keys that were found when they were
// added, at most a share of FPRate, are not counted. O(m) time.
func (s *Scalable) EstimatedLen() float64 { return s.stages.estimatedLen() }

// Merge adds every key of a plain filter to s: a copy of it becomes a further
// stage, which takes no keys. So the bound of the rate rises by the rate of
// other, and each lookup asks one more stage. other may have any layout and
// size. Merge returns [ErrIncompatible] if its family is not that of s, and
// [ErrParams] if s is a zero Scalable, and then leaves s unchanged. O(m) time,
// one allocation of the bit array of other.
func (s *Scalable) Merge(other *Filter) error {
	switch {
	case s == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "a filter")
	case len(s.stages) == 0:
		return errs.Zero(ErrParams, "receiver", "Scalable", "NewScalable")
	case other.params.Bits == 0:
		return errs.Zero(ErrIncompatible, "other", "Filter", "New")
	case s.config.Family != other.params.Family:
		return errs.Field(ErrIncompatible, "Params.Family", other.params.Family, s.config.Family.String())
	}
	s.stages = slices.Insert(s.stages, s.frozen, *other.Clone())
	s.frozen++
	return nil
}

// Reset removes every key and all stages except an empty first one. O(Expected)
// time, one allocation of the bit array.
func (s *Scalable) Reset() {
	if len(s.stages) > 0 {
		s.stages = firstStage(s.stages[s.frozen].params)
		s.frozen, s.stored, s.last = 0, 0, false
	}
}

// Clone returns a copy that shares no memory with s. O(m) time, one allocation
// for each stage.
func (s *Scalable) Clone() *Scalable {
	c := *s
	c.stages = s.stages.clone()
	return &c
}

// Equal reports whether s and other have the same ScalableConfig and the same
// stages with the same bits. A nil other is not equal to s. O(m) time, no
// allocation.
func (s *Scalable) Equal(other *Scalable) bool {
	return other != nil && s.config == other.config && s.frozen == other.frozen &&
		s.stored == other.stored && s.stages.equal(other.stages)
}
