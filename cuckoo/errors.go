package cuckoo

import (
	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams       = hashfam.ErrParams       // the Config or Params are invalid
	ErrIncompatible = hashfam.ErrIncompatible // two filters have different Params
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // the bytes were encoded by a later version
	ErrFamily       = hashfam.ErrFamily       // the bytes were encoded with another family
	ErrFull         = fault.ErrFull           // Add could not make room for the key

	// ErrCopies matches ErrFull. It means that the filter already has eight
	// copies of the key, even if it has room for other keys.
	ErrCopies = table.ErrCopies
)

// A FieldError describes an invalid field. See [hashfam.FieldError].
type FieldError = hashfam.FieldError

var errs = table.Errs
