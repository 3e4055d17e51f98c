package countmin

import (
	"fmt"
	"log/slog"
)

// String describes p in one line, without the key of its family.
func (p Params) String() string {
	update := "plain"
	if p.Conservative {
		update = "conservative"
	}
	return fmt.Sprintf("%s, %d x %d counters of %d bits, family %v", update, p.Depth, p.Width, p.CounterBits, p.Family)
}

// String describes the sketch in one line, without its key.
func (s Sketch) String() string { return fmt.Sprintf("countmin.Sketch(%v)", s.params) }

// Format prints [Sketch.String] for every verb and flag, so that no format
// shows the key.
func (s Sketch) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns a group for structured logs: n, the total, the size in bits,
// the error bound of a count, and the Params. O(1) time.
func (s Sketch) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", s.total),
		slog.Uint64("bits", 8*s.SizeBytes()),
		slog.Uint64("bound", s.ErrorBound()),
		slog.String("params", s.params.String()),
	)
}
