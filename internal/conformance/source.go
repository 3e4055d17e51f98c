package conformance

import (
	"reflect"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Source creates empty structures, see [From].
type Source[S any] struct {
	// Draw draws a structure of the family.
	Draw func(*rapid.T, hashfam.Family) S
	// Like returns a structure with the same parameters.
	Like func(S) S
	// Variants returns structures with one different parameter.
	Variants func(S) []Variant[S]
}

// A Variant has another value in Field. Field is empty if further parameters
// depend on it.
type Variant[S any] struct {
	F     S
	Field string
}

// From returns a Source for structures with parameters of type P. Variants
// change one field, and are left out if create returns an error.
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

// otherValues returns other values for an exported field.
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
