package countmin

import "github.com/filterfam/filterfam/internal/fault"

// The reasons of errors, for errors.Is. They have the same values in every
// package of filterfam.
var (
	ErrParams       = fault.ErrParams       // a configuration or an argument is invalid
	ErrIncompatible = fault.ErrIncompatible // two structures differ in their Params
	ErrCorrupt      = fault.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = fault.ErrVersion      // encoded by a later version
	ErrFamily       = fault.ErrFamily       // encoded under another family
)

// A FieldError is an error about one field: of a Config, of Params, or of an
// encoding. Use errors.As to get it from an error.
type FieldError struct {
	Err     error  // the reason: ErrParams, ErrCorrupt, ...
	Field   string // for example "Config.Epsilon"
	Value   any
	Allowed string // for example "above 0 and below 1"
}

// Error names the package, the reason, the field, its value and the allowed
// values.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "countmin", New: func(d fault.Detail) error { e := FieldError(d); return &e }}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
