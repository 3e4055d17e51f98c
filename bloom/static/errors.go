package static

import (
	"errors"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// These errors can be tested for with errors.Is.
var (
	ErrParams  = hashfam.ErrParams  // the Config or the digests are invalid
	ErrCorrupt = hashfam.ErrCorrupt // the bytes are not a valid encoding
	ErrVersion = hashfam.ErrVersion // a later version encoded the bytes
	ErrFamily  = hashfam.ErrFamily  // the bytes were encoded with another family
)

// A FieldError describes an invalid field. See package [hashfam].
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "static"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(ErrParams, field, value, allowed)
}

// buildError converts an error of package ribbon to an error of this package. n
// is the number of digests that the caller announced.
func buildError(err error, n uint64) error {
	switch {
	case errors.Is(err, ribbon.ErrLayers):
		return paramError("digests", "not random enough for 32 layers", "digests that were not chosen to collide, or a keyed Config.Family")
	case errors.Is(err, ribbon.ErrOrder):
		return paramError("digests", "out of order", "ascending by Digest.Probe")
	case errors.Is(err, ribbon.ErrCount):
		return paramError("n", n, "the number of distinct digests")
	}
	return errs.Errorf("building: %w", err)
}
