package hashfam

import (
	"errors"
	"fmt"
)

// Errors of structures match one of these, which can be tested for with
// errors.Is. The exceptions are the errors of contexts, readers, writers, files
// and the caller's functions, errors.ErrUnsupported, and the errors that
// packages cuckoo and journal declare. Package filterbeam returns other errors,
// too.
var (
	ErrParams       = errors.New("invalid parameters")               // a Config, Params or an argument is invalid
	ErrIncompatible = errors.New("incompatible structures")          // two structures have different Params, or a delta is for another state
	ErrCorrupt      = errors.New("corrupt encoding")                 // the bytes are not a valid encoding
	ErrVersion      = errors.New("unsupported encoding version")     // the bytes were encoded by a later version
	ErrFamily       = errors.New("encoded with another hash family") // the bytes were encoded with another family
	ErrSecret       = errors.New("secret key")                       // a Key cannot be marshaled
)

// A FieldError describes an invalid field in a Config, in Params, in the
// arguments or in an encoding. All filterfam packages use this type, so a
// single call of errors.As is enough.
type FieldError struct {
	Package string // the package that returned the error, for example "bloom"
	Err     error  // the reason, for example ErrParams
	Field   string // the invalid field, for example "Config.FPRate" or "others[1]: Params.Bits"
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
// error would be a mistake in the program, for example if all fields of a
// Config are constants:
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
