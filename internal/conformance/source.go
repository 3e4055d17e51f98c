package conformance

import (
	"reflect"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Type contains the operations whose signatures contain the structure's own
// type. clone and merge are nil if there are no such methods.
type Type struct {
	zero     func() Encoded
	receiver func(hashfam.Family) Encoded
	equal    func(a, b Encoded) bool
	clone    func(Encoded) Encoded
	merge    func(f Encoded, others ...Encoded) error
	value    func(f Encoded) any // what f points to
}

// Of returns the Type for structures with these receivers.
func Of[E any, S interface {
	*E
	Encoded
	Equal(S) bool
}](receiver func(hashfam.Family) S) Type {
	t := Type{
		zero:     func() Encoded { return S(new(E)) },
		receiver: func(fam hashfam.Family) Encoded { return receiver(fam) },
		equal:    func(a, b Encoded) bool { return a.(S).Equal(b.(S)) },
		value:    func(f Encoded) any { return *f.(S) },
	}
	if _, can := t.zero().(interface{ Clone() S }); can {
		t.clone = func(f Encoded) Encoded { return any(f.(interface{ Clone() S }).Clone()).(Encoded) }
	}
	if _, can := t.zero().(interface{ Merge(...S) error }); can {
		t.merge = func(f Encoded, others ...Encoded) error {
			list := make([]S, len(others))
			for i, other := range others {
				list[i] = other.(S)
			}
			return f.(interface{ Merge(...S) error }).Merge(list...)
		}
	}
	return t
}

// A Source creates empty structures, see [From].
type Source struct {
	params func(*rapid.T, hashfam.Family) any
	create func(params any) (Encoded, error)
	of     func(Encoded) (params any)
}

// From returns a Source for structures with parameters of type P.
func From[S Encoded, P comparable](draw func(*rapid.T, hashfam.Family) P, create func(P) (S, error), params func(S) P) Source {
	return Source{
		params: func(t *rapid.T, fam hashfam.Family) any { return draw(t, fam) },
		create: func(p any) (Encoded, error) { return create(p.(P)) },
		of:     func(f Encoded) any { return params(f.(S)) },
	}
}

// Params returns the parameters of f.
func (s Source) Params(f Encoded) any { return s.of(f) }

// draw draws a structure of the family.
func (s Source) draw(t *rapid.T, fam hashfam.Family) Encoded { return s.made(s.params(t, fam)) }

// like returns a structure with the same parameters.
func (s Source) like(f Encoded) Encoded { return s.made(s.of(f)) }

func (s Source) made(params any) Encoded {
	f, err := s.create(params)
	if err != nil {
		panic(err)
	}
	return f
}

// A variant has another value in a field. The name is empty if further
// parameters depend on this field.
type variant struct {
	Encoded
	field string
}

// variants returns structures in which one parameter is different. It leaves
// out those that cannot be created.
func (s Source) variants(f Encoded) (found []variant) {
	p := reflect.ValueOf(s.of(f))
	for _, field := range reflect.VisibleFields(p.Type()) {
		for _, value := range otherValues(p.FieldByIndex(field.Index)) {
			q := reflect.New(p.Type()).Elem()
			q.Set(p)
			q.FieldByIndex(field.Index).Set(reflect.ValueOf(value).Convert(field.Type))
			g, err := s.create(q.Interface())
			switch {
			case err != nil || s.of(g) == p.Interface():
			case s.of(g) == q.Interface():
				found = append(found, variant{g, field.Name})
			default:
				found = append(found, variant{g, ""})
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
