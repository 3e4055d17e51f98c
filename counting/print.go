package counting

import (
	"fmt"
	"log/slog"
	"math"
)

// String describes f in one line. It does not show the key. Its receiver is a
// value so that a Filter in a field of another struct does not show the key
// either.
func (f Filter) String() string { return fmt.Sprintf("counting.Filter(%v)", f.params) }

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns a group for package log/slog: the estimated number of
// distinct keys (n), the size in bits, the current false-positive rate, the
// fill ratio, the number of stuck counters and the Params. O(m) time. Its
// receiver is a value for the same reason as that of String. JSON has no
// infinity: n of a full filter is math.MaxFloat64.
func (f Filter) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Float64("n", min(f.EstimatedLen(), math.MaxFloat64)),
		slog.Uint64("bits", 4*f.params.Counters),
		slog.Float64("rate", f.FalsePositiveRate()),
		slog.Float64("fill", f.FillRatio()),
		slog.Uint64("stuck", f.Stuck()),
		slog.String("params", f.params.String()),
	)
}
