package static

import (
	"fmt"
	"log/slog"
)

// String describes f in one line. It does not show the key. Its receiver is a
// value so that a Filter in a field of another struct does not show the key
// either.
func (f Filter) String() string { return fmt.Sprintf("static.Filter(%v)", f.Params()) }

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns a group for package log/slog: the number of keys (n), the
// size in bytes, the false-positive rate and the Params. O(n/8) time. Its
// receiver is a value for the same reason as that of String.
func (f Filter) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", f.Len()),
		slog.Uint64("bytes", f.SizeBytes()),
		slog.Float64("rate", f.FalsePositiveRate()),
		slog.String("params", f.Params().String()),
	)
}

// String describes b in one line. It does not show the key. Its receiver is a
// value so that a Builder in a field of another struct does not show the key
// either.
func (b Builder) String() string {
	return fmt.Sprintf("static.Builder(%d keys, rate %g, family %v)", len(b.digests), b.config.FPRate, b.config.Family)
}

// Format prints [Builder.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (b Builder) Format(s fmt.State, _ rune) { fmt.Fprint(s, b.String()) }

// LogValue returns a group for package log/slog: the number of keys (n), copies
// included, and the rate asked for. O(1) time. Its receiver is a value for the
// same reason as that of String.
func (b Builder) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("n", b.Len()), slog.Float64("rate", b.config.FPRate))
}
