package hashfam

import (
	"errors"
	"fmt"
)

// The reasons for errors, to test with errors.Is. Every package of filterfam
// returns the same values and exports those that it returns.
var (
	ErrParams       = errors.New("invalid parameters")
	ErrIncompatible = errors.New("incompatible structures")
	ErrCorrupt      = errors.New("corrupt encoding")
	ErrVersion      = errors.New("unsupported encoding version")
	ErrFamily       = errors.New("encoded under another hash family")
	ErrSecret       = errors.New("secret key") // a Key has no text form
)

// A FieldError is an error about one field: of a Config, of Params, of the
// arguments or of an encoding. All packages of filterfam share the type, so
// that one errors.As finds the errors of all of them.
type FieldError struct {
	Package string // that returned the error, such as "bloom"
	Err     error  // the reason: ErrParams, ErrCorrupt, ...
	Field   string // for example "Config.FPRate"
	Value   any    // the value of the field
	Allowed string // the values allowed, for example "above 0 and below 1"
}

// Error names the package, the reason, the field, its value and the values
// allowed.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: %v: %s = %v, want %s", e.Package, e.Err, e.Field, e.Value, e.Allowed)
}

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

// fieldError returns an error of this package.
func fieldError(err error, field string, value any, allowed string) error {
	return &FieldError{"hashfam", err, field, value, allowed}
}
