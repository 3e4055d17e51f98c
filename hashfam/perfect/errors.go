package perfect

import "github.com/filterfam/filterfam/internal/fault"

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrParams  = fault.ErrParams  // the Config or the keys are invalid
	ErrCorrupt = fault.ErrCorrupt // the bytes are not a valid encoding
	ErrVersion = fault.ErrVersion // a later version encoded the bytes
	ErrFamily  = fault.ErrFamily  // the bytes were encoded under another family
)

// A FieldError is an error about one field of a Config, about a key, or about
// one field of an encoding. Get it from an error with errors.As.
type FieldError struct {
	Err     error  // the reason: ErrParams, ErrCorrupt, ...
	Field   string // for example "Config.FPRate" or "keys[3]"
	Value   any    // the value of the field
	Allowed string // the values allowed, for example "above 0 and below 1"
}

// Error names the package, the reason, the field, its value and the values
// allowed.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "perfect", New: func(d fault.Detail) error { e := FieldError(d); return &e }}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
