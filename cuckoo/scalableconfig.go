package cuckoo

import (
	"fmt"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A ScalableConfig describes a [Scalable].
type ScalableConfig struct {
	// Expected is the number of keys, counting copies, for which a new filter
	// has pages. Fewer than a tenth of these pages split before this number of
	// keys has been added. Expected must not be 0, but need not be exact,
	// because the filter can grow.
	Expected uint64

	// FPRate is the maximum false-positive rate for any number of keys, as a
	// fraction: 0.01 is 1%. It must be at least 1e-6 and below 1.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Scalable.SizeBytes]. It must be
	// large enough for the first pages. When the limit prevents a full page
	// from splitting, adding a key to this page returns [ErrFull], but keys of
	// other pages can still be added.
	MemoryBytes uint64

	// Compact and Family have the same meaning as in [Config].
	Compact bool
	Family  hashfam.Family

	_ struct{} // literals must name their fields
}

// minScalableRate is the lowest FPRate that holds after any number of splits.
const minScalableRate = 1e-6

// check returns an error for the given reason that names the invalid field, or
// nil if c is valid.
func (c ScalableConfig) check(reason error) error {
	if c.Expected == 0 {
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected, "at least 1")
	}
	if !(c.FPRate >= minScalableRate && c.FPRate < 1) {
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate, fmt.Sprintf("at least %g and below 1", minScalableRate))
	}
	shape := c.shape()
	if shape.Plots > sizing.MaxBits/(8*shape.PageBytes()) {
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected,
			fmt.Sprintf("a number of keys that fits in %d bits", uint64(sizing.MaxBits)))
	}
	return nil
}

// fits returns ErrParams if the first pages of a filter for c, which is valid,
// are too large for this platform.
func (c ScalableConfig) fits() error {
	return errs.Fits(hashfam.ErrParams, "ScalableConfig.Expected", c.Expected, c.shape().SizeBytes())
}

// shape returns the shape of the pages if Expected and FPRate are valid.
func (c ScalableConfig) shape() pages.Shape {
	s := pages.NewShape(c.Expected, c.FPRate, c.Compact)
	s.Limit = c.MemoryBytes
	return s
}

// InitialBytes returns the size of a new filter in bytes, without allocating
// it. It returns the errors of [NewScalable], except the one for a filter that
// is too large for the platform.
func (c ScalableConfig) InitialBytes() (uint64, error) {
	if err := c.check(hashfam.ErrParams); err != nil {
		return 0, err
	}
	// An encoded filter may have any MemoryBytes, so that the format does not
	// depend on the page size in memory.
	size := c.shape().SizeBytes()
	if c.MemoryBytes > 0 && c.MemoryBytes < size {
		return 0, errs.Field(hashfam.ErrParams, "ScalableConfig.MemoryBytes", c.MemoryBytes,
			fmt.Sprintf("at least %d, the size of the first pages", size))
	}
	return size, nil
}
