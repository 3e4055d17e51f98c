package countmin

import (
	"fmt"
	"iter"
	"log/slog"
	"math"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ring"
)

// A Window finds the keys that make up a fraction Phi, or more, of a stream's
// recent part: either the last W keys or the last time T. Use [NewWindow] to
// create one. It must not be copied by value; use [Window.Clone] instead.
//
// A Window is a ring of panes. Each pane counts W/Parts keys, or a time of
// T/Parts, as [HeavyHitters] does. When the newest pane is full, or when its
// time is over, the oldest pane is dropped and a new one begins. The window
// therefore always covers the last W keys or the last time T, and up to one
// more pane. If W is not a multiple of Parts, W/Parts is rounded up, so the
// window covers fewer than Parts additional keys.
//
// [Window.Estimate], [Window.Total] and [Window.MissBound] refer to the covered
// part, and run in O(Parts) time. [Window.Threshold] is low enough that
// [Window.All] yields every key that makes up a fraction Phi of exactly the
// last W keys or the last time T.
//
// A Window uses neither a clock nor a goroutine: call [Window.Advance] before
// Add, which counts a key at the latest time. Add allocates memory when it
// begins a pane. AddN can begin up to Parts+1 panes, and then takes longer.
// Windows cannot be merged.
type Window struct {
	tracked
	config WindowConfig
	ring   ring.Ring // the position if the window has a Span, or the keys of a pane
}

// NewWindow returns an empty window for c, whose memory grows with the keys. It
// returns [hashfam.ErrParams], naming the field, if c is invalid.
func NewWindow(c WindowConfig) (*Window, error) {
	c, err := c.rounded()
	if err != nil {
		return nil, err
	}
	if err := c.check(hashfam.ErrParams); err != nil {
		return nil, err
	}
	w := &Window{config: c, ring: c.ring()}
	w.tracked = tracked{c.Family, tracker.Blank(c.goal(), c.Parts+1, w.ring.Keys())}
	return w, nil
}

// NewWindowReceiver returns an empty Window for decoding data that was encoded
// with fam.
func NewWindowReceiver(fam hashfam.Family) *Window { return &Window{tracked: tracked{family: fam}} }

// Config returns the configuration of w. If Parts or Span was changed by
// [NewWindow], it contains the new value.
func (w *Window) Config() WindowConfig { return w.config }

// Advance moves the end of the window to now, and drops the panes that have
// become too old. If an earlier call had a later time, Advance does nothing,
// and keys will still be counted at the later time. Keys that were counted
// before the first call count as counted at its time. All times before 1678 are
// treated as the same time, and so are all times after 2262.
//
// Advance has no effect on a window of Keys. It runs in O(Parts) time.
func (w *Window) Advance(now time.Time) { w.made().panes.Turn(w.ring.Advance(now)) }

// All yields the heavy hitters of the window and their estimated counts, sorted
// by descending High and then by ascending key. These are the keys whose High
// reaches [Window.Threshold], which include every key that makes up a fraction
// Phi of exactly the last Keys keys or the last Span. If a key's Low reaches
// Phi times [Window.Total], the key is certain to make up this fraction of the
// part that the window covers. All looks up each tracked key in every pane.
func (w *Window) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) { w.rank(w.Threshold(), math.MaxInt, yield) }
}

// Threshold returns the lowest count that currently makes All yield a key: Phi
// times the smallest possible total of the last Keys keys or the last Span,
// rounded up, but never 0. For a window of Keys, this total is Keys, or
// [Window.Total] if it is lower. For a Span, it is the total of all panes
// except the oldest, which began before the Span, so that it is unknown which
// of its keys came later. Threshold runs in O(Parts) time.
func (w *Window) Threshold() uint64 {
	if w.config.Keys > 0 {
		return threshold(w.config.Phi, min(w.Total(), w.config.Keys))
	}
	return threshold(w.config.Phi, tracker.TotalOf(w.made().panes.All[1:]))
}

// Complete reports whether All is certain to yield every key whose count
// reaches the current [Window.Threshold]. This is false if MemoryBytes is too
// small or, in a window with a Span, if almost all keys are in the oldest pane.
// Complete runs in O(Parts) time.
func (w *Window) Complete() bool { return w.MissBound() < w.Threshold() }

// SizeBytes returns the memory that w holds, in bytes: the structure itself,
// counters, index and keys. It runs in O(Parts) time.
func (w *Window) SizeBytes() uint64 { return windowBytes + w.panes.SizeBytes() }

// Reset removes all counts and keys, and forgets the time. It runs in O(Parts)
// time.
func (w *Window) Reset() {
	w.made().panes.Turn(math.MaxUint64)
	w.ring.Reset()
}

// Clone returns a deep copy of w.
func (w *Window) Clone() *Window { return &Window{w.clone(), w.config, w.ring} }

// Equal reports whether w and other have the same Config and time and have
// counted the same in every pane.
func (w *Window) Equal(other *Window) bool {
	return other != nil && w.config == other.config && w.ring == other.ring && w.equal(&other.tracked)
}

// String describes w in one line.
func (w Window) String() string {
	c, of := w.config, w.config.Span.String()
	if c.Keys > 0 {
		of = fmt.Sprintf("%d keys", c.Keys)
	}
	goal := fmt.Sprintf("phi %v of the last %s, %d parts", c.Phi, of, c.Parts)
	return describe("Window", goal, c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (w Window) Format(f fmt.State, _ rune) { fmt.Fprint(f, w.String()) }

// LogValue returns the result of String for package log/slog.
func (w Window) LogValue() slog.Value { return slog.StringValue(w.String()) }
