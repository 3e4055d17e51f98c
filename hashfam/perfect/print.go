package perfect

import (
	"fmt"
	"log/slog"
)

// String describes f in one line. It does not show the key. Its receiver is a
// value so that a Function in a field of another struct does not show the key
// either.
func (f Function) String() string { return fmt.Sprintf("perfect.Function(%v)", f.params) }

// Format prints [Function.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (f Function) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns a group for package log/slog: the number of keys (n), the
// bits per key and the Params. O(1) time. Its receiver is a value for the same
// reason as that of String.
func (f Function) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", f.n),
		slog.Float64("bits_per_key", f.BitsPerKey()),
		slog.String("params", f.params.String()),
	)
}

// String describes f in one line. It does not show the key. Its receiver is a
// value so that a Filter in a field of another struct does not show the key
// either.
func (f Filter) String() string { return fmt.Sprintf("perfect.Filter(%v)", f.params) }

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns a group for package log/slog: the number of keys (n), the
// bits per key, the false-positive rate and the Params. O(1) time. Its receiver
// is a value for the same reason as that of String.
func (f Filter) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", f.n),
		slog.Float64("bits_per_key", f.BitsPerKey()),
		slog.Float64("rate", f.FalsePositiveRate()),
		slog.String("params", f.params.String()),
	)
}
