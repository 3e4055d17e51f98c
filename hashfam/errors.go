package hashfam

import (
	"errors"
	"fmt"
)

// These errors can be tested for with errors.Is. All filterfam packages use the
// same values, and each package exports those that it returns.
var (
	ErrParams       = errors.New("invalid parameters")
	ErrIncompatible = errors.New("incompatible structures")
	ErrCorrupt      = errors.New("corrupt encoding")
	ErrVersion      = errors.New("unsupported encoding version")
	ErrFamily       = errors.New("encoded with another hash family")
	ErrSecret       = errors.New("secret key") // a Key cannot be marshaled
)

// A FieldError describes an invalid field in a Config, in Params, in the
// arguments or in an encoding. All filterfam packages use this type, so a
// single call of errors.As is enough.
type FieldError struct {
	Package string // the package that returned the error, for example "bloom"
	Err     error  // the reason, for example ErrParams
	Field   string // the invalid field, for example "Config.FPRate"
	Value   any    // its current value
	Allowed string // the allowed values, for example "above 0 and below 1"
}

// Error returns a message with the package, the reason, the field, its value
// and the allowed values.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: %v: %s = %v, want %s", e.Package, e.Err, e.Field, e.Value, e.Allowed)
}

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

// Must returns v if err is nil. Otherwise, it panics with err. Use it where an
// error would be a mistake in the program, for example if all fields of a Config
// are constants:
//
//	var seen = hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01}))
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fieldError returns a FieldError from this package.
func fieldError(err error, field string, value any, allowed string) error {
	return &FieldError{"hashfam", err, field, value, allowed}
}
