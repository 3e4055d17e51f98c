package sharded

import (
	"errors"
	"fmt"
	"log/slog"
)

// String returns the number of shards. It shows nothing of the structures. O(1)
// time.
func (o Of[T]) String() string { return fmt.Sprintf("sharded.Of(%d shards)", len(o.shards)) }

// Format prints [Of.String] for every verb and flag, like
// [hashfam.Family.Format].
func (o Of[T]) Format(s fmt.State, _ rune) { fmt.Fprint(s, o.String()) }

// LogValue returns [Of.String].
func (o Of[T]) LogValue() slog.Value { return slog.StringValue(o.String()) }

// MarshalText returns an error: the structures are stored one by one, with
// [Of.Each]. Without this method, encoding/json would store {}.
func (o Of[T]) MarshalText() ([]byte, error) {
	return nil, fmt.Errorf("sharded: shards are encoded one by one, in a call of Each: %w", errors.ErrUnsupported)
}
