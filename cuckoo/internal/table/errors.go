package table

import "github.com/filterfam/filterfam/internal/fault"

// Errs creates the errors of package cuckoo and its internal packages.
var Errs = &fault.Maker{Package: "cuckoo"}

// The errors of Add are created once, so that a failed Add does not allocate.
var (
	ErrFull   = Errs.Errorf("%w: no eviction path found", fault.ErrFull)
	ErrCopies = Errs.Errorf("%w for this key: its two buckets hold eight copies", fault.ErrFull)
)
