package cuckoo

import (
	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// The reasons of errors that all packages of filterfam share, for errors.Is.
var (
	ErrParams       = hashfam.ErrParams       // the Config or Params are invalid
	ErrIncompatible = hashfam.ErrIncompatible // two filters differ in their Params
	ErrCorrupt      = hashfam.ErrCorrupt      // the bytes are not a valid encoding
	ErrVersion      = hashfam.ErrVersion      // encoded by a later version
	ErrFamily       = hashfam.ErrFamily       // encoded under another family
)

// ErrFull is the error of an Add for which no room can be made.
var ErrFull = fault.ErrFull

// ErrCopies is the [ErrFull] of one key, whatever room there is for others: all
// eight slots of its two buckets hold its fingerprint. In a [Scalable] they may
// be slots of several pages.
var ErrCopies = table.ErrCopies

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

var errs = table.Errs
