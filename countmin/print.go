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

// String describes c in one line, without the key of its family.
func (c HeavyConfig) String() string {
	return fmt.Sprintf("phi %g, %s, family %v", c.Phi, memoryOf(c.MemoryBytes), c.Family)
}

// String describes c in one line, without the key of its family.
func (c TopKConfig) String() string {
	return fmt.Sprintf("k %d, %s, family %v", c.K, memoryOf(c.MemoryBytes), c.Family)
}

// String describes the sketch in one line, without its key.
func (s Sketch) String() string { return fmt.Sprintf("countmin.Sketch(%v)", s.params) }

// Format prints [Sketch.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format].
func (s Sketch) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// String describes h in one line, without its key.
func (h HeavyHitters) String() string {
	return fmt.Sprintf("countmin.HeavyHitters(%v)", h.Params())
}

// Format prints [HeavyHitters.String] for every verb and flag, so that no
// format shows the key, with the exceptions of [hashfam.Family.Format].
func (h HeavyHitters) Format(s fmt.State, _ rune) { fmt.Fprint(s, h.String()) }

// String describes k in one line, without its key.
func (k TopK) String() string { return fmt.Sprintf("countmin.TopK(%v)", k.Params()) }

// Format prints [TopK.String] for every verb and flag, so that no format shows
// the key, with the exceptions of [hashfam.Family.Format].
func (k TopK) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

// String describes w in one line, without its key.
func (w Window) String() string { return fmt.Sprintf("countmin.Window(%v)", w.config) }

// Format prints [Window.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format].
func (w Window) Format(s fmt.State, _ rune) { fmt.Fprint(s, w.String()) }

// String describes c in one line, without its key.
func (c ConcurrentSketch) String() string {
	return fmt.Sprintf("countmin.ConcurrentSketch(%v)", c.params)
}

// Format prints [ConcurrentSketch.String] for every verb and flag, so that no
// format shows the key, with the exceptions of [hashfam.Family.Format].
func (c ConcurrentSketch) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

// String describes c in one line, without its key.
func (c ConcurrentHeavyHitters) String() string {
	return fmt.Sprintf("countmin.ConcurrentHeavyHitters(%v)", c.config)
}

// Format prints [ConcurrentHeavyHitters.String] for every verb and flag, so
// that no format shows the key, with the exceptions of [hashfam.Family.Format].
func (c ConcurrentHeavyHitters) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

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

// LogValue returns a group for structured logs: n, the total, the size in bits,
// whether all heavy hitters are certain to be known, and the Params. O(1) time.
func (h HeavyHitters) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", h.Total()),
		slog.Uint64("bits", 8*h.SizeBytes()),
		slog.Bool("complete", h.Complete()),
		slog.String("params", h.Params().String()),
	)
}

// LogValue returns a group for structured logs: n, the total, the size in bits,
// the bound on the count of any untracked key, and the Params. O(1) time.
func (k TopK) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", k.Total()),
		slog.Uint64("bits", 8*k.SizeBytes()),
		slog.Uint64("missed", k.MissBound()),
		slog.String("params", k.Params().String()),
	)
}

// LogValue returns a group for structured logs: n, how much the window covers,
// the size in bits, whether all heavy hitters are certain to be known, and the
// Params. O(Panes) time.
func (w Window) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", w.Total()),
		slog.Uint64("bits", 8*w.SizeBytes()),
		slog.Bool("complete", w.Complete()),
		slog.String("params", w.config.String()),
	)
}

// LogValue returns a group for structured logs, as that of a [Sketch] is. O(1)
// time.
func (c ConcurrentSketch) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", c.Total()),
		slog.Uint64("bits", 8*c.SizeBytes()),
		slog.Uint64("bound", c.ErrorBound()),
		slog.String("params", c.params.String()),
	)
}

// LogValue returns a group for structured logs, as that of [HeavyHitters] is.
// It takes all locks. O(1) time.
func (c ConcurrentHeavyHitters) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", c.Total()),
		slog.Uint64("bits", 8*c.SizeBytes()),
		slog.Bool("complete", c.Complete()),
		slog.String("params", c.config.String()),
	)
}

func memoryOf(bytes int) string {
	if bytes == 0 {
		return "memory as needed"
	}
	return fmt.Sprintf("%d bytes", bytes)
}
