package countmin

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams       = hashfam.ErrParams       // a configuration or an argument is invalid
	ErrIncompatible = hashfam.ErrIncompatible // two structures have different Params or Configs
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // the bytes were encoded by a later version
	ErrFamily       = hashfam.ErrFamily       // the bytes were encoded with another family
)

// A FieldError describes an invalid field. See [hashfam.FieldError].
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "countmin"}
