package bloom

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/ring"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Rotating is a Bloom filter that forgets: it answers whether a key was added
// within the last N keys, or within the last hour. It is a ring of filters, its
// generations. Keys go into the newest one; if that is full or its time is
// over, the oldest one is cleared and becomes the newest. This extends the
// double buffering of Chang, Feng and Li (INFOCOM 2004) to more generations.
//
// With G generations in the window there are G+1, each for a G-th of it,
// rounded up to a whole number of keys or nanoseconds. So a key is remembered
// for the window at least, and for G+1 of these parts at most. A key of a
// window costs 16 bits at 1 % and G = 4; a lookup asks every generation.
//
// A Rotating must not be copied by value; use [Rotating.Clone]. It has no clock
// and no goroutine: time comes from the caller, by [Rotating.Advance]. Two
// Rotatings cannot be merged: their windows end at different keys or times.
type Rotating struct {
	stages // the generations
	config RotatingConfig
	ring   ring.Ring
}

// A RotatingConfig describes a [Rotating] filter.
type RotatingConfig struct {
	// Capacity is the number of keys in a window, at least 1. If Span is 0, the
	// window is the last Capacity keys added. Otherwise it is the number of
	// distinct keys expected within Span. You may add more: none is forgotten
	// too early, but the rate rises. It also rises if the keys come in bursts:
	// see Generations.
	Capacity uint64

	// Span is the length of the window in time, or 0. If it is not 0, the
	// window advances only by [Rotating.Advance].
	Span time.Duration

	// Generations is G, the number of parts of a window: 1 to 255, or 0 for 4.
	// With more of them keys are forgotten more precisely, and lookups take
	// longer. By time, FPRate holds if at most a G-th of Capacity is added in a
	// G-th of Span. If all keys of a window may come in a burst, set 1: the
	// rate then holds, a key costs 22 bits at 1 %, and it is remembered for up
	// to twice the window.
	Generations int

	// FPRate is the highest false-positive rate of the whole window, as a
	// fraction: 0.01 is 1 %. It is above 0 and below 1, and each of the G+1
	// generations has an equal share of it.
	FPRate float64

	Layout Layout         // of the generations, as in [Config]
	Family hashfam.Family // as in [Config]

	_ struct{} // literals name their fields
}

// defaultGenerations is G if the Config has none. 2 cost 10 % more memory, 8
// save 1 % and look up half as fast.
const (
	defaultGenerations = 4
	maxGenerations     = 255
)

// NewRotating returns an empty filter for c. It returns [ErrParams], naming the
// field, if c is invalid, or if a generation would be too large or its rate
// below what 64-bit digests allow. O(Capacity) time, an allocation for each
// generation.
func NewRotating(c RotatingConfig) (*Rotating, error) {
	c, p, err := c.plan()
	if err == nil {
		err = errs.Fits(ErrParams, "RotatingConfig.Capacity", c.Capacity, uint64(c.Generations+1)*p.SizeBytes())
	}
	if err != nil {
		return nil, err
	}
	return &Rotating{newStages(p, c.Generations+1), c, c.ring()}, nil
}

// NewRotatingReceiver is [NewReceiver] for a Rotating. O(1) time.
func NewRotatingReceiver(fam hashfam.Family) *Rotating {
	return &Rotating{config: RotatingConfig{Family: fam}, stages: stages{hash: fam.Hasher(0)}}
}

// SizeBytes returns the memory of all generations in bytes, without allocating
// it. Its errors are those of [NewRotating].
func (c RotatingConfig) SizeBytes() (uint64, error) {
	c, p, err := c.plan() // with an error p has no bits
	return uint64(c.Generations+1) * p.SizeBytes(), err
}

// plan returns c with its number of generations, and the parameters of each.
func (c RotatingConfig) plan() (RotatingConfig, Params, error) {
	if c.Generations == 0 {
		c.Generations = defaultGenerations
	}
	if err := c.check(ErrParams); err != nil {
		return c, Params{}, err
	}
	g := c.generation()
	p, err := g.Params()
	if err != nil {
		return c, Params{}, paramError("RotatingConfig.Capacity", c.Capacity,
			fmt.Sprintf("keys that fit in %d bits and %d hashes a generation, and below 2^64 times the rate of one, %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, g.FPRate))
	}
	return c, p, nil
}

// generation returns the Config of a generation. ContainsOrAdd adds only keys
// that the generation does not find. Such n keys set as many bits as n/(1-rate)
// keys that were not selected.
func (c RotatingConfig) generation() Config {
	n, rate := c.perGeneration(), c.FPRate/float64(c.Generations+1)
	random := min(math.Ceil(float64(n)/(1-rate)), 1<<63)
	return Config{Capacity: max(n, uint64(random)), FPRate: rate, Layout: c.Layout, Family: c.Family}
}

// perGeneration returns the number of keys that are added to a generation.
func (c RotatingConfig) perGeneration() uint64 { return (c.Capacity-1)/uint64(c.Generations) + 1 }

// ring returns the position of a window that has no keys and no time.
func (c RotatingConfig) ring() ring.Ring {
	if c.Span == 0 {
		return ring.OfKeys(c.Capacity, c.Generations)
	}
	return ring.OfTime(c.Span, c.Generations)
}

// check returns an error with the given reason that names the invalid field.
// Generations must not be 0.
func (c RotatingConfig) check(reason error) error {
	switch {
	case c.Capacity == 0:
		return errs.Field(reason, "RotatingConfig.Capacity", c.Capacity, "at least 1")
	case c.Span < 0:
		return errs.Field(reason, "RotatingConfig.Span", c.Span, "at least 0")
	case c.Generations < 1 || c.Generations > maxGenerations:
		return errs.Field(reason, "RotatingConfig.Generations", c.Generations, fmt.Sprintf("0 to %d", maxGenerations))
	case !(c.FPRate > 0 && c.FPRate < 1):
		return errs.Field(reason, "RotatingConfig.FPRate", c.FPRate, fault.RateRange)
	case c.Layout > Blocked:
		return errs.Field(reason, "RotatingConfig.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return nil
}

// Add records key as seen now: at the time of the last [Rotating.Advance], or
// as the last key of the window. A key that is added again is remembered for
// longer. O(k) time, except that it clears a generation if the newest one is
// full; no allocation. Add does not keep key.
func (r *Rotating) Add(key []byte) { r.AddDigest(r.hash.Sum(key)) }

// AddString is [Rotating.Add] for a string.
func (r *Rotating) AddString(key string) { r.AddDigest(r.hash.SumString(key)) }

// AddDigest is [Rotating.Add] for a digest under its family.
func (r *Rotating) AddDigest(d hashfam.Digest) {
	if r.ring.Count() {
		r.forget(1)
	}
	r.newest().AddDigest(d)
}

// AddAll calls [Rotating.AddDigest] for each digest. Get them from
// Family().SumAll.
func (r *Rotating) AddAll(digests []hashfam.Digest) {
	for _, d := range digests {
		r.AddDigest(d)
	}
}

// ContainsOrAdd reports whether key may have been added within the window, and
// adds it if not. So a key that is asked for all the time gets false once in a
// window, or up to a G-th of it later: use it to do something at most once in
// that time. To remember a key for as long as it is asked for, call Contains
// and then Add. O(G k) time, no allocation.
func (r *Rotating) ContainsOrAdd(key []byte) bool { return r.ContainsOrAddDigest(r.hash.Sum(key)) }

// ContainsOrAddString is [Rotating.ContainsOrAdd] for a string.
func (r *Rotating) ContainsOrAddString(key string) bool {
	return r.ContainsOrAddDigest(r.hash.SumString(key))
}

// ContainsOrAddDigest is [Rotating.ContainsOrAdd] for a digest of its family.
func (r *Rotating) ContainsOrAddDigest(d hashfam.Digest) bool {
	if r.ContainsDigest(d) {
		return true
	}
	r.AddDigest(d)
	return false
}

// Advance moves the window on so that it ends at t, and forgets the keys that
// were added more than Span, and a G-th of it, before t. It does nothing if
// Span is 0, or if t is before an earlier time: the window never moves back,
// and a key added then counts as added at that earlier time. Keys that were
// added before the first call count as added at its time. All times before 1678
// count as one, and so do those after 2262. O(1) time, except that it clears
// the generations whose time is over.
func (r *Rotating) Advance(t time.Time) { r.forget(r.ring.Advance(t)) }

// forget clears the n oldest generations and makes them the newest ones.
func (r *Rotating) forget(n uint64) {
	r.use()
	begun := ring.Turn(r.list, n)
	for i := range begun {
		begun[i].Reset()
	}
}

// Reset removes every key, and the time. O(m) time, no allocation.
func (r *Rotating) Reset() {
	r.forget(uint64(len(r.list)))
	r.ring.Reset()
}

// Config returns the configuration of r, in which Generations is not 0. O(1)
// time.
func (r *Rotating) Config() RotatingConfig { return r.config }

// Clone returns a copy that shares no memory with r. O(m) time, one allocation
// for each generation.
func (r *Rotating) Clone() *Rotating {
	c := *r
	c.stages = r.stages.clone()
	return &c
}

// Equal reports whether r and other have the same RotatingConfig, bits and
// position in their windows. O(m) time, no allocation.
func (r *Rotating) Equal(other *Rotating) bool {
	return r.config == other.config && r.ring == other.ring && r.stages.equal(&other.stages)
}

// String describes r in one line.
func (r Rotating) String() string {
	c := r.config
	window := fmt.Sprintf("the last %d keys", c.Capacity)
	if c.Span != 0 {
		window = fmt.Sprintf("%v with %d keys", c.Span, c.Capacity)
	}
	return fmt.Sprintf("bloom.Rotating(%v, %s, %d generations, rate %g, family %v)",
		c.Layout, window, c.Generations, c.FPRate, c.Family)
}

// Format prints the result of String for every verb.
func (r Rotating) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.String()) }

// LogValue returns the result of String for package log/slog.
func (r Rotating) LogValue() slog.Value { return slog.StringValue(r.String()) }
