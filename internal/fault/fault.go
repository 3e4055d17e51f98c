// Package fault creates the errors of all structures.
package fault

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/filterfam/filterfam/hashfam"
)

// ErrFull means that there is no room for a key.
var ErrFull = errors.New("filter is full")

// A Maker creates a package's errors. Its name should be used as a prefix in
// each message.
type Maker struct{ Package string }

// Field returns a [hashfam.FieldError].
func (m *Maker) Field(err error, field string, value any, allowed string) error {
	return &hashfam.FieldError{Package: m.Package, Err: err, Field: field, Value: value, Allowed: allowed}
}

// Errorf is like fmt.Errorf with the package's name as a prefix.
func (m *Maker) Errorf(format string, args ...any) error {
	return fmt.Errorf(m.Package+": "+format, args...)
}

// Zero panics with [Maker.ZeroText].
//
//go:noinline
func (m *Maker) Zero(name, make string) { panic(m.ZeroText(name, make)) }

// ZeroText returns the panic's text when a zero value of the type name is used.
// A method that should be inlined panics with it instead of calling Zero.
func (m *Maker) ZeroText(name, make string) string {
	return m.Package + ": use of a zero " + name + ": make it with " + make
}

// RateRange describes the allowed rates, in case someone writes percentages.
const RateRange = "above 0 and below 1; 0.05 is 5%"

// Rate returns ErrParams unless a filter of capacity keys can have the given
// false-positive rate with 64-bit digests.
func (m *Maker) Rate(rate float64, capacity uint64) error {
	if !(rate > 0 && rate < 1) {
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate, RateRange)
	}
	if floor := float64(capacity) / (1 << 63) / 2; rate <= floor {
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate,
			fmt.Sprintf("above Capacity/2^64 = %.3g, the floor of 64-bit digests", floor))
	}
	return nil
}

// Mergeable returns ErrIncompatible if the parameters of other structures
// differ from mine. The error names the first different field, and the index in
// others if there are several.
func Mergeable[T any, P comparable](m *Maker, name string, mine P, others []T, params func(T) P) error {
	for i, other := range others {
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
