package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Source makes empty structures. [From] returns one for a structure that is
// made from parameters.
type Source[T any] struct {
	// Fresh draws a small structure of the family with any parameters.
	Fresh func(*rapid.T, hashfam.Family) T
	// Like returns a structure with the same parameters.
	Like func(T) T
	// Variants returns structures, each of which differs from the argument in
	// one parameter; nil if there are none.
	Variants func(T) []Variant[T]
}

// A Variant is a structure with another value of one parameter. If Field is not
// empty, it is the only parameter that is different.
type Variant[T any] struct {
	Structure T
	Field     string
}

// From returns a Source of structures with parameters that draw draws and with
// which create makes a structure. P is a struct with a field Family. Structures
// return their parameters by a method Params or Config. Variants change one
// field each; those for which create returns an error are left out.
func From[T any, P comparable](draw func(*rapid.T) P, create func(P) (T, error)) Source[T] {
	must := func(p P) T {
		f, err := create(p)
		if err != nil {
			panic(err)
		}
		return f
	}
	return Source[T]{
		Fresh: func(t *rapid.T, fam hashfam.Family) T {
			p := draw(t)
			reflect.ValueOf(&p).Elem().FieldByName("Family").Set(reflect.ValueOf(fam))
			return must(p)
		},
		Like:     func(f T) T { return must(parameters(f).(P)) },
		Variants: func(f T) []Variant[T] { return variants(parameters(f).(P), create) },
	}
}

// variants returns structures of which one parameter differs from p.
func variants[T any, P comparable](p P, create func(P) (T, error)) (list []Variant[T]) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[P]()) {
		for _, value := range otherValues(reflect.ValueOf(p).FieldByIndex(field.Index)) {
			q := p
			reflect.ValueOf(&q).Elem().FieldByIndex(field.Index).Set(value)
			g, err := create(q)
			switch {
			case err != nil || parameters(g) == any(p):
			case parameters(g) == any(q):
				list = append(list, Variant[T]{g, field.Name})
			default: // other fields follow from it
				list = append(list, Variant[T]{g, ""})
			}
		}
	}
	return list
}

// Cached returns create with a memory, for structures that take long to plan.
// They need a method Clone.
func Cached[T cloner[T], P comparable](create func(P) (T, error)) func(P) (T, error) {
	var made sync.Map
	return func(p P) (T, error) {
		if f, ok := made.Load(p); ok {
			return f.(T).Clone(), nil
		}
		f, err := create(p)
		if err == nil {
			made.Store(p, f.Clone())
		}
		return f, err
	}
}

// parameters returns what f's method Params or Config returns.
func parameters(f any) any {
	for _, name := range []string{"Params", "Config"} {
		if m := reflect.ValueOf(f).MethodByName(name); m.IsValid() {
			return m.Call(nil)[0].Interface()
		}
	}
	panic(fmt.Sprintf("%T has neither Params nor Config", f))
}

// otherValues returns values of an exported field that differ from v.
func otherValues(v reflect.Value) (values []reflect.Value) {
	switch {
	case !v.CanInterface():
	case v.CanInt():
		for _, n := range []int64{v.Int() + 1, v.Int() - 1, v.Int() * 2, v.Int() / 2, v.Int() + 1<<14} {
			values = append(values, reflect.ValueOf(n))
		}
	case v.CanUint():
		for _, n := range []uint64{v.Uint() + 1, v.Uint() + 2, v.Uint() * 2, v.Uint() / 2} {
			values = append(values, reflect.ValueOf(n))
		}
	case v.CanFloat():
		values = []reflect.Value{reflect.ValueOf(v.Float() * 0.999), reflect.ValueOf(v.Float() / 2)}
	case v.Kind() == reflect.Bool:
		values = []reflect.Value{reflect.ValueOf(!v.Bool())}
	case v.Type() == reflect.TypeFor[hashfam.Family]():
		values = []reflect.Value{reflect.ValueOf(v.Interface().(hashfam.Family).Derive("another"))}
	}
	for i := range values {
		values[i] = values[i].Convert(v.Type())
	}
	return slices.DeleteFunc(values, v.Equal)
}
