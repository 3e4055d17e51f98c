package perfect

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams  = hashfam.ErrParams  // the configuration or the keys are invalid
	ErrCorrupt = hashfam.ErrCorrupt // the data is not a valid encoding
	ErrVersion = hashfam.ErrVersion // a later version encoded the data
	ErrFamily  = hashfam.ErrFamily  // the data was encoded with another family
)

// A FieldError describes an invalid field. See [hashfam.FieldError].
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "perfect"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
