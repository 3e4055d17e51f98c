// Package merge helps structures to merge others into themselves.
package merge

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// Apart returns others, but with a copy of mine in place of mine, so that the
// other structures do not change while mine does. It copies mine at most once,
// and only if it is one of the others.
func Apart[T comparable](mine T, others []T, clone func(T) T) []T {
	if !slices.Contains(others, mine) {
		return others
	}
	apart := slices.Clone(others)
	before := clone(mine)
	for i, other := range apart {
		if other == mine {
			apart[i] = before
		}
	}
	return apart
}

// Mergeable returns ErrIncompatible if the parameters of other structures
// differ from mine, or if one of these is nil. The error names the first
// different field, and the index in others if there are several.
func Mergeable[T any, P comparable](m *fault.Maker, name string, mine P, others []*T, params func(*T) P) error {
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
// error names the first different field, with name as a prefix. If place is not
// empty, it says where the other structure is, and precedes name. Same uses
// reflection, so that no field is forgotten.
func Same[P comparable](m *fault.Maker, place, name string, mine, other P) error {
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
