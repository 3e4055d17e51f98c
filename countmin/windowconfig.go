package countmin

import (
	"fmt"
	"math"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ring"
)

// A WindowConfig says which heavy hitters are wanted of which recent part of a
// stream: of the last Keys keys, or of the last Span.
type WindowConfig struct {
	// Phi is the share from which on a key is reported: 0.001 is one in a
	// thousand. Above 0, at most 1.
	Phi float64

	// Keys is how many keys the window covers at least, once that many have
	// been counted: 1 to 2^62. Or 0, for a window of a Span.
	Keys uint64

	// Span is the time that the window covers at least, rounded up to a
	// multiple of Panes nanoseconds. Or 0, for a window of Keys.
	Span time.Duration

	// Panes is the number of parts of the window, 1 to 1,024; 0 means 8. The
	// window covers up to one part more than it should. A pane has a whole
	// number of keys, so that Panes should be far below Keys: 5 keys in 1,024
	// panes of one key cover up to 1,025. Memory and the time of a query are in
	// proportion to Panes+1, unless MemoryBytes is given.
	Panes int

	// MemoryBytes bounds everything that is held, as in a [HeavyConfig]. At
	// least 1,280 for each pane and one more. If it is 0, a pane takes as much
	// as a HeavyHitters of its keys.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

const (
	usualPanes     = 8
	mostPanes      = 1 << 10
	mostKeys       = 1 << 62
	leastPaneBytes = 1280
	windowBytes    = 256 // a Window without its panes, or more
)

// complete returns c with what it leaves to the window to choose.
func (c WindowConfig) complete() WindowConfig {
	if c.Panes == 0 {
		c.Panes = usualPanes
	}
	if panes := time.Duration(c.Panes); panes > 0 && c.Span > 0 && c.Span <= math.MaxInt64-panes {
		c.Span = (c.Span + panes - 1) / panes * panes
	}
	return c
}

// check returns an error for the given reason, which names the field, unless c
// is complete and possible.
func (c WindowConfig) check(reason error) error {
	const most = math.MaxInt64 - mostPanes
	least := leastPaneBytes * (c.Panes + 1)
	switch {
	case !(c.Phi > 0 && c.Phi <= 1):
		return errs.Field(reason, "WindowConfig.Phi", c.Phi, "above 0 and at most 1")
	case c.Panes < 1 || c.Panes > mostPanes:
		return errs.Field(reason, "WindowConfig.Panes", c.Panes, fmt.Sprintf("1 to %d, or 0 for %d", mostPanes, usualPanes))
	case c.Span < 0 || c.Span > most:
		return errs.Field(reason, "WindowConfig.Span", int64(c.Span), fmt.Sprintf("1 to %d, or 0 if Keys is given", int64(most)))
	case c.Span%time.Duration(c.Panes) != 0:
		return errs.Field(reason, "WindowConfig.Span", int64(c.Span), "a multiple of Panes")
	case c.Keys > mostKeys:
		return errs.Field(reason, "WindowConfig.Keys", c.Keys, "1 to 2^62, or 0 if Span is given")
	case (c.Keys == 0) == (c.Span == 0):
		return errs.Field(reason, "WindowConfig", fmt.Sprintf("Keys %d, Span %v", c.Keys, c.Span), "either Keys or Span")
	case c.MemoryBytes != 0 && (c.MemoryBytes < least || c.MemoryBytes > tracker.MaxMemory):
		return errs.Field(reason, "WindowConfig.MemoryBytes", c.MemoryBytes, fmt.Sprintf("%d to %d, or 0", least, uint64(tracker.MaxMemory)))
	}
	return nil
}

// ring returns the position of a new window.
func (c WindowConfig) ring() ring.Ring {
	if c.Span > 0 {
		return ring.OfTime(c.Span, c.Panes)
	}
	return ring.OfKeys(c.Keys, c.Panes)
}

// goal returns what a pane is to find. What panes miss adds up over one pane
// more than the threshold is a share of, so each finds a little more.
func (c WindowConfig) goal() tracker.Goal {
	panes := c.Panes + 1
	g := tracker.Goal{Phi: c.Phi * float64(c.Panes) / float64(panes)}
	if c.MemoryBytes > 0 {
		g.Memory = (c.MemoryBytes - windowBytes) / panes
	}
	return g
}
