package filterbeam

import (
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam. An engine may report an error of a worker as
// text; it then contains the text of the reason.
var (
	ErrParams  = hashfam.ErrParams  // the Plan, a pattern or an output is invalid
	ErrCorrupt = hashfam.ErrCorrupt // an intermediate file is damaged
	ErrFamily  = hashfam.ErrFamily  // a worker has another hash family, or none
	ErrFull    = cuckoo.ErrFull     // there are more keys than the cuckoo filter takes
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "filterbeam"}
