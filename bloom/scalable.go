package bloom

import (
	"fmt"
	"log/slog"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Scalable is a Bloom filter for an unknown number of keys (Almeida, Baquero,
// Preguiça and Hutchison, IPL 101, 2007). It grows: it is a series of filters,
// its stages, and only the newest one takes keys. If that is full, a stage for
// twice as many keys follows.
//
// The stages have lower and lower rates whose sum is at most the FPRate of the
// [ScalableConfig]. So the rate stays below FPRate however many keys are added.
// A key costs 11 bits at 1 % if there are Expected keys, and 13 to 38 bits with
// up to 100 times as many: most right after a stage was added. A lookup of an
// absent key asks every stage, which takes less than half of the time of a
// plain filter for each.
//
// A Scalable must not be copied by value; use [Scalable.Clone]. Two Scalables
// cannot be merged: to keep the stages of both would add up their rates, and to
// merge them would overfill some. [Scalable.Attach] adds a plain filter and its
// rate.
type Scalable struct {
	stages
	config ScalableConfig
	frozen int    // number of stages that were attached; they come first
	stored uint64 // keys in the newest stage, at most its capacity
	last   bool   // no further stage is possible
}

// A ScalableConfig describes a [Scalable] filter.
type ScalableConfig struct {
	// Expected is the number of distinct keys that the first stage is for, at
	// least 1. It need not be exact: the filter grows beyond it.
	Expected uint64

	// FPRate is the highest false-positive rate, as a fraction: 0.01 is 1 %. It
	// is above 0 and below 1, and above Expected/2^63, twice the chance that a
	// key's digest equals a member's.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Scalable.SizeBytes]. The last
	// stage that fits uses all of the memory that the others leave, for as many
	// keys as FPRate allows there. If more keys are added, none is lost, but
	// the rate rises above FPRate, as FalsePositiveRate reports. The memory
	// must suffice for Expected keys at half of FPRate. Attached filters count,
	// but are not refused.
	MemoryBytes uint64

	Layout Layout         // of the stages, as in [Config]
	Family hashfam.Family // as in [Config]

	_ struct{} // literals name their fields
}

// NewScalable returns an empty filter for c, with one stage. It returns
// [ErrParams], naming the field, if c is invalid or its first stage is too
// large. O(Expected) time, one allocation of the bit array.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	p, err := c.first()
	if err == nil {
		err = errs.Fits(ErrParams, "ScalableConfig.Expected", c.Expected, p.SizeBytes())
	}
	if err != nil {
		return nil, err
	}
	return &Scalable{config: c, stages: newStages(p, 1)}, nil
}

// NewScalableReceiver is [NewReceiver] for a Scalable. O(1) time.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}, stages: stages{hash: fam.Hasher(0)}}
}

// SizeBytes returns the memory of the first stage in bytes, without allocating
// it. Its errors are those of [NewScalable].
func (c ScalableConfig) SizeBytes() (uint64, error) {
	p, err := c.first() // with an error it has no bits
	return p.SizeBytes(), err
}

// first returns the parameters of the first stage, or an error.
func (c ScalableConfig) first() (Params, error) {
	if err := c.check(ErrParams); err != nil {
		return Params{}, err
	}
	p, err := c.stage(0).Params()
	if err != nil {
		return Params{}, paramError("ScalableConfig.Expected", c.Expected,
			fmt.Sprintf("a number of keys that fits in %d bits and %d hashes at FPRate %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, c.FPRate))
	}
	if c.MemoryBytes > 0 && c.MemoryBytes < p.SizeBytes() {
		return Params{}, paramError("ScalableConfig.MemoryBytes", c.MemoryBytes,
			fmt.Sprintf("at least %d, the size of the first stage", p.SizeBytes()))
	}
	if c.MemoryBytes > 0 {
		p = c.fitted(0, p, c.MemoryBytes)
	}
	return p, nil
}

// fitted returns p, the planned parameters of stage i, or those of the last
// stage if no further one would fit in room after it. The last stage uses all
// of room, for the most keys at the rest of FPRate. It has no bits if there is
// no room for any key.
func (c ScalableConfig) fitted(i int, p Params, room uint64) Params {
	fits := p.SizeBytes() <= room
	if fits && room-p.SizeBytes() >= p.SizeBytes()+64 { // up to 64 bytes are lost to whole lines or slices
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

// capacityOf returns the number of keys that stage i is for: Expected 2^i.
func (c ScalableConfig) capacityOf(i int) uint64 {
	if i > bits.LeadingZeros64(c.Expected) {
		return math.MaxUint64
	}
	return c.Expected << i
}

// rateOf returns the rate of stage i. The sum over all stages is FPRate.
func (c ScalableConfig) rateOf(i int) float64 { return c.restOf(i) - c.restOf(i+1) }

// restOf returns the sum of the rates of stage i and all later ones. The first
// stage, which may be the only one, uses half of FPRate, and every other stage
// uses 30% of the rest.
func (c ScalableConfig) restOf(i int) float64 {
	if i == 0 {
		return c.FPRate
	}
	return 0.5 * c.FPRate * math.Pow(0.7, float64(i-1))
}

// check returns an error with the given reason that names the invalid field.
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

// Add records key, unless it is found already: then it takes no room. O(s k)
// time for s stages, about half of that for absent keys; Add does not keep key.
//
// Add never fails, and allocates nothing, except if the newest stage is full:
// then it allocates the next one, which takes time in proportion to its size.
// If no further stage is possible, because it would exceed MemoryBytes, 2^48
// bits or the limit of the platform, or because its share of FPRate is below
// what 64-bit digests allow, the newest stage takes all further keys. Then no
// key is lost, but the rate rises above FPRate, as FalsePositiveRate reports.
// The program ends if the machine does not have enough memory for a stage.
func (s *Scalable) Add(key []byte) { s.ContainsOrAdd(key) }

// AddString is [Scalable.Add] for a string.
func (s *Scalable) AddString(key string) { s.ContainsOrAddString(key) }

// AddDigest is [Scalable.Add] for a digest under its family.
func (s *Scalable) AddDigest(d hashfam.Digest) { s.ContainsOrAddDigest(d) }

// AddAll calls [Scalable.AddDigest] for each digest. Get them from
// Family().SumAll.
func (s *Scalable) AddAll(digests []hashfam.Digest) {
	for _, d := range digests {
		s.ContainsOrAddDigest(d)
	}
}

// ContainsOrAdd is [Scalable.Add], and reports whether key was found.
func (s *Scalable) ContainsOrAdd(key []byte) bool { return s.ContainsOrAddDigest(s.hash.Sum(key)) }

// ContainsOrAddString is [Scalable.ContainsOrAdd] for a string.
func (s *Scalable) ContainsOrAddString(key string) bool {
	return s.ContainsOrAddDigest(s.hash.SumString(key))
}

// ContainsOrAddDigest is [Scalable.ContainsOrAdd] for a digest of its family.
func (s *Scalable) ContainsOrAddDigest(d hashfam.Digest) bool {
	if s.ContainsDigest(d) {
		return true
	}
	if s.stored == s.capacity() {
		s.grow()
	}
	s.newest().AddDigest(d)
	s.stored = min(s.stored+1, s.capacity())
	return false
}

// grown returns the number of stages that were not attached.
func (s *Scalable) grown() int { return len(s.list) - s.frozen }

// capacity returns the number of keys that the newest stage is for.
func (s *Scalable) capacity() uint64 { return s.config.capacityOf(s.grown() - 1) }

// grow adds a stage, if a further one is possible.
func (s *Scalable) grow() {
	if s.last {
		return
	}
	p, err := s.config.stage(s.grown()).Params()
	if err == nil && s.config.MemoryBytes > 0 {
		p = s.within(p)
	}
	if err != nil || p.Bits == 0 || p.fits(ErrParams) != nil {
		s.last = true
		return
	}
	s.append(newFilter(p, make([]uint64, p.words())))
	s.stored = 0
}

// within returns the parameters of the next stage within MemoryBytes. If that
// is smaller than the newest stage, which does better with all further keys, it
// has no bits.
func (s *Scalable) within(p Params) Params {
	room := s.config.MemoryBytes - min(s.config.MemoryBytes, s.SizeBytes())
	p = s.config.fitted(s.grown(), p, min(room, sizing.MaxBytes))
	if p.Bits < s.newest().params.Bits {
		p.Bits = 0
	}
	return p
}

// Attach adds every key of a plain filter of any layout and size to s: a copy
// of it becomes a further stage, which takes no keys. So the bound of the rate
// rises by the rate of other, and each lookup asks one more stage. Attach
// returns [ErrIncompatible] if the family of other is not that of s, or if
// other is a zero Filter, and then leaves s unchanged. O(m) time, one
// allocation of the bit array of other.
func (s *Scalable) Attach(other *Filter) error {
	s.use()
	if s.Family() != other.params.Family {
		return errs.Field(ErrIncompatible, "Params.Family", other.params.Family, s.Family().String())
	}
	if err := other.params.check(ErrIncompatible); err != nil {
		return err // a zero filter
	}
	s.list = slices.Insert(s.list, s.frozen, *other.Clone())
	s.frozen++
	return nil
}

// Reset removes every key and all stages except an empty first one. O(Expected)
// time, one allocation of the bit array.
func (s *Scalable) Reset() {
	s.use()
	s.stages = newStages(s.list[s.frozen].params, 1)
	s.frozen, s.stored, s.last = 0, 0, false
}

// Config returns the configuration of s. O(1) time.
func (s *Scalable) Config() ScalableConfig { return s.config }

// Stages returns the number of stages, including those attached. O(1) time.
func (s *Scalable) Stages() int { return len(s.list) }

// Clone returns a copy that shares no memory with s. O(m) time, one allocation
// for each stage.
func (s *Scalable) Clone() *Scalable {
	c := *s
	c.stages = s.stages.clone()
	return &c
}

// Equal reports whether s and other have the same ScalableConfig and the same
// stages with the same bits. O(m) time, no allocation.
func (s *Scalable) Equal(other *Scalable) bool {
	return s.config == other.config && s.frozen == other.frozen &&
		s.stored == other.stored && s.stages.equal(&other.stages)
}

// String describes s in one line.
func (s Scalable) String() string {
	c, limit := s.config, ""
	if c.MemoryBytes > 0 {
		limit = fmt.Sprintf(", at most %d bytes", c.MemoryBytes)
	}
	return fmt.Sprintf("bloom.Scalable(%v%s, %d keys expected, rate %g, family %v, stages: %d)",
		c.Layout, limit, c.Expected, c.FPRate, c.Family, len(s.list))
}

// Format prints the result of String for every verb.
func (s Scalable) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the result of String for package log/slog.
func (s Scalable) LogValue() slog.Value { return slog.StringValue(s.String()) }
