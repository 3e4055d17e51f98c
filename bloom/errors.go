package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrParams       = hashfam.ErrParams       // the Config or Params are invalid
	ErrIncompatible = hashfam.ErrIncompatible // two filters differ in their Params, or a delta is for another state
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // a later version encoded the bytes
	ErrFamily       = hashfam.ErrFamily       // the bytes were encoded under another family
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "bloom"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
