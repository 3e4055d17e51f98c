package sharded

import "github.com/filterfam/filterfam/hashfam"

// ErrParams is the reason for an error of [New], to test with errors.Is.
var ErrParams = hashfam.ErrParams

// A FieldError is an error about one argument. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError
