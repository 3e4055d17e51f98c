package counting

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams       = hashfam.ErrParams       // the Config or Params are invalid
	ErrIncompatible = hashfam.ErrIncompatible // two filters have different Params
	ErrCorrupt      = hashfam.ErrCorrupt      // the data is not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // the data was encoded by a later version
	ErrFamily       = hashfam.ErrFamily       // the data was encoded with another family
)

// A FieldError describes an invalid field, see package hashfam. It can be
// extracted from an error using errors.As.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "counting"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
