package cuckoo

import "github.com/filterfam/filterfam/cuckoo/internal/table"

// These errors can be tested for with errors.Is. Package hashfam describes all
// other errors.
var (
	ErrFull = table.ErrFull // there is no room for a key

	// ErrCopies matches ErrFull. It means that the filter already has eight
	// copies of the key, or of keys that the filter cannot distinguish from
	// this key. There may still be room for other keys.
	ErrCopies = table.ErrCopies
)

// errs makes the errors that match those of package hashfam.
var errs = table.Errs
