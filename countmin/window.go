package countmin

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ring"
)

// A Window finds the frequent keys of a stream's recent part, which is either
// the last W keys or the keys of the last time span T. With Phi, these are the
// keys that make up at least the fraction Phi of the recent part; with K, they
// are the K most frequent keys. Use [NewWindow] to create a Window. It must not
// be copied by value; use [Window.Clone] instead.
//
// A Window is a ring of Parts+1 panes. Each pane counts W/Parts keys, or the
// keys of a time of T/Parts, as a [HeavyHitters] does. When the newest pane is
// full, or when its time is over, the oldest pane is dropped and a new one
// begins. The window therefore always covers the recent part, and up to one
// more pane. If W is not a multiple of Parts, W/Parts is rounded up, so the
// window covers up to Parts-1 additional keys.
//
// All bounds refer to the covered part, and so does the list with K. With Phi,
// [Window.Threshold] is the fraction Phi of a total that the recent part alone
// is certain to reach, so every key that makes up this fraction of the recent
// part reaches the threshold. For W keys, this total is W or, if it is lower,
// [Window.Total]. For a time, it is the total of all panes except the oldest.
// If almost all keys are in the oldest pane, [Window.Complete] may therefore
// return false.
//
// Estimate, Total, MissBound and, with Phi, Threshold and Complete run in
// O(Parts) time. The methods that sort the tracked keys, such as All, look up
// each of these keys in every pane.
//
// A Window uses neither a clock nor a goroutine. In a window of time, call
// [Window.Advance] before Add, which counts a key at the time of the last
// Advance. Add allocates memory when it begins a pane. AddN can begin up to
// Parts+2 panes, and then takes longer. Windows cannot be merged.
type Window struct{ tracked[recent] }

// recent is the scope of a Window: the recent part of the stream.
type recent struct {
	config WindowConfig
	ring   ring.Ring // the position if the window has a Span, or the keys of a pane
}

// NewWindow returns an empty window for c. A pane gets its memory when it
// counts its first key. NewWindow returns [hashfam.ErrParams], naming the
// field, if c is invalid.
func NewWindow(c WindowConfig) (*Window, error) {
	c, err := c.rounded()
	if err != nil {
		return nil, err
	}
	if err := c.check(hashfam.ErrParams); err != nil {
		return nil, err
	}
	scope := recent{c, c.ring()}
	return &Window{tracked[recent]{scope, c.Family, scope.blank()}}, nil
}

// blank returns empty panes.
func (s *recent) blank() tracker.Panes {
	return tracker.Blank(s.config.goal(), s.config.Parts+1, s.ring.Keys())
}

// NewWindowReceiver returns an empty Window for decoding data that was encoded
// with fam.
func NewWindowReceiver(fam hashfam.Family) *Window { return &Window{tracked[recent]{family: fam}} }

// Config returns the configuration of w. If Parts or Span was changed by
// [NewWindow], it contains the new value.
func (w *Window) Config() WindowConfig { return w.scope.config }

// Advance moves the end of the window to now, and drops the panes that have
// become too old. If an earlier call had a later time, Advance does nothing,
// and keys will still be counted at the later time. Keys that were counted
// before the first call are treated as if they had been counted at the time of
// this call. All times before 1677 are treated as the same time, and so are all
// times after 2262.
//
// Advance has no effect on a window of Keys. It runs in O(Parts) time.
func (w *Window) Advance(now time.Time) { w.made().panes.Turn(w.scope.ring.Advance(now)) }

// goal returns a total that the recent part alone is certain to reach. In a
// window of time, the oldest pane began before the recent part did. Since it is
// unknown which keys of this pane belong to the recent part, the total does not
// contain them.
func (s recent) goal(panes *tracker.Panes) (phi float64, k int, total uint64) {
	if s.config.Keys > 0 {
		return s.config.Phi, s.config.K, min(tracker.TotalOf(panes.All), s.config.Keys)
	}
	return s.config.Phi, s.config.K, tracker.TotalOf(panes.All[min(1, len(panes.All)):])
}

// SizeBytes returns the memory that w holds, in bytes: the structure itself,
// counters, index and keys. It runs in O(Parts) time.
func (w *Window) SizeBytes() uint64 { return windowBytes + w.panes.SizeBytes() }

// Reset removes all counts and keys, and forgets the time. It runs in O(Parts)
// time.
func (w *Window) Reset() {
	w.made().panes.Turn(math.MaxUint64)
	w.scope.ring.Reset()
}

// Clone returns a deep copy of w.
func (w *Window) Clone() *Window { return &Window{w.clone()} }

// Equal reports whether w and other have the same Config and time and have
// counted the same in every pane.
func (w *Window) Equal(other *Window) bool { return other != nil && w.equal(&other.tracked) }

// String describes w in one line.
func (w Window) String() string {
	c := w.Config()
	last := c.Span.String()
	if c.Keys > 0 {
		last = fmt.Sprintf("%d keys", c.Keys)
	}
	of := fmt.Sprintf(" of the last %s, %d parts", last, c.Parts)
	return describe("Window", c.Phi, c.K, of, c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (w Window) Format(f fmt.State, _ rune) { fmt.Fprint(f, w.String()) }

// LogValue returns the result of String for package log/slog.
func (w Window) LogValue() slog.Value { return slog.StringValue(w.String()) }
