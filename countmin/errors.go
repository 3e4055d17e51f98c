package countmin

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrParams       = hashfam.ErrParams       // a configuration or an argument is invalid
	ErrIncompatible = hashfam.ErrIncompatible // two structures differ in their Params or Config
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // encoded by a later version
	ErrFamily       = hashfam.ErrFamily       // encoded with another family
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Use errors.As to extract it from a returned error.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "countmin"}
