package static

import (
	"errors"

	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrParams  = fault.ErrParams  // the Config or the keys are invalid
	ErrCorrupt = fault.ErrCorrupt // the bytes are not a valid encoding
	ErrVersion = fault.ErrVersion // a later version encoded the bytes
	ErrFamily  = fault.ErrFamily  // the bytes were encoded under another family
)

// A FieldError is an error about one field of a Config, of the arguments or of
// an encoding. Get it from an error with errors.As.
type FieldError struct {
	Err     error  // the reason: ErrParams, ErrCorrupt, ...
	Field   string // for example "Config.FPRate"
	Value   any    // the value of the field
	Allowed string // the values allowed, for example "above 0 and below 1"
}

// Error names the package, the reason, the field, its value and the values
// allowed.
func (e *FieldError) Error() string { return fault.Detail(*e).Message(errs.Package) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "static", New: func(d fault.Detail) error { e := FieldError(d); return &e }}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}

// buildError returns the error of a build as one of this package.
func buildError(err error, n uint64) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ribbon.ErrLayers):
		return paramError("keys", "not random enough for 32 layers", "keys that no one chose to collide, or a keyed Config.Family")
	case errors.Is(err, ribbon.ErrOrder):
		return paramError("digests", "out of order", "ascending by Digest.Probe")
	case errors.Is(err, ribbon.ErrCount):
		return paramError("n", n, "the number of distinct digests")
	}
	return errs.Errorf("building: %w", err)
}
