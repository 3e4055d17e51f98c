// Package fault creates the errors of all structures.
package fault

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// ErrFull means that there is no room for a key.
var ErrFull = errors.New("filter is full")

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

// Zero returns the panic value if a zero value of the type name is used. It
// should be stored in a variable, so that methods that panic can be inlined.
func (m *Maker) Zero(name, make string) any {
	return m.Package + ": use of a zero " + name + ": make it with " + make
}

// RateRange describes the allowed rates, which are not percentages.
const RateRange = "above 0 and below 1; 0.05 is 5%"

// Mergeable returns ErrIncompatible if the parameters of other structures
// differ from mine, or if one of these is nil. The error names the first
// different field, and the index in others if there are several.
func Mergeable[T any, P comparable](m *Maker, name string, mine P, others []*T, params func(*T) P) error {
	for i, other := range others {
		if other == nil {
			return m.Field(hashfam.ErrIncompatible, fmt.Sprintf("others[%d]", i), "nil", "a structure")
		}
		place := ""
		if len(others) > 1 && params(other) != mine { // Sprintf allocates
			place = fmt.Sprintf("others[%d]", i)
		}
		if err := Same(m, place, name, mine, params(other)); err != nil {
			return err
		}
	}
	return nil
}

// Same returns ErrIncompatible if the parameters of two structures differ. The
// error names the first different field, after name and, if it is not empty,
// the other structure's place. Same uses reflection, so that no field is
// forgotten.
func Same[P comparable](m *Maker, place, name string, mine, other P) error {
	if mine == other {
		return nil
	}
	if place != "" {
		name = place + ": " + name
	}
	p, q := reflect.ValueOf(mine), reflect.ValueOf(other)
	for i := range p.NumField() {
		field := p.Type().Field(i)
		if field.IsExported() && !p.Field(i).Equal(q.Field(i)) {
			return m.Field(hashfam.ErrIncompatible, name+"."+field.Name, q.Field(i).Interface(), fmt.Sprint(p.Field(i)))
		}
	}
	return m.Field(hashfam.ErrIncompatible, name, other, fmt.Sprint(mine)) // for example when Phi is NaN
}

// Fits returns an error with the given reason if the structure that follows
// from a field is larger than this platform allows. Plans may be larger.
func (m *Maker) Fits(reason error, field string, value any, bytes uint64) error {
	if bytes <= sizing.MaxBytes {
		return nil
	}
	return m.Field(reason, field, value, fmt.Sprintf(
		"at most %d bytes, which this platform can hold, instead of %d", uint64(sizing.MaxBytes), bytes))
}
