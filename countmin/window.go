package countmin

import (
	"fmt"
	"io"
	"iter"
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

// A Window finds the keys that make up at least a share Phi of the recent part
// of a stream: of its last W keys, or of what came in the last T. Make one with
// [NewWindow]. It must not be copied by value; use [Window.Clone].
//
// A Window is a ring of panes, each of which has counted a W/Panes or T/Panes
// of the stream as [HeavyHitters] does. When a pane is full, or its time is
// over, the oldest one is dropped. So the window always covers the last W keys,
// or the last T, and up to one pane more. If W is not a multiple of Panes, a
// pane has W/Panes keys, rounded up, and the window covers fewer than Panes
// keys more. Estimates and [Window.Total] are about what it covers.
// [Window.Threshold] is low enough that [Window.All] reports every key with a
// share of Phi of exactly the last W keys or T.
//
// Time is what the caller says it is: call [Window.Advance] before Add. A
// Window has no clock and no goroutine. Two Windows cannot be merged.
type Window struct {
	tracked
	config WindowConfig
	time   ring.Ring // the position of a window of a Span
}

// NewWindow returns an empty window. O(Panes) time; a pane is allocated when it
// first counts. It returns an [ErrParams] error that names the field if the
// configuration is impossible.
func NewWindow(c WindowConfig) (*Window, error) {
	c = c.complete()
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	w := &Window{config: c, time: c.ring()}
	w.makePanes()
	return w, nil
}

// makePanes makes all panes, without memory yet.
func (w *Window) makePanes() {
	w.tracked = tracked{w.config.Family, tracker.Blank(w.config.goal(), w.config.Panes+1, w.time.Keys())}
}

// NewWindowReceiver returns an empty Window to decode into. It accepts
// encodings made under fam. O(1) time.
func NewWindowReceiver(fam hashfam.Family) *Window { return &Window{tracked: tracked{family: fam}} }

// ReadWindowConfig reads the header of an encoded window from r, and no more,
// and returns its configuration. The errors are those of [Window.ReadFrom].
// O(1) time and memory.
func ReadWindowConfig(r io.Reader, fam hashfam.Family) (WindowConfig, error) {
	w, err := windowFormat.ReadHeader(r, fam)
	return w.config, err
}

// Config returns the configuration of w, with the number of panes that was
// chosen for 0. O(1) time.
func (w *Window) Config() WindowConfig { return w.config }

// Advance moves a window of a Span on so that it ends at now, and forgets what
// is too old. A time before the latest one changes nothing: the window never
// moves back, and keys count as of the latest time. Keys that were counted
// before any time was known count as of the first. In a window of Keys time has
// no meaning. All times before the year 1678 count as one, and so do those
// after 2262. O(Panes) time, no allocation.
func (w *Window) Advance(now time.Time) { w.made().Turn(w.time.Advance(now)) }

// All yields the heavy hitters of the window, each with what is known of its
// count, in falling order of High and, if that is equal, rising order of the
// key. They are the keys whose High is at least [Window.Threshold]. Among them
// is every key with a share of Phi of exactly the last Keys keys, or Span; a
// key is certain to have that share of all that the window covers if its Low is
// at least Phi times [Window.Total]. O(t Panes + r log r) time and O(r) memory
// for t tracked keys of all panes and r reported ones, at the time it is
// iterated; w must not be changed meanwhile.
func (w *Window) All() iter.Seq2[string, Estimate] {
	return w.ranked(func() (uint64, int) { return w.Threshold(), math.MaxInt })
}

// Threshold returns the count from which on a key is now reported: Phi times
// the least that the last Keys keys or the last Span can contain, rounded up;
// at least 1. That is Keys, or [Window.Total] if it is less. For a Span it is
// what all panes but the oldest have counted: the oldest began before the Span,
// and it is not known which of its keys came since. O(Panes) time.
func (w *Window) Threshold() uint64 {
	if w.config.Keys > 0 {
		return threshold(w.config.Phi, min(w.Total(), w.config.Keys))
	}
	return threshold(w.config.Phi, tracker.TotalOf(w.made().All[1:]))
}

// Complete reports whether every key that counts at least [Window.Threshold] is
// certain to be among those of All now. It is false while memory does not
// suffice, and, in a window of a Span, if the oldest pane holds almost all that
// was counted. O(Panes) time.
func (w *Window) Complete() bool { return w.MissBound() < w.Threshold() }

// SizeBytes returns the memory that w holds, in bytes: itself, counters, index
// and keys. O(Panes) time.
func (w *Window) SizeBytes() uint64 { return windowBytes + w.panes.SizeBytes() }

// Reset forgets everything, the time included. O(Panes) time, no allocation.
func (w *Window) Reset() {
	w.made().Turn(math.MaxUint64)
	w.time.Reset()
}

// Clone returns a copy that shares no memory with w. O(memory) time.
func (w *Window) Clone() *Window {
	return &Window{tracked{w.family, w.panes.Clone()}, w.config, w.time}
}

// Equal reports whether w and other have the same Config, are at the same time
// and have counted the same, pane by pane. O(memory) time.
func (w *Window) Equal(other *Window) bool {
	return w.config == other.config && w.time == other.time && w.panes.Equal(&other.panes)
}
