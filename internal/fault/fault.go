// Package fault creates the errors of all structures.
package fault

import (
	"cmp"
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

// Zero returns the panic value if a zero value of the type name is used. It
// should be stored in a variable, so that methods that panic can be inlined.
func (m *Maker) Zero(name, make string) any {
	return m.Package + ": use of a zero " + name + ": make it with " + make
}

// RateRange describes the allowed rates, which are not percentages.
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

// Fits returns an error with the given reason if the structure that follows
// from a field is larger than this platform allows. Plans may be larger.
func (m *Maker) Fits(reason error, field string, value any, bytes uint64) error {
	if bytes <= sizing.MaxBytes {
		return nil
	}
	return m.Field(reason, field, value, fmt.Sprintf(
		"at most %d bytes, which this platform can hold, instead of %d", uint64(sizing.MaxBytes), bytes))
}

// Budget sizes a structure using a key count n, a rate and a memory limit in
// bytes. One of the three can be zero, which means that it is not given.
// Without a rate the result has the lowest rate for n keys, and without n the
// largest n at the rate. When all three are given, the result is the smallest
// structure with the rate, or any that has the rate and fits. If there is none,
// the error names the memory that is needed and the rate that fits. least
// returns the smallest structure for n keys at a rate. within returns the
// structure with the lowest rate for n keys in a memory; if there is none,
// RateAt must be NaN.
func Budget[P interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
}](m *Maker, n uint64, rate float64, bytes uint64, least func(n uint64, rate float64) (P, error), within func(n, bytes uint64) P) (p P, err error) {
	if err := m.given(n, rate, bytes); err != nil {
		return p, err
	}
	lowest := func(n uint64) float64 { return within(n, bytes).RateAt(n) }
	if n == 0 {
		if n = sizing.LargestWithin(rate, min(bytes, sizing.MaxBits/8), lowest); n > 0 {
			return within(n, bytes), nil
		}
		n = 1 // for the error
	}
	if bytes == 0 {
		return least(n, rate)
	}
	wanted := cmp.Or(rate, 0.5) // 0.5 is for the error, if there is no rate below 1
	small, err := least(n, wanted)
	if err == nil && rate != 0 && small.SizeBytes() <= bytes {
		return small, nil
	}
	if best := lowest(n); best <= rate || rate == 0 && best < 1 {
		return within(n, bytes), nil
	} else if err == nil {
		err = m.Field(hashfam.ErrParams, "Config.MemoryBytes", bytes, NeedBytes(small.SizeBytes(), wanted, best))
	}
	return p, err
}

// given returns an error unless two arguments of [Budget] are given and valid.
func (m *Maker) given(n uint64, rate float64, bytes uint64) error {
	switch {
	case n == 0 && (rate == 0 || bytes == 0):
		return m.Field(hashfam.ErrParams, "Config.Capacity", n, "at least 1, or both FPRate and MemoryBytes")
	case rate == 0 && bytes == 0:
		return m.Field(hashfam.ErrParams, "Config.FPRate", rate, "above 0 and below 1, or MemoryBytes")
	case rate == 0 && n >= 1<<63:
		return m.Field(hashfam.ErrParams, "Config.Capacity", n, "below 2^63, for digests of 64 bits")
	case rate != 0:
		return m.Rate(rate, max(1, n))
	}
	return nil
}

// NeedBytes describes the memory that a rate needs, and the rate that fits,
// rounded up to three digits.
func NeedBytes(bytes uint64, rate, fits float64) string {
	need := fmt.Sprintf("at least %d for FPRate %g", bytes, rate)
	if fits *= 1.006; fits < 1 {
		need += fmt.Sprintf(", or FPRate %.3g", fits)
	}
	return need
}
