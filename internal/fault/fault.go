// Package fault creates the errors of all structures.
package fault

import (
	"context"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Maker creates a package's errors. Each message begins with the package's
// name.
type Maker struct{ Package string }

// Field returns a [hashfam.FieldError].
func (m *Maker) Field(err error, field string, value any, allowed string) error {
	return &hashfam.FieldError{Package: m.Package, Err: err, Field: field, Value: value, Allowed: allowed}
}

// Errorf is like fmt.Errorf with the package's name as a prefix.
func (m *Maker) Errorf(format string, args ...any) error {
	return fmt.Errorf(m.Package+": "+format, args...)
}

// Context returns ErrParams if ctx is nil.
func (m *Maker) Context(ctx context.Context) error {
	if ctx == nil {
		return m.Field(hashfam.ErrParams, "ctx", nil, "a context, for example context.Background()")
	}
	return nil
}

// Zero returns the value to panic with when a zero value is used. name is its
// type, and make says how to make a valid one. The result should be stored in a
// variable, so that methods that panic can be inlined.
func (m *Maker) Zero(name, make string) any {
	return m.Package + ": use of a zero " + name + ": make it with " + make
}

// RateRange describes the allowed rates, which are not percentages.
const RateRange = "above 0 and below 1; 0.05 is 5%"

// Fits returns an error with the given reason if a structure with the given
// number of bytes is larger than this platform allows. The error names the
// field that determines the size. Fits is not called for plans, because they
// can be for another platform.
func (m *Maker) Fits(reason error, field string, value any, bytes uint64) error {
	if bytes <= sizing.MaxBytes {
		return nil
	}
	return m.Field(reason, field, value, fmt.Sprintf(
		"at most %d bytes, which this platform can hold, instead of %d", uint64(sizing.MaxBytes), bytes))
}
