package bloom

import (
	"fmt"
	"log/slog"
	"math"
)

// String describes c in one line. It does not show the key of the family.
func (c RotatingConfig) String() string {
	window := fmt.Sprintf("the last %d keys", c.Capacity)
	if c.Span != 0 {
		window = fmt.Sprintf("%v with %d keys", c.Span, c.Capacity)
	}
	return fmt.Sprintf("%v, %s, %d generations, rate %g, family %v", c.Layout, window, c.Generations, c.FPRate, c.Family)
}

// String describes r in one line. It does not show the key. Its receiver is a
// value so that a Rotating in a field of another struct does not show the key
// either.
func (r Rotating) String() string { return fmt.Sprintf("bloom.Rotating(%v)", r.config) }

// Format prints [Rotating.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (r Rotating) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.String()) }

// LogValue returns a group for package log/slog: the estimated number of keys
// (n), the size in bits, the current false-positive rate and the
// RotatingConfig. O(m) time. JSON has no infinity: n of a full filter is
// math.MaxFloat64. The receiver is a value for the same reason as that of
// String.
func (r Rotating) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Float64("n", min(r.EstimatedLen(), math.MaxFloat64)),
		slog.Uint64("bits", 8*r.SizeBytes()),
		slog.Float64("rate", r.FalsePositiveRate()),
		slog.String("config", r.config.String()),
	)
}
