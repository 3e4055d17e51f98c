package hashfam

import "github.com/filterfam/filterfam/internal/fault"

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam that exports them.
var (
	ErrFamily  = fault.ErrFamily  // the text is that of another family
	ErrCorrupt = fault.ErrCorrupt // the text is not the text form of a family
	ErrSecret  = fault.ErrSecret  // a key has no text form
)

// A FieldError is an error about one field. Get it from an error with
// errors.As.
type FieldError struct {
	Err     error  // the reason: ErrFamily, ErrCorrupt, ...
	Field   string // for example "Family"
	Value   any    // the value of the field
	Allowed string // the values allowed
}

// Error names the package, the reason, the field, its value and the values
// allowed.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "hashfam", New: func(d fault.Detail) error { e := FieldError(d); return &e }}
