package static

import (
	"fmt"
	"log/slog"
)

// String describes e in one line. It does not show the key. Its receiver is a
// value so that an Exact in a field of another struct does not show the key
// either.
func (e Exact) String() string { return fmt.Sprintf("static.Exact(%v)", e.params) }

// Format prints [Exact.String] for every verb and flag, so that no format shows
// the key, with the exceptions of [hashfam.Family.Format]. Its receiver is a
// value for the same reason as that of String.
func (e Exact) Format(s fmt.State, _ rune) { fmt.Fprint(s, e.String()) }

// LogValue returns a group for package log/slog: the numbers of members and of
// others, the size in bytes and the Params. O(1) time. Its receiver is a value
// for the same reason as that of String.
func (e Exact) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("members", e.params.Members),
		slog.Uint64("others", e.params.Others),
		slog.Uint64("bytes", e.SizeBytes()),
		slog.String("params", e.params.String()),
	)
}
