package cuckoo

import (
	"fmt"

	"github.com/filterfam/filterfam/internal/fault"
)

// What went wrong, for errors.Is. They are the same values in every package of
// filterfam that has them.
var (
	ErrParams       = fault.ErrParams       // Config or Params describe no filter
	ErrIncompatible = fault.ErrIncompatible // two filters differ in their Params
	ErrFull         = fault.ErrFull         // there is no room for the key
	ErrCorrupt      = fault.ErrCorrupt      // the bytes are no encoded filter
	ErrVersion      = fault.ErrVersion      // encoded by a later version
	ErrFamily       = fault.ErrFamily       // encoded under another family
)

// ErrCopies is the [ErrFull] of one key, whatever room there is for others:
// all eight slots of its two buckets hold its fingerprint.
var ErrCopies = fmt.Errorf("filterfam: %w for this key: its two buckets hold eight copies", ErrFull)

// errFull is the ErrFull of the filter. Both are made once, so that an Add
// that fails does not allocate.
var errFull = fmt.Errorf("filterfam: %w: no moves make room", ErrFull)

// A FieldError is the concrete type behind the other errors, for errors.As: it
// holds the field at fault, its value and what is allowed.
type FieldError = fault.FieldError

func paramError(field string, value any, allowed string) error {
	return fault.Field(ErrParams, field, value, allowed)
}
