package pebblefilter

import "github.com/filterfam/filterfam/hashfam"

// These errors can be tested for with errors.Is.
var (
	ErrParams  = hashfam.ErrParams  // a rate or a layout is invalid
	ErrCorrupt = hashfam.ErrCorrupt // a filter is damaged
	ErrVersion = hashfam.ErrVersion // a later version of filterfam wrote a filter
	ErrFamily  = hashfam.ErrFamily  // a filter was encoded with another family
)

// A FieldError describes an invalid field. See package [hashfam].
type FieldError = hashfam.FieldError
