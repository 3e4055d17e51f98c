package cuckoo

import "github.com/filterfam/filterfam/internal/fault"

// The reasons of errors, for errors.Is. They have the same values in every
// package of filterfam that has them.
var (
	ErrParams       = fault.ErrParams       // the Config or Params are invalid
	ErrIncompatible = fault.ErrIncompatible // two filters differ in their Params
	ErrFull         = fault.ErrFull         // there is no room for the key
	ErrCorrupt      = fault.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = fault.ErrVersion      // encoded by a later version
	ErrFamily       = fault.ErrFamily       // encoded under another family
)

// ErrCopies is the [ErrFull] of one key, whatever room there is for others:
// all eight slots of its two buckets hold its fingerprint. In a [Scalable] they
// may be slots of several pages.
var ErrCopies = errs.Errorf("%w for this key: its two buckets hold eight copies", ErrFull)

// errFull is the ErrFull of the filter. It is made once, so that an Add that
// fails does not allocate.
var errFull = errs.Errorf("%w: no eviction path found", ErrFull)

// A FieldError is an error about one field: of a Config, of Params, or of an
// encoding. Use errors.As to get it from an error.
type FieldError struct {
	Err     error  // the reason: ErrParams, ErrCorrupt, ...
	Field   string // for example "Config.FPRate"
	Value   any
	Allowed string // for example "above 0 and below 1"
}

// Error names the package, the reason, the field, its value and the allowed
// values.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "cuckoo", New: func(d fault.Detail) error { e := FieldError(d); return &e }}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
