// Package fault makes the errors of all structures. Each package of filterfam
// has its own FieldError type, so that its documentation shows the fields;
// package fault has the code that these types share.
package fault

import (
	"errors"
	"fmt"
)

// The reasons for errors, to test with errors.Is. Each package exports those
// that it returns.
var (
	ErrParams       = errors.New("invalid parameters")
	ErrIncompatible = errors.New("incompatible structures")
	ErrFull         = errors.New("filter is full")
	ErrCorrupt      = errors.New("corrupt encoding")
	ErrVersion      = errors.New("unsupported encoding version")
	ErrFamily       = errors.New("encoded under another hash family")
	ErrSecret       = errors.New("secret key")
)

// A Detail is the content of an error: the reason, the name of the field, its
// value and the values allowed. The FieldError of each package has the same
// fields, so that a Detail can be converted to it.
type Detail struct {
	Err     error
	Field   string
	Value   any
	Allowed string
}

// Message returns the text of the error, prefixed with the package's name.
func (d Detail) Message(pkg string) string {
	return fmt.Sprintf("%s: %v: %s = %v, want %s", pkg, d.Err, d.Field, d.Value, d.Allowed)
}

// A Maker makes the errors of one package.
type Maker struct {
	Package string             // the prefix of every message
	New     func(Detail) error // converts to the package's FieldError
}

// Field returns an error about a field.
func (m *Maker) Field(err error, field string, value any, allowed string) error {
	return m.New(Detail{err, field, value, allowed})
}

// Errorf returns an error without a field, prefixed with the package's name.
func (m *Maker) Errorf(format string, args ...any) error {
	return fmt.Errorf(m.Package+": "+format, args...)
}

// Nil returns the error of a method that is called on a nil pointer.
func (m *Maker) Nil() error {
	return m.Field(ErrParams, "receiver", "nil", "a pointer to a structure")
}

// NoView returns the error of a method that is called on a nil or zero view.
func (m *Maker) NoView() error {
	return m.Field(ErrParams, "receiver", "a nil or zero view", "one that NewView returned")
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
		return m.Field(ErrParams, "Config.FPRate", rate, "above 0 and below 1")
	}
	if floor := float64(capacity) / (1 << 63) / 2; rate <= floor {
		return m.Field(ErrParams, "Config.FPRate", rate,
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
