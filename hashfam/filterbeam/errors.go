package filterbeam

import "github.com/filterfam/filterfam/internal/fault"

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam. An engine may report an error of a worker as
// text; it then contains the text of the reason.
var (
	ErrParams  = fault.ErrParams  // the Plan, a pattern or an output is invalid
	ErrCorrupt = fault.ErrCorrupt // an intermediate file is damaged
	ErrFamily  = fault.ErrFamily  // a worker has another hash family, or none
	ErrFull    = fault.ErrFull    // there are more keys than the cuckoo filter takes
)

// A FieldError is an error about one field of a Plan, or about one file.
type FieldError struct {
	Err     error  // the reason: ErrParams, ErrFamily, ...
	Field   string // for example "Config.Family"
	Value   any    // the value of the field
	Allowed string // the values allowed
}

// Error names the package, the reason, the field, its value and the values
// allowed.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "filterbeam", New: func(d fault.Detail) error { e := FieldError(d); return &e }}
