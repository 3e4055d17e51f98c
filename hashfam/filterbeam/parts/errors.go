package parts

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrCorrupt = hashfam.ErrCorrupt // the index or a part is damaged, or a part is of another build
	ErrFamily  = hashfam.ErrFamily  // the filter was built under another hash family
	ErrVersion = hashfam.ErrVersion // a later version of this package wrote the index
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "parts"}
