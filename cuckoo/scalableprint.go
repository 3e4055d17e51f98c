package cuckoo

import (
	"fmt"
	"log/slog"
)

// String describes c in one line, without the key of its family.
func (c ScalableConfig) String() string {
	form := "plain"
	if c.Compact {
		form = "compact"
	}
	return fmt.Sprintf("%s, %d keys expected, rate %g, family %v", form, c.Expected, c.FPRate, c.Family)
}

// String describes the filter in one line, without its key.
func (s Scalable) String() string { return fmt.Sprintf("cuckoo.Scalable(%v)", s.config) }

// Format prints [Scalable.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format].
func (s Scalable) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns a group for structured logs: n, the number of keys counting
// copies, the size in bits, the current false-positive rate, the fill ratio,
// the number of pages, and the ScalableConfig. O(n/4096) time for n keys.
func (s Scalable) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", s.Len()),
		slog.Uint64("bits", 8*s.SizeBytes()),
		slog.Float64("rate", s.FalsePositiveRate()),
		slog.Float64("fill", s.FillRatio()),
		slog.Int("pages", s.Pages()),
		slog.String("config", s.config.String()),
	)
}
