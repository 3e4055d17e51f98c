package bloom

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Scalable is a Bloom filter that grows, for an unknown number of keys
// (Almeida, Baquero, Preguiça and Hutchison, IPL 101, 2007). It is a series of
// filters, called stages. Keys are added to the newest stage. When this stage
// is full, a stage for twice as many keys follows.
//
// The rates of the stages become lower and lower, and their sum does not exceed
// the FPRate of the [ScalableConfig]. While the filter can grow, its rate
// therefore stays below FPRate. For a rate of 1%, the filter uses 11 bits per
// key when it contains Expected keys. With up to 100 times as many, it uses 13
// to 38 bits per key, with the maximum right after a stage was added. For
// absent keys, all stages need to be queried, each in less than half the time
// of a plain filter. EstimatedLen does not count keys that were already found
// when they were added; their fraction is below FPRate.
//
// A Scalable must not be copied by value; use [Scalable.Clone] instead. Two
// Scalables cannot be merged: keeping the stages of both would add up their
// rates, and merging the stages would overfill some. [Scalable.Attach] adds a
// plain filter and its rate.
type Scalable struct {
	stages
	config ScalableConfig
	frozen int    // number of attached stages, which come first
	stored uint64 // keys in the newest stage, up to its capacity
	last   bool   // no further stage is possible
}

// A ScalableConfig describes a [Scalable].
type ScalableConfig struct {
	// Expected is the number of distinct keys for the first stage, which must
	// not be 0. It does not need to be exact because the filter can grow.
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

// NewScalable returns an empty filter for c, with a single stage. It returns
// [ErrParams], naming the field, if c is invalid or the stage too large.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	p, err := c.first() // if there is an error, p has no bits
	if err := cmp.Or(err, errs.Fits(ErrParams, "ScalableConfig.Expected", c.Expected, p.SizeBytes())); err != nil {
		return nil, err
	}
	return &Scalable{config: c, stages: newStages(p, 1)}, nil
}

// NewScalableReceiver is like [NewReceiver] for a Scalable.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}, stages: stages{hash: fam.Hasher(0)}}
}

// SizeBytes returns the size of the first stage in bytes, without allocating
// it. It returns the errors of [NewScalable].
func (c ScalableConfig) SizeBytes() (uint64, error) {
	p, err := c.first()
	return p.SizeBytes(), err
}

// first returns the parameters of the first stage.
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
	if c.MemoryBytes == 0 {
		return p, nil
	}
	if c.MemoryBytes < p.SizeBytes() {
		return Params{}, paramError("ScalableConfig.MemoryBytes", c.MemoryBytes,
			fmt.Sprintf("at least %d, the size of the first stage", p.SizeBytes()))
	}
	return c.fitted(0, p, c.MemoryBytes), nil
}

// fitted returns the parameters of stage i within the memory that is left.
// These are p, the planned parameters, if another stage would fit as well.
// Otherwise this is the last stage: it uses all of room, for as many keys as
// the rest of FPRate allows. If there is no room for any key, it has no bits.
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
// first stage, which may be the only one, uses half of it, and each later stage
// uses 30% of the rest.
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

// decay returns the rest before stage i > 0 divided by the rest before stage 1.
func decay(i int) float64 { return math.Pow(0.7, float64(i-1)) }

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

// Add adds key unless it is found. It runs in O(s k) time for s stages.
//
// Add never fails, and allocates only when the newest stage is full: it then
// creates the next stage, in time proportional to its size. Another stage is
// not possible if it would exceed MemoryBytes, 2^48 bits or the memory that the
// platform can address, or if its rate would be too low for 64-bit digests. All
// further keys are then added to the newest stage, and the rate will rise; see
// MemoryBytes. The program terminates if a stage does not fit into memory.
func (s *Scalable) Add(key []byte) { s.ContainsOrAdd(key) }

// AddString is like [Scalable.Add] for a string key.
func (s *Scalable) AddString(key string) { s.ContainsOrAddString(key) }

// AddDigest is like [Scalable.Add] for a key's digest.
func (s *Scalable) AddDigest(d hashfam.Digest) { s.ContainsOrAddDigest(d) }

// AddAll calls AddDigest for each digest. Use Family().SumAll to compute them.
func (s *Scalable) AddAll(digests []hashfam.Digest) {
	for _, d := range digests {
		s.ContainsOrAddDigest(d)
	}
}

// ContainsOrAdd is like [Scalable.Add], and also reports whether key was found.
func (s *Scalable) ContainsOrAdd(key []byte) bool { return s.ContainsOrAddDigest(s.hash.Sum(key)) }

// ContainsOrAddString is like [Scalable.ContainsOrAdd] for a string key.
func (s *Scalable) ContainsOrAddString(key string) bool {
	return s.ContainsOrAddDigest(s.hash.SumString(key))
}

// ContainsOrAddDigest is like [Scalable.ContainsOrAdd] for a key's digest.
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

// grow adds a stage if possible.
func (s *Scalable) grow() {
	if s.last {
		return
	}
	c := s.config
	p, err := c.stage(s.grown()).Params()
	if err == nil && c.MemoryBytes > 0 {
		room := c.MemoryBytes - min(c.MemoryBytes, s.SizeBytes())
		if p = c.fitted(s.grown(), p, min(room, sizing.MaxBytes)); p.Bits < s.newest().params.Bits {
			p.Bits = 0 // the rate is lower if the newest stage stores all further keys
		}
	}
	if err != nil || p.Bits == 0 || p.fits(ErrParams) != nil {
		s.last = true
		return
	}
	s.append(newFilter(p, make([]uint64, p.words())))
	s.stored = 0
}

// Attach adds every key of a plain filter, which can have any layout and size.
// A copy of it becomes an additional stage, to which no keys are added. This
// raises the bound on the rate by the rate of other, and every lookup must
// query one more stage. Attach returns [ErrIncompatible] and leaves s unchanged
// if the families differ, or if other is a zero Filter.
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

// Reset removes all keys and stages, and allocates a new first stage.
func (s *Scalable) Reset() {
	s.use()
	s.stages = newStages(s.list[s.frozen].params, 1)
	s.frozen, s.stored, s.last = 0, 0, false
}

// Config returns the filter's configuration.
func (s *Scalable) Config() ScalableConfig { return s.config }

// Stages returns the number of stages, including attached filters.
func (s *Scalable) Stages() int { return len(s.list) }

// Clone returns a deep copy of s.
func (s *Scalable) Clone() *Scalable {
	c := *s
	c.stages = s.stages.clone()
	return &c
}

// Equal reports whether s and other have equal configurations, stages and bits.
func (s *Scalable) Equal(other *Scalable) bool {
	return s.config == other.config && s.frozen == other.frozen &&
		s.stored == other.stored && s.stages.equal(&other.stages)
}

// String describes s in a single line.
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
