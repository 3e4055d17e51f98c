package bloom

import (
	"fmt"
	"math"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/ring"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A RotatingConfig describes a [Rotating].
type RotatingConfig struct {
	// Keys is the number of keys in a window. It must not be 0. If Span is 0,
	// the window contains the last Keys keys that were added. Otherwise, Keys
	// is the number of distinct keys expected within Span. If you add more
	// keys, none will be forgotten too early, but the rate will rise.
	Keys uint64

	// Span is the duration of the window, or 0. If it is not 0, the window
	// moves only when [Rotating.Advance] is called.
	Span time.Duration

	// Parts is the number of parts of the window: 1 to 255, or 0 for the
	// default, which is 1 if Span is given and otherwise 4. With more parts,
	// keys are forgotten more precisely, but lookups need more time. With one
	// part, a rate of 1% and the Classic layout, a key in the window uses 22
	// bits and is remembered for up to two windows. With 4 parts, it uses 16
	// bits and is remembered for up to 1.25 windows. More than 4 parts hardly
	// save memory: with 7 or 8, a key uses 15.9 bits.
	//
	// If Span is given, each part has room only for Keys/Parts keys. If Parts
	// is 1, FPRate therefore holds even if all Keys keys are added at once.
	// With more parts, it holds only as long as no more than Keys/Parts keys
	// are added within Span/Parts.
	Parts int

	// FPRate is the maximum false-positive rate of the whole window, as a
	// fraction: 0.01 is 1%. It must be above 0 and below 1. All Parts+1
	// generations have the same rate, FPRate/(Parts+1).
	FPRate float64

	Layout Layout         // used by all generations; see [Config]
	Family hashfam.Family // see [Config]

	_ struct{} // literals must name their fields
}

// These are the defaults and the maximum of Parts. In a window of time, the
// default is 1, because a burst of keys could overfill shorter parts. In a
// window of keys, no part can be overfilled, so the default is 4. At a rate of
// 1%, 2 parts would need 10% more memory. 8 parts would need 2% less, but a
// lookup would query 9 generations instead of 5.
const (
	partsOfKeys = 4
	partsOfSpan = 1
	maxParts    = 255
)

// InitialBytes returns the size of a new filter in bytes, which never changes,
// without allocating it. It returns the errors of [NewRotating], except the one
// for a filter that is too large for the platform.
func (c RotatingConfig) InitialBytes() (uint64, error) {
	c, p, err := c.plan()
	return uint64(c.Parts+1) * p.SizeBytes(), err
}

// plan sets the default of Parts, and returns a generation's parameters.
func (c RotatingConfig) plan() (RotatingConfig, Params, error) {
	switch {
	case c.Parts == 0 && c.Span == 0:
		c.Parts = partsOfKeys
	case c.Parts == 0:
		c.Parts = partsOfSpan
	}
	if err := c.check(hashfam.ErrParams); err != nil {
		return c, Params{}, err
	}
	g := c.generation()
	p, err := g.Params()
	if err != nil {
		return c, Params{}, paramError("RotatingConfig.Keys", c.Keys,
			fmt.Sprintf("keys for which a generation fits in %d bits and %d hashes, and fewer than 2^64 times its rate, %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, g.FPRate))
	}
	return c, p, nil
}

// generation returns the Config of a generation. The Capacity is larger than
// the number of keys in a generation, because ContainsOrAdd adds only keys that
// are not found, and such keys set more new bits than random keys. On average,
// n such keys set at most as many bits as n/(1-rate) random keys.
func (c RotatingConfig) generation() Config {
	n := c.perGeneration()
	rate := c.FPRate / float64(c.Parts+1)
	random := min(math.Ceil(float64(n)/(1-rate)), 1<<63)
	return Config{Capacity: max(n, uint64(random)), FPRate: rate, Layout: c.Layout, Family: c.Family}
}

// perGeneration returns the number of keys that are added to a generation.
func (c RotatingConfig) perGeneration() uint64 { return (c.Keys-1)/uint64(c.Parts) + 1 }

// ring returns the position of a new window.
func (c RotatingConfig) ring() ring.Ring {
	if c.Span == 0 {
		return ring.OfKeys(c.Keys, c.Parts)
	}
	return ring.OfTime(c.Span, c.Parts)
}

// check is like Params.check. Parts must not be 0.
func (c RotatingConfig) check(reason error) error {
	switch {
	case c.Keys == 0:
		return errs.Field(reason, "RotatingConfig.Keys", c.Keys, "at least 1")
	case c.Span < 0:
		return errs.Field(reason, "RotatingConfig.Span", c.Span, "at least 0")
	case c.Parts < 1 || c.Parts > maxParts:
		return errs.Field(reason, "RotatingConfig.Parts", c.Parts, fmt.Sprintf("0 to %d", maxParts))
	case !(c.FPRate > 0 && c.FPRate < 1):
		return errs.Field(reason, "RotatingConfig.FPRate", c.FPRate, fault.RateRange)
	case c.Layout > Blocked:
		return errs.Field(reason, "RotatingConfig.Layout", c.Layout, "classic, partitioned or blocked")
	}
	return nil
}
