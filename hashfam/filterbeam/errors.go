package filterbeam

import (
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// These errors can be tested for with errors.Is. An engine may return a
// worker's error as text, which will contain the error's text.
var (
	ErrParams  = hashfam.ErrParams  // the Plan, a pattern or an output is invalid
	ErrCorrupt = hashfam.ErrCorrupt // an intermediate file is damaged
	ErrFamily  = hashfam.ErrFamily  // a worker has another hash family, or none
	ErrFull    = cuckoo.ErrFull     // there are too many keys for the cuckoo filter
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Use errors.As to extract it from an error.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "filterbeam"}
