// Package fault makes the errors of all structures: [hashfam.FieldError] with
// the name of the package that returns it.
package fault

import (
	"errors"
	"fmt"

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

// Nil returns the error of a method that is called on a nil pointer.
func (m *Maker) Nil() error {
	return m.Field(hashfam.ErrParams, "receiver", "nil", "a pointer to a structure")
}

// NoView returns the error of a method that is called on a nil or zero view.
func (m *Maker) NoView() error {
	return m.Field(hashfam.ErrParams, "receiver", "a nil or zero view", "one that NewView returned")
}

// Zero returns the error about a structure that is zero: name says which one of
// a call, and constructor how to make one of its type.
func (m *Maker) Zero(reason error, name, typ, constructor string) error {
	return m.Field(reason, name, "a zero "+typ, "one made by "+constructor+" or by decoding")
}

// Rate returns ErrParams unless 64-bit digests can have the false-positive rate
// at capacity keys.
func (m *Maker) Rate(rate float64, capacity uint64) error {
	if !(rate > 0 && rate < 1) {
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate, "above 0 and below 1")
	}
	if floor := float64(capacity) / (1 << 63) / 2; rate <= floor {
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate,
			fmt.Sprintf("above Capacity/2^64 = %.3g, the floor of 64-bit digests", floor))
	}
	return nil
}

// Each returns the first error of check, which names the place in others of
// what it rejects, such as "others[2]". A structure that is merged alone has
// the place "".
func Each[T any](others []T, check func(place string, other T) error) error {
	for i, other := range others {
		if check("", other) != nil {
			return check(fmt.Sprintf("others[%d]", i), other)
		}
	}
	return nil
}

// Mergeable returns ErrIncompatible if the parameters of one of others differ
// from mine. The error names the first field that differs, and the place of the
// structure if there are several.
func Mergeable[T any, P comparable](m *Maker, name string, mine P, others []T, params func(T) P) error {
	for i, other := range others {
		place := ""
		if len(others) > 1 && params(other) != mine {
			place = fmt.Sprintf("others[%d]", i)
		}
		if err := Same(m, place, name, mine, params(other)); err != nil {
			return err
		}
	}
	return nil
}
