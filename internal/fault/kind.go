package fault

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/filterfam/filterfam/hashfam"
)

// A Kind says how errors name the structures S of a package, which have the
// parameters P, if they cannot be merged.
type Kind[S any, P comparable] struct {
	Errs        *Maker
	Name        string // of the type
	One         string // structure, with an article if it has one
	Constructor string
	Params      string // the name of the parameters

	// Of returns the parameters of a structure, and whether it is zero.
	Of func(s *S) (params P, zero bool)
}

// Compatible returns an error if other cannot be merged into mine: if one of
// them is nil, if only one is zero, or if their parameters differ. place is
// that of other among several, as for [Each].
func (k *Kind[S, P]) Compatible(place string, mine, other *S) error {
	name := cmp.Or(place, "other")
	if mine == nil {
		return k.Errs.Nil()
	}
	if other == nil {
		return k.Whole(hashfam.ErrIncompatible, name, nil)
	}
	p, zero := k.Of(mine)
	q, _ := k.Of(other)
	if p == q {
		return nil
	}
	if zero {
		return k.Errs.Zero(hashfam.ErrParams, "receiver", k.Name, k.Constructor)
	}
	if err := k.Whole(hashfam.ErrIncompatible, name, other); err != nil {
		return err
	}
	return Same(k.Errs, place, k.Params, p, q)
}

// Whole returns an error with the given reason if s, which has that name in the
// call, is nil or zero.
func (k *Kind[S, P]) Whole(reason error, name string, s *S) error {
	if s == nil {
		return k.Errs.Field(reason, name, "nil", k.One)
	}
	if _, zero := k.Of(s); zero {
		return k.Errs.Zero(reason, name, k.Name, k.Constructor)
	}
	return nil
}

// Same returns ErrIncompatible with the first field in which the parameters of
// two structures differ, or nil if they are equal. place is that of the other
// one, as for [Each], and name is the name of the parameters in the message.
// Same compares every field by reflection, so that a new field cannot be
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
	return m.Field(hashfam.ErrIncompatible, name, other, fmt.Sprint(mine)) // such as a Phi that is not a number
}
