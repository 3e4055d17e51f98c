package hashfam

import "github.com/filterfam/filterfam/internal/fault"

// The reasons of errors, for errors.Is. They have the same values in every
// package of filterfam that has them.
var (
	ErrFamily  = fault.ErrFamily  // the text names another family
	ErrCorrupt = fault.ErrCorrupt // the text is not the text form of a family
	ErrSecret  = fault.ErrSecret  // a key has no text form
)

// A FieldError is an error about one field. Use errors.As to get it from an
// error.
type FieldError struct {
	Err     error  // the reason: ErrFamily, ErrCorrupt, ...
	Field   string // for example "Family"
	Value   any
	Allowed string
}

// Error names the package, the reason, the field, its value and the allowed
// values.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "hashfam", New: func(d fault.Detail) error { e := FieldError(d); return &e }}
