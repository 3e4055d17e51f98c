// Package merge helps structures to merge others into themselves.
package merge

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// Apart returns others with each occurrence of mine replaced by a copy, so that
// a merge can change mine while it reads the others. It copies mine at most
// once, and only if others contains it.
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
// differ from mine, or if one of these structures is nil. The error names the
// first different field, and the index in others if there are several.
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
// error names the first different field, for example "others[1]: Params.Bits"
// if place is "others[1]", which may also be empty, and name is "Params". Same
// uses reflection, so that no field is forgotten.
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
	return m.Field(hashfam.ErrIncompatible, name, other, fmt.Sprint(mine)) // only unexported fields differ
}
