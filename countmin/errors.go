package countmin

import "github.com/filterfam/filterfam/internal/fault"

// What went wrong, for errors.Is. They are the same values in every package of
// filterfam.
var (
	ErrParams       = fault.ErrParams       // a configuration or argument that cannot be
	ErrIncompatible = fault.ErrIncompatible // two structures differ in their Params
	ErrCorrupt      = fault.ErrCorrupt      // the bytes are no encoded structure of this type
	ErrVersion      = fault.ErrVersion      // encoded by a later version
	ErrFamily       = fault.ErrFamily       // encoded under another family
)

// A FieldError is the concrete type behind these errors, for errors.As: it
// holds the field at fault, its value and what is allowed.
type FieldError = fault.FieldError

func paramError(field string, value any, allowed string) error {
	return fault.Field(ErrParams, field, value, allowed)
}
