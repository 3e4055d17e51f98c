package conformance

import (
	"reflect"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Source makes empty structures. [From] returns one for a structure that is
// made from parameters.
type Source[S any] struct {
	// Draw draws an empty structure of the family.
	Draw func(*rapid.T, hashfam.Family) S
	// Like returns an empty structure with the same parameters.
	Like func(S) S
	// Variants returns structures that differ from the argument in a parameter.
	Variants func(S) []Variant[S]
}

// A Variant differs from another structure in a parameter. It has the name of
// the parameter, or none if other parameters follow from it.
type Variant[S any] struct {
	F     S
	Field string
}

// From returns a Source of structures with parameters that draw draws, with
// which create makes a structure, and which params returns. Variants change one
// field each; those for which create returns an error are left out.
func From[S, P comparable](draw func(*rapid.T, hashfam.Family) P, create func(P) (S, error), params func(S) P) Source[S] {
	must := func(p P) S {
		f, err := create(p)
		if err != nil {
			panic(err)
		}
		return f
	}
	return Source[S]{
		Draw:     func(t *rapid.T, fam hashfam.Family) S { return must(draw(t, fam)) },
		Like:     func(f S) S { return must(params(f)) },
		Variants: func(f S) []Variant[S] { return variants(params(f), create, params) },
	}
}

// variants returns structures of which one parameter differs from p.
func variants[S, P comparable](p P, create func(P) (S, error), params func(S) P) (found []Variant[S]) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[P]()) {
		for _, value := range otherValues(reflect.ValueOf(p).FieldByIndex(field.Index)) {
			q := p
			reflect.ValueOf(&q).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(value).Convert(field.Type))
			g, err := create(q)
			switch {
			case err != nil || params(g) == p:
			case params(g) == q:
				found = append(found, Variant[S]{g, field.Name})
			default:
				found = append(found, Variant[S]{g, ""})
			}
		}
	}
	return found
}

// otherValues returns values for an exported field that has the value v.
func otherValues(v reflect.Value) []any {
	switch {
	case !v.CanInterface():
		return nil
	case v.CanInt():
		return []any{v.Int() + 1, v.Int() - 1, v.Int() * 2, v.Int() / 2, v.Int() + 1<<14}
	case v.CanUint():
		return []any{v.Uint() + 1, v.Uint() + 2, v.Uint() * 2, v.Uint() / 2}
	case v.CanFloat():
		return []any{v.Float() * 0.999, v.Float() / 2}
	case v.Kind() == reflect.Bool:
		return []any{!v.Bool()}
	}
	return []any{v.Interface().(hashfam.Family).Derive("another")}
}
