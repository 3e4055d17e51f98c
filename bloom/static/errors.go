package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams  = hashfam.ErrParams  // the Config or the digests are invalid
	ErrCorrupt = hashfam.ErrCorrupt // the bytes are not a valid encoding
	ErrVersion = hashfam.ErrVersion // the bytes were encoded by a later version
	ErrFamily  = hashfam.ErrFamily  // the bytes were encoded with another family
)

// A FieldError describes an invalid field. See [hashfam.FieldError].
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "static"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}
