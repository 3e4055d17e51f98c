package bloom

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Scalable is a Bloom filter that grows, for an unknown number of keys
// (Almeida, Baquero, Preguiça and Hutchison, IPL 101, 2007). It is a series of
// filters, called stages. Keys are added to the newest stage until it is full.
// Then a stage for twice as many keys follows.
//
// Each stage uses a part of FPRate, which is usually smaller for later stages.
// Since the sum of the stages' rates does not exceed FPRate, the filter's rate
// stays below FPRate while it can grow. For a rate of 1%, an Expected of 10,000
// and the Classic layout, the filter uses 11 bits per key when it contains
// Expected keys. With up to 100 times as many keys, it uses 13 to 38 bits per
// key, and most right after a stage was added. For absent keys, all stages need
// to be queried, so lookups become slower as the filter grows. EstimatedLen
// does not count keys that were already found when they were added; their
// fraction is below FPRate.
//
// Two Scalables cannot be merged: if the result had the stages of both, its
// rate would be the sum of both rates, and if stages were merged, some would be
// overfull. [Scalable.Attach] can add a plain filter, whose rate is then added,
// too. A Scalable must not be copied by value; use [Scalable.Clone] instead.
type Scalable struct {
	stages
	config ScalableConfig
	frozen int    // number of attached stages, which come first
	stored uint64 // keys in the newest stage, up to its capacity
	last   bool   // no further stage is possible
}

// NewScalable returns an empty filter for c, with a single stage. It returns
// [hashfam.ErrParams], naming the field, if c is invalid or the stage too
// large.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	p, err := c.first() // if there is an error, p has no bits
	if err := cmp.Or(err, errs.Fits(hashfam.ErrParams, "ScalableConfig.Expected", c.Expected, p.SizeBytes())); err != nil {
		return nil, err
	}
	return &Scalable{config: c, stages: newStages(p, 1)}, nil
}

// NewScalableReceiver is like [NewReceiver] for a Scalable.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}, stages: stages{hash: fam.Hasher(0)}}
}

// Add adds key unless it is found. It runs in O(s k) time for s stages.
//
// Add never fails. When the newest stage is full, Add allocates the next one,
// in time proportional to its size. If there is not enough memory, the program
// crashes.
//
// Another stage is not possible if the rest of MemoryBytes is smaller than the
// newest stage, if the new stage would exceed 2^48 bits or the memory that the
// platform can address, or if its rate would be too low for 64-bit digests. All
// further keys are then added to the newest stage, and the rate will rise; see
// MemoryBytes.
func (s *Scalable) Add(key []byte) { s.ContainsOrAdd(key) }

// AddString is like [Scalable.Add] for a string key.
func (s *Scalable) AddString(key string) { s.ContainsOrAddString(key) }

// AddDigest is like [Scalable.Add] for a key's digest.
func (s *Scalable) AddDigest(d hashfam.Digest) { s.ContainsOrAddDigest(d) }

// AddAll calls AddDigest for each digest. Use Family().SumAll to compute the
// digests.
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
	if err != nil || p.Bits == 0 || p.fits() != nil {
		s.last = true
		return
	}
	s.append(newFilter(p, make([]uint64, p.words())))
	s.stored = 0
}

// Attach adds every key of other, a plain filter of any layout and size. A copy
// of other becomes an additional stage of s, to which no keys are added. This
// raises the rate of s by up to the rate of other, and lookups must query one
// more stage. Attach returns [hashfam.ErrIncompatible] and leaves s unchanged
// if the families differ, or if other is nil or a zero Filter.
func (s *Scalable) Attach(other *Filter) error {
	s.made()
	if other == nil {
		return errs.Field(hashfam.ErrIncompatible, "other", "nil", "a filter")
	}
	if s.Family() != other.params.Family {
		return errs.Field(hashfam.ErrIncompatible, "Params.Family", other.params.Family, s.Family().String())
	}
	if err := other.params.check(hashfam.ErrIncompatible); err != nil {
		return err // a zero filter
	}
	s.list = slices.Insert(s.list, s.frozen, *other.Clone())
	s.frozen++
	return nil
}

// Reset removes all keys and stages, and allocates a new first stage.
func (s *Scalable) Reset() {
	s.made()
	s.stages = newStages(s.list[s.frozen].params, 1)
	s.frozen = 0
	s.stored = 0
	s.last = false
}

// Config returns the filter's configuration.
func (s *Scalable) Config() ScalableConfig { return s.config }

// Clone returns a deep copy of s.
func (s *Scalable) Clone() *Scalable {
	c := *s
	c.stages = s.stages.clone()
	return &c
}

// Equal reports whether s and other have equal configurations, stages and bits.
func (s *Scalable) Equal(other *Scalable) bool {
	return other != nil && s.config == other.config && s.frozen == other.frozen &&
		s.stored == other.stored && s.stages.equal(&other.stages)
}

// String describes s in one line.
func (s Scalable) String() string {
	c := s.config
	limit := ""
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
