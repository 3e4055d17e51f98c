package countmin

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
)

// String describes p in one line.
func (p Params) String() string {
	update := "plain"
	if p.Conservative {
		update = "conservative"
	}
	return fmt.Sprintf("%s, %d x %d counters of %d bits, family %v", update, p.Depth, p.Width, p.CounterBits, p.Family)
}

// describe describes a structure that tracks keys.
func describe(name, goal string, bytes int, fam hashfam.Family) string {
	memory := "memory as needed"
	if bytes > 0 {
		memory = fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("countmin.%s(%s, %s, family %v)", name, goal, memory, fam)
}

// String describes s in one line.
func (s Sketch) String() string { return fmt.Sprintf("countmin.Sketch(%v)", s.params) }

// Format prints the result of String for every verb.
func (s Sketch) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the result of String for package log/slog.
func (s Sketch) LogValue() slog.Value { return slog.StringValue(s.String()) }

// String describes h in one line.
func (h HeavyHitters) String() string {
	c := h.Config()
	return describe("HeavyHitters", fmt.Sprint("phi ", c.Phi), c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (h HeavyHitters) Format(f fmt.State, _ rune) { fmt.Fprint(f, h.String()) }

// LogValue returns the result of String for package log/slog.
func (h HeavyHitters) LogValue() slog.Value { return slog.StringValue(h.String()) }

// String describes k in one line.
func (k TopK) String() string {
	c := k.Config()
	return describe("TopK", fmt.Sprint("k ", c.K), c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (k TopK) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// LogValue returns the result of String for package log/slog.
func (k TopK) LogValue() slog.Value { return slog.StringValue(k.String()) }

// String describes w in one line.
func (w Window) String() string {
	c, of := w.config, w.config.Span.String()
	if c.Keys > 0 {
		of = fmt.Sprintf("%d keys", c.Keys)
	}
	goal := fmt.Sprintf("phi %v of the last %s, %d panes", c.Phi, of, c.Panes)
	return describe("Window", goal, c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (w Window) Format(f fmt.State, _ rune) { fmt.Fprint(f, w.String()) }

// LogValue returns the result of String for package log/slog.
func (w Window) LogValue() slog.Value { return slog.StringValue(w.String()) }
