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

// String describes c in one line, without the key of its family.
func (c WindowConfig) String() string {
	of := fmt.Sprintf("%d keys", c.Keys)
	if c.Span > 0 {
		of = c.Span.String()
	}
	return fmt.Sprintf("phi %g of the last %s, %d panes, %s, family %v", c.Phi, of, c.Panes, memoryOf(c.MemoryBytes), c.Family)
}

func memoryOf(bytes int) string {
	if bytes == 0 {
		return "memory as needed"
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// String describes s in one line, without its key.
func (s Sketch) String() string { return fmt.Sprintf("countmin.Sketch(%v)", s.params) }

// Format prints [Sketch.String] for every verb.
func (s Sketch) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns [Sketch.String] for package log/slog.
func (s Sketch) LogValue() slog.Value { return slog.StringValue(s.String()) }

// String describes h in one line, without its key.
func (h HeavyHitters) String() string { return fmt.Sprintf("countmin.HeavyHitters(%v)", h.Config()) }

// Format prints [HeavyHitters.String] for every verb.
func (h HeavyHitters) Format(f fmt.State, _ rune) { fmt.Fprint(f, h.String()) }

// LogValue returns [HeavyHitters.String] for package log/slog.
func (h HeavyHitters) LogValue() slog.Value { return slog.StringValue(h.String()) }

// String describes k in one line, without its key.
func (k TopK) String() string { return fmt.Sprintf("countmin.TopK(%v)", k.Config()) }

// Format prints [TopK.String] for every verb.
func (k TopK) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// LogValue returns [TopK.String] for package log/slog.
func (k TopK) LogValue() slog.Value { return slog.StringValue(k.String()) }

// String describes w in one line, without its key.
func (w Window) String() string { return fmt.Sprintf("countmin.Window(%v)", w.config) }

// Format prints [Window.String] for every verb.
func (w Window) Format(f fmt.State, _ rune) { fmt.Fprint(f, w.String()) }

// LogValue returns [Window.String] for package log/slog.
func (w Window) LogValue() slog.Value { return slog.StringValue(w.String()) }
