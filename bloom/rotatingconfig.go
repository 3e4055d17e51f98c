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
	// Capacity is the number of keys in a window, which must not be 0. If Span
	// is 0, the window contains the last Capacity keys that were added.
	// Otherwise, Capacity is the number of distinct keys expected within Span.
	// You can add more keys: none will be forgotten too early, but the rate
	// will rise. It will also rise if keys arrive in bursts; see Generations.
	Capacity uint64

	// Span is the duration of the window, or 0. If it is not 0, the window
	// moves only when [Rotating.Advance] is called.
	Span time.Duration

	// Generations is G, the number of parts of the window: 1 to 255, or 0 for
	// the default of 4. With more parts, keys are forgotten more precisely, but
	// lookups need more time. If Span is not 0, FPRate holds as long as no more
	// than Capacity/G keys are added within Span/G. If all keys in a window can
	// arrive in a burst, you should use 1. FPRate will then hold, but a key
	// needs 22 bits for a rate of 1% and is remembered for up to two windows.
	Generations int

	// FPRate is the maximum false-positive rate of the whole window, as a
	// fraction: 0.01 is 1%. It must be above 0 and below 1. All G+1 generations
	// have the same rate, FPRate/(G+1).
	FPRate float64

	Layout Layout         // used by all generations; see [Config]
	Family hashfam.Family // see [Config]

	_ struct{} // literals must name their fields
}

// defaultGenerations is used if the Config does not set Generations. With 2, a
// filter needs 10% more memory. With 8, it needs 1% less, but lookups are half
// as fast.
const (
	defaultGenerations = 4
	maxGenerations     = 255
)

// SizeBytes returns the size of all generations in bytes, without allocating
// them. It returns the errors of [NewRotating].
func (c RotatingConfig) SizeBytes() (uint64, error) {
	c, p, err := c.plan()
	return uint64(c.Generations+1) * p.SizeBytes(), err
}

// plan sets the default of Generations, and returns a generation's parameters.
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
			fmt.Sprintf("keys for which a generation fits in %d bits and %d hashes, and fewer than 2^64 times its rate, %g",
				uint64(sizing.MaxBits), sizing.MaxHashes, g.FPRate))
	}
	return c, p, nil
}

// generation returns the Config of a generation. ContainsOrAdd adds only keys
// that the generation does not contain. On average, n such keys set as many
// bits as n/(1-rate).
func (c RotatingConfig) generation() Config {
	n, rate := c.perGeneration(), c.FPRate/float64(c.Generations+1)
	random := min(math.Ceil(float64(n)/(1-rate)), 1<<63)
	return Config{Capacity: max(n, uint64(random)), FPRate: rate, Layout: c.Layout, Family: c.Family}
}

// perGeneration returns the number of keys that are added to a generation.
func (c RotatingConfig) perGeneration() uint64 { return (c.Capacity-1)/uint64(c.Generations) + 1 }

// ring returns the position of a new window.
func (c RotatingConfig) ring() ring.Ring {
	if c.Span == 0 {
		return ring.OfKeys(c.Capacity, c.Generations)
	}
	return ring.OfTime(c.Span, c.Generations)
}

// check is like Params.check. Generations must not be 0.
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
