package pebblefilter

import "github.com/filterfam/filterfam/hashfam"

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrParams  = hashfam.ErrParams  // a rate or a layout is invalid
	ErrCorrupt = hashfam.ErrCorrupt // a filter is damaged
	ErrVersion = hashfam.ErrVersion // a later version of filterfam wrote a filter
	ErrFamily  = hashfam.ErrFamily  // a filter has another family
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError
