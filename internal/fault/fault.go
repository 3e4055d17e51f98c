// Package fault holds the errors that all structures of filterfam share. Each
// structure's package re-exports them, so that errors.Is and errors.As work
// with either name.
package fault

import (
	"errors"
	"fmt"
)

// What went wrong, for errors.Is.
var (
	ErrParams       = errors.New("invalid parameters")
	ErrIncompatible = errors.New("incompatible structures")
	ErrFull         = errors.New("filter is full")
	ErrCorrupt      = errors.New("corrupt encoding")
	ErrVersion      = errors.New("unsupported encoding version")
	ErrFamily       = errors.New("encoded under another hash family")
)

// A FieldError says which field is at fault, what it holds and what is
// allowed. Err is one of the errors above.
type FieldError struct {
	Err     error
	Field   string // for example "Config.FPRate"
	Value   any
	Allowed string // for example "above 0 and below 1"
}

// Field returns a [FieldError].
func Field(err error, field string, value any, allowed string) error {
	return &FieldError{Err: err, Field: field, Value: value, Allowed: allowed}
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("filterfam: %v: %s = %v, want %s", e.Err, e.Field, e.Value, e.Allowed)
}

// Unwrap returns what went wrong.
func (e *FieldError) Unwrap() error { return e.Err }
