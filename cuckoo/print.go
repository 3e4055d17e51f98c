package cuckoo

import (
	"fmt"
	"log/slog"
)

// String describes the filter in one line, without its key.
func (f Filter) String() string { return fmt.Sprintf("cuckoo.Filter(%v)", f.params) }

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format].
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns a group for structured logs: n, the number of keys counting
// copies, the size in bits, the current false-positive rate, the fill ratio,
// and the Params. O(1) time.
func (f Filter) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", f.Len()),
		slog.Uint64("bits", 8*f.SizeBytes()),
		slog.Float64("rate", f.FalsePositiveRate()),
		slog.Float64("fill", f.FillRatio()),
		slog.String("params", f.params.String()),
	)
}
