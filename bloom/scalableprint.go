package bloom

import (
	"fmt"
	"log/slog"
	"math"
)

// String describes c in one line. It does not show the key of the family.
func (c ScalableConfig) String() string {
	return fmt.Sprintf("%v, %d keys expected, rate %g, family %v", c.Layout, c.Expected, c.FPRate, c.Family)
}

// String describes s in one line. It does not show the key. Its receiver is a
// value so that a Scalable in a field of another struct does not show the key
// either.
func (s Scalable) String() string {
	return fmt.Sprintf("bloom.Scalable(%v, stages: %d)", s.config, len(s.stages))
}

// Format prints [Scalable.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (s Scalable) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns a group for package log/slog: the estimated number of keys
// (n), the size in bits, the current false-positive rate, the number of stages
// and the ScalableConfig. O(m) time. JSON has no infinity: n of a full filter
// is math.MaxFloat64. The receiver is a value for the same reason as that of
// String.
func (s Scalable) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Float64("n", min(s.EstimatedLen(), math.MaxFloat64)),
		slog.Uint64("bits", 8*s.SizeBytes()),
		slog.Float64("rate", s.FalsePositiveRate()),
		slog.Int("stages", s.Stages()),
		slog.String("config", s.config.String()),
	)
}
