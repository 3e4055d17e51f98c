package cuckoo

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A ScalableConfig describes a [Scalable] filter.
type ScalableConfig struct {
	// Expected is the number of keys, counting copies, that the filter has room
	// for from the start: at least 1. It need not be exact: the filter grows
	// beyond it.
	Expected uint64

	// FPRate is the highest false-positive rate, as a fraction: 0.01 is 1 %. It
	// is at least 1e-6 and below 1. It holds whatever the number of keys.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Scalable.SizeBytes]: no page
	// splits beyond it. Then keys of pages that have room are still added, and
	// the others get [ErrFull]. The first pages must fit.
	MemoryBytes uint64

	// Compact and Family are those of a [Config].
	Compact bool
	Family  hashfam.Family

	_ struct{} // literals name their fields
}

// minScalableRate is the least FPRate that holds after any number of splits.
const minScalableRate = 1e-6

// check returns an error with the given reason that names the invalid field, or
// nil if the fields of c are valid.
func (c ScalableConfig) check(reason error) error {
	if c.Expected == 0 {
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected, "at least 1")
	}
	if !(c.FPRate >= minScalableRate && c.FPRate < 1) {
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate, fmt.Sprintf("at least %g and below 1", minScalableRate))
	}
	if g := c.geometry(); g.Roots > sizing.MaxBits/(8*g.RootBytes()) {
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected,
			fmt.Sprintf("a number of keys that fits in %d bits", uint64(sizing.MaxBits)))
	}
	return nil
}

// checkNew is check with ErrParams for a new filter. Its first pages must fit
// in MemoryBytes. An encoded filter may have any MemoryBytes, so that the
// format does not depend on the size of a page in memory.
func (c ScalableConfig) checkNew() error {
	if err := c.check(ErrParams); err != nil {
		return err
	}
	if g := c.geometry(); c.MemoryBytes > 0 && c.MemoryBytes < g.SizeBytes() {
		return errs.Field(ErrParams, "ScalableConfig.MemoryBytes", c.MemoryBytes,
			fmt.Sprintf("at least %d, the size of the first pages", g.SizeBytes()))
	}
	return nil
}

// fits returns an error with the given reason if this platform cannot hold the
// first pages of a filter for c, which is valid.
func (c ScalableConfig) fits(reason error) error {
	g := c.geometry()
	return errs.Fits(reason, "ScalableConfig.Expected", c.Expected, g.SizeBytes())
}

// geometry returns the geometry of the pages, if the fields of c are in their
// ranges.
func (c ScalableConfig) geometry() pages.Geometry {
	g := pages.NewGeometry(c.Expected, c.FPRate, c.Compact)
	g.Limit = c.MemoryBytes
	return g
}

// NewScalable returns an empty filter for c. It returns [ErrParams], naming the
// field, if c is invalid. If the machine does not have the memory, the program
// ends: check [ScalableConfig.SizeBytes] first if c comes from elsewhere.
// O(Expected) time.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	if err := c.checkNew(); err != nil {
		return nil, err
	}
	if err := c.fits(ErrParams); err != nil {
		return nil, err
	}
	return &Scalable{c, *pages.New(c.geometry(), partnersKey(c.Family))}, nil
}

// NewScalableReceiver returns an empty filter to decode into. It accepts
// encodings made under fam; the zero Scalable accepts those of the public
// family. O(1) time.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}}
}

// SizeBytes returns the memory of a new filter for c in bytes: that of its
// first pages. Its error is that of [NewScalable]. O(1) time.
func (c ScalableConfig) SizeBytes() (uint64, error) {
	if err := c.checkNew(); err != nil {
		return 0, err
	}
	g := c.geometry()
	return g.SizeBytes(), nil
}

// String describes c in one line, without the key of its family.
func (c ScalableConfig) String() string {
	form := form(c.Compact)
	if c.MemoryBytes > 0 {
		form += fmt.Sprintf(", at most %d bytes", c.MemoryBytes)
	}
	return fmt.Sprintf("%s, %d keys expected, rate %g, family %v", form, c.Expected, c.FPRate, c.Family)
}

// String describes the filter in one line, without its key.
func (s Scalable) String() string { return fmt.Sprintf("cuckoo.Scalable(%v)", s.config) }

// Format prints [Scalable.String] for every verb, like [Filter.Format].
func (s Scalable) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns [Scalable.String] for structured logs.
func (s Scalable) LogValue() slog.Value { return slog.StringValue(s.String()) }
