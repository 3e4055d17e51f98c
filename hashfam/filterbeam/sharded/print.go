package sharded

import (
	"errors"
	"fmt"
	"log/slog"
)

// String describes f in one line. It does not show the key. O(1) time. Its
// receiver is a value so that a Filter in a field of another struct does not
// show the key either.
func (f Filter) String() string {
	return fmt.Sprintf("sharded.Filter(%s, parts: %d, family: %v)", f.index.Kind, f.Parts(), f.family)
}

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key. Its receiver is a value for the same reason as that of String.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns a group for package log/slog: the kind of the filter in each
// part, the number of parts, and the family, which does not show its key. O(1)
// time. Its receiver is a value for the same reason as that of String.
func (f Filter) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("kind", f.index.Kind),
		slog.Int("parts", f.Parts()),
		slog.String("family", f.family.String()),
	)
}

// MarshalJSON returns errors.ErrUnsupported: the files that [Open] reads are
// the encoding of f. O(1) time. Its receiver is a value so that a Filter that
// is a value in a struct is refused, too.
func (f Filter) MarshalJSON() ([]byte, error) {
	return nil, errs.Errorf("a Filter cannot be encoded, its files are its encoding: %w", errors.ErrUnsupported)
}
