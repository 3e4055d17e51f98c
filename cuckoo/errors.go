package cuckoo

import "github.com/filterfam/filterfam/cuckoo/internal/table"

// Add can also fail with these errors, which can be tested for with errors.Is.
// All other errors match one of package hashfam.
var (
	ErrFull = table.ErrFull // Add could not make room for the key

	// ErrCopies matches ErrFull. It means that the filter already has eight
	// copies of the key, even if it has room for other keys.
	ErrCopies = table.ErrCopies
)

var errs = table.Errs
