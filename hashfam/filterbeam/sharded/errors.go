package sharded

import "github.com/filterfam/filterfam/internal/fault"

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrCorrupt = fault.ErrCorrupt // the index or a part is damaged, or a part is of another build
	ErrFamily  = fault.ErrFamily  // the filter was built under another hash family
)

// A FieldError is an error about the index or a part.
type FieldError struct {
	Err     error  // the reason: ErrCorrupt or ErrFamily
	Field   string // for example "checksum of out.bin.shard-XYZ"
	Value   any    // the value of the field
	Allowed string // the values allowed
}

// Error names the package, the reason, the field, its value and the values
// allowed.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "sharded", New: func(d fault.Detail) error { e := FieldError(d); return &e }}
