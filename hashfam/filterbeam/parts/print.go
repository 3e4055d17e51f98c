package parts

import (
	"errors"
	"fmt"
	"log/slog"
)

// String describes f in one line, without the key. O(1) time.
func (f Filter) String() string {
	return fmt.Sprintf("parts.Filter(%s, parts: %d, family: %v)", f.index.Kind, f.Parts(), f.family)
}

// Format prints [Filter.String] for every verb and flag, like
// [hashfam.Family.Format].
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns [Filter.String].
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }

// MarshalText returns an error: the files that [Open] reads are the encoding of
// f. Without this method, encoding/json would store {}.
func (f Filter) MarshalText() ([]byte, error) {
	return nil, errs.Errorf("a Filter cannot be encoded, its files are its encoding: %w", errors.ErrUnsupported)
}
