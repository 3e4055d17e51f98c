// Package fault makes the errors of all structures: [hashfam.FieldError] with
// the name of the package that returns it.
package fault

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/filterfam/filterfam/hashfam"
)

// ErrFull is the reason of insertions for which there is no room.
var ErrFull = errors.New("filter is full")

// A Maker makes the errors of one package.
type Maker struct {
	Package string // the prefix of every message
}

// Field returns an error about a field.
func (m *Maker) Field(err error, field string, value any, allowed string) error {
	return &hashfam.FieldError{Package: m.Package, Err: err, Field: field, Value: value, Allowed: allowed}
}

// Errorf returns an error without a field, prefixed with the package's name.
func (m *Maker) Errorf(format string, args ...any) error {
	return fmt.Errorf(m.Package+": "+format, args...)
}

// Zero panics because a method that needs a made structure was called on the
// zero value of the type with this name. make completes "make it with".
//
//go:noinline
func (m *Maker) Zero(name, make string) { panic(m.ZeroText(name, make)) }

// ZeroText returns the text with which Zero panics, for methods that are to be
// inlined.
func (m *Maker) ZeroText(name, make string) string {
	return m.Package + ": use of a zero " + name + ": make it with " + make
}

// RateRange says what rates are allowed, to those who write percentages, too.
const RateRange = "above 0 and below 1; 0.05 is 5%"

// Rate returns ErrParams unless 64-bit digests can have the false-positive rate
// at capacity keys.
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

// Mergeable returns ErrIncompatible if the parameters of one of others differ
// from mine. The error names the first field that differs, and the place of the
// structure if there are several.
func Mergeable[T any, P comparable](m *Maker, name string, mine P, others []T, params func(T) P) error {
	for i, other := range others {
		place := ""
		if len(others) > 1 && params(other) != mine { // to name it allocates
			place = fmt.Sprintf("others[%d]", i)
		}
		if err := Same(m, place, name, mine, params(other)); err != nil {
			return err
		}
	}
	return nil
}

// Same returns ErrIncompatible with the first field in which the parameters of
// two structures differ, or nil if they are equal. name is the name of the
// parameters in the message, and place says where the other structure is, if
// that is not empty. Same compares every field by reflection, so that a new
// field cannot be forgotten.
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
	return m.Field(hashfam.ErrIncompatible, name, other, fmt.Sprint(mine)) // such as a Phi that is not a number
}
