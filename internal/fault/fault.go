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

// Rate returns an [ErrParams] unless a filter of 64-bit digests can have the
// false-positive rate at so many keys, as far as digests are concerned.
func Rate(rate float64, capacity uint64) error {
	if !(rate > 0 && rate < 1) {
		return Field(ErrParams, "Config.FPRate", rate, "above 0 and below 1")
	}
	if floor := float64(capacity) / (1 << 63) / 2; rate <= floor {
		return Field(ErrParams, "Config.FPRate", rate,
			fmt.Sprintf("above Capacity/2^64 = %.3g, which 64-bit digests cannot fall below", floor))
	}
	return nil
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("filterfam: %v: %s = %v, want %s", e.Err, e.Field, e.Value, e.Allowed)
}

// Unwrap returns what went wrong.
func (e *FieldError) Unwrap() error { return e.Err }
