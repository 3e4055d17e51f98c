package countmin

import (
	"fmt"
	"math"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ring"
)

// A WindowConfig describes which keys to find in a stream's recent part: those
// that make up a fraction Phi of this part, or the K most frequent ones. The
// recent part is either the last Keys keys or the keys of the last Span.
// Exactly one of Phi and K must be set, and exactly one of Keys and Span.
type WindowConfig struct {
	// Phi is the fraction of the recent part that makes a key a heavy hitter:
	// 0.001 is one in a thousand. It must be above 0 and at most 1, or 0 if K
	// is set.
	Phi float64

	// K is the number of keys to report: 1 to 2^28, or 0 if Phi is set. They
	// are the most frequent keys of the part of the stream that the window
	// covers, which can be longer than Keys or Span; see Parts.
	K int

	// Keys is the number of keys in the recent part, from 1 to 2^62. It must be
	// 0 if Span is given.
	Keys uint64

	// Span is the duration of the recent part, rounded up to a multiple of
	// Parts nanoseconds. It must be 0 if Keys is given.
	Span time.Duration

	// Parts is the number of parts of the window, from 1 to 1,024; 0 means 8.
	// The window covers up to one part more than Keys or Span. Since Keys/Parts
	// is rounded up to a whole number of keys, Parts should be far below Keys:
	// for example, a window of 5 keys and 1,024 parts covers up to 1,025 keys.
	// The time of a query is proportional to Parts+1. Without MemoryBytes, more
	// parts need more memory; see [WindowConfig.EstimatedBytes].
	Parts int

	// MemoryBytes, if it is not zero, limits the memory as in a [HeavyConfig].
	// It must be at least 1,280 times Parts+1. If it is 0, each of the Parts+1
	// panes uses as much memory as a HeavyHitters that counts the pane's keys
	// with the same K or, if Phi is set, with a Phi of Phi*Parts/(Parts+1).
	MemoryBytes int

	// Family hashes the keys, as in a [HeavyConfig].
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

const (
	usualParts     = 8
	mostParts      = 1 << 10
	mostKeys       = 1 << 62
	mostSpan       = math.MaxInt64 - mostParts
	leastPartBytes = 1280
	windowBytes    = 256 // upper bound on the size of a Window without its panes
)

// EstimatedBytes is like [HeavyConfig.EstimatedBytes] for a Window. Without
// MemoryBytes, a Window uses about as much memory as Parts+1 HeavyHitters with
// the same K or, because the panes of a Window need a lower Phi, with the
// fraction Phi*Parts/(Parts+1). EstimatedBytes returns the errors of
// [NewWindow].
func (c WindowConfig) EstimatedBytes() (uint64, error) {
	c, err := c.rounded()
	if err != nil {
		return 0, err
	}
	if err := c.check(hashfam.ErrParams); err != nil {
		return 0, err
	}
	if c.MemoryBytes > 0 {
		return uint64(c.MemoryBytes), nil
	}
	return min(windowBytes+uint64(c.Parts+1)*min(usualBytes(c.goal()), 1<<50), math.MaxInt64), nil
}

// rounded returns c with the default number of parts if Parts is 0, and with
// the Span rounded up to a multiple of Parts. It returns [hashfam.ErrParams] if
// the Span is too long to be rounded up.
func (c WindowConfig) rounded() (WindowConfig, error) {
	if c.Parts == 0 {
		c.Parts = usualParts
	}
	parts := time.Duration(c.Parts)
	if parts < 1 || parts > mostParts || c.Span <= 0 {
		return c, nil // for check
	}
	longest := mostSpan / parts * parts
	if c.Span > longest {
		return c, errs.Field(hashfam.ErrParams, "WindowConfig.Span", int64(c.Span), fmt.Sprintf("1 to %d with %d parts, or 0 if Keys is given", int64(longest), parts))
	}
	c.Span = (c.Span + parts - 1) / parts * parts
	return c, nil
}

// check returns an error for the given reason if c is incomplete or invalid.
// The error names the field.
func (c WindowConfig) check(reason error) error {
	if err := checkGoal("WindowConfig", c.Phi, c.K, reason); err != nil {
		return err
	}
	switch {
	case c.Parts < 1 || c.Parts > mostParts:
		return errs.Field(reason, "WindowConfig.Parts", c.Parts, fmt.Sprintf("1 to %d, or 0 for %d", mostParts, usualParts))
	case c.Span < 0 || c.Span > mostSpan:
		return errs.Field(reason, "WindowConfig.Span", int64(c.Span), fmt.Sprintf("1 to %d, or 0 if Keys is given", int64(mostSpan)))
	case c.Span%time.Duration(c.Parts) != 0:
		return errs.Field(reason, "WindowConfig.Span", int64(c.Span), "a multiple of Parts")
	case c.Keys > mostKeys:
		return errs.Field(reason, "WindowConfig.Keys", c.Keys, "1 to 2^62, or 0 if Span is given")
	case (c.Keys == 0) == (c.Span == 0):
		return errs.Field(reason, "WindowConfig", fmt.Sprintf("Keys %d, Span %v", c.Keys, c.Span), "either Keys or Span")
	}
	return checkMemory("WindowConfig.MemoryBytes", c.MemoryBytes, leastPartBytes*(c.Parts+1), reason)
}

// ring returns a new window's position.
func (c WindowConfig) ring() ring.Ring {
	if c.Span > 0 {
		return ring.OfTime(c.Span, c.Parts)
	}
	return ring.OfKeys(c.Keys, c.Parts)
}

// goal returns the goal of each pane. A key can be missed in all Parts+1 panes,
// but the window's threshold is Phi times the total of only Parts panes. The
// Phi of a pane is therefore lower by the factor Parts/(Parts+1).
func (c WindowConfig) goal() tracker.Goal {
	panes := c.Parts + 1
	g := tracker.Goal{Phi: c.Phi * float64(c.Parts) / float64(panes), K: c.K}
	if c.MemoryBytes > 0 {
		g.Memory = uint64((c.MemoryBytes - windowBytes) / panes)
	}
	return g
}
