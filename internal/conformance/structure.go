package conformance

import (
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"reflect"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// Encoded has the methods of all structures, except for those whose signature
// contains the type of the structure; see [Of].
type Encoded interface {
	Family() hashfam.Family

	frametest.Encoder
	encoding.BinaryUnmarshaler
	encoding.TextUnmarshaler
	io.ReaderFrom

	fmt.Stringer
	slog.LogValuer
}

// A Structure describes how a structure is used, encoded and printed. Type,
// Golden and ClaimHuge must be set, while the other fields can be zero. Most
// methods are found by their signatures; see [Adds].
type Structure struct {
	Type
	// Builders is set if the structure cannot be created empty. It draws
	// parameters and returns all ways to build a structure with them. The built
	// structure must not depend on the order or the repetition of digests.
	Builders func(*rapid.T, hashfam.Family) map[string]Builder

	// Add and Delete return all forms of the methods Add and Delete. They are
	// needed only if the structure does not have exactly the usual forms.
	// Delete returns none if the parameters do not allow deleting.
	Add, Delete func(any) []Form
	// Full is the error of Add and Merge if there is no room for a key, or nil
	// if there always is.
	Full error
	// Questions contains further queries of the structure and its view, besides
	// Contains and Count. A result above 0 means that the key may be contained.
	Questions []func(any) []Form

	// Actions contains further actions.
	Actions map[string]func(*Machine)
	// Invariant is called after every action.
	Invariant func(*Machine)
	// MostCount returns the largest count that the structure can store.
	MostCount func(Encoded) uint64
	// Canonical reports whether the structure depends only on its keys and
	// their counts.
	Canonical func(Encoded) bool
	// GrowsInSteps is true if equal structures can have different SizeBytes,
	// because their arrays have grown in different steps.
	GrowsInSteps bool
	// Large reports whether a structure that was decoded from a short frame has
	// a very long encoding when keys are added. Then tests do not add any.
	Large func(Encoded) bool
	// Remembered returns the keys of Added that must still be found, if the
	// structure forgets keys.
	Remembered func(*Machine) map[string]uint64

	// Golden contains the names of files in testdata that all later versions
	// must decode, and functions that build the encoded structures.
	Golden map[string]func() Encoded
	// ClaimHuge changes encoded parameters to describe a structure of 2^40
	// bits, and returns its payload length in bytes.
	ClaimHuge func(params []byte) (payload uint64)
	// Header reads the parameters, and View opens a view; see [Untyped]. The
	// view must return the same results as the structure, and can be of the
	// structure's type.
	Header func(io.Reader, hashfam.Family) (params any, err error)
	View   func([]byte, hashfam.Family) (view any, err error)
	// Ask returns a function that queries frames of the family.
	Ask func(hashfam.Family) Asker
	// Reads calls further methods that only read, and returns values, some of
	// which contain the structure or its family.
	Reads func(Encoded) []any
}

// A Builder builds a structure from digests.
type Builder = func([]hashfam.Digest) (Encoded, error)

// An Asker queries a frame without creating a view.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// Untyped converts a function that reads parameters or opens a view.
func Untyped[From, To any](open func(From, hashfam.Family) (To, error)) func(From, hashfam.Family) (any, error) {
	return func(from From, fam hashfam.Family) (any, error) { return open(from, fam) }
}

// On returns an action or invariant for a structure and its twin.
func On[S Encoded](do func(m *Machine, f, twin S)) func(*Machine) {
	return func(m *Machine) { do(m, m.F.(S), m.Twin.(S)) }
}

// A Type contains the functions whose signatures contain the type of a
// structure, or of its parameters.
type Type struct {
	zero     func() Encoded
	receiver func(hashfam.Family) Encoded
	equal    func(a, b Encoded) bool                     // b may be nil
	clone    func(Encoded) Encoded                       // or nil
	merge    func(f Encoded, others ...Encoded) error    // or nil
	params   func(f any) any                             // of a structure or its view
	drawn    func(*rapid.T, hashfam.Family) (params any) // or nil
	create   func(params any) (Encoded, error)           // or nil
}

// A pointer is a pointer to a structure.
type pointer[E, S any] interface {
	*E
	Encoded
	Equal(S) bool
}

// Of returns the Type for structures with parameters of type P, which are
// returned by Params or Config.
func Of[P, E any, S pointer[E, S]](receiver func(hashfam.Family) S) Type {
	t := Type{
		zero:     func() Encoded { return S(new(E)) },
		receiver: func(fam hashfam.Family) Encoded { return receiver(fam) },
		equal: func(a, b Encoded) bool {
			other, _ := b.(S) // nil if b is
			return a.(S).Equal(other)
		},
		params: func(f any) any {
			if f, ok := f.(interface{ Config() P }); ok {
				return f.Config()
			}
			return f.(interface{ Params() P }).Params()
		},
	}
	if _, can := t.zero().(interface{ Clone() S }); can {
		t.clone = func(f Encoded) Encoded { return f.(interface{ Clone() S }).Clone() }
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

// Created is like [Of] for structures that are created from parameters.
func Created[P, E any, S pointer[E, S]](receiver func(hashfam.Family) S,
	draw func(*rapid.T, hashfam.Family) P, create func(P) (S, error)) Type {
	t := Of[P](receiver)
	t.drawn = func(t *rapid.T, fam hashfam.Family) any { return draw(t, fam) }
	t.create = func(p any) (Encoded, error) { return create(p.(P)) }
	return t
}

// reads returns the parameters of a structure or its view, and the results of
// the methods without arguments that several structures have, except SizeBytes.
func (t Type) reads(f any) []any {
	return []any{
		t.params(f),
		have(f, func(f interface{ Len() uint64 }) any { return f.Len() }),
		have(f, func(f interface{ Total() uint64 }) any { return f.Total() }),
		have(f, func(f interface{ FillRatio() float64 }) any { return f.FillRatio() }),
		have(f, func(f interface{ EstimatedLen() float64 }) any { return f.EstimatedLen() }),
		have(f, func(f interface{ FalsePositiveRate() float64 }) any { return f.FalsePositiveRate() }),
	}
}

// sizeBytes returns the result of SizeBytes of a structure or its view, or nil.
func sizeBytes(f any) any {
	return have(f, func(f interface{ SizeBytes() uint64 }) any { return f.SizeBytes() })
}

// have returns the result of call, or nil if f does not have the method.
func have[I any](f any, call func(I) any) any {
	if f, ok := f.(I); ok {
		return call(f)
	}
	return nil
}

// like returns a structure with the same parameters.
func (t Type) like(f Encoded) Encoded { return made(t.create(t.params(f))) }

func made[T any](f T, err error) T {
	if err != nil {
		panic(err)
	}
	return f
}

// variants returns structures that differ from f in one parameter, with the
// name of the parameter, or with "" if other parameters depend on it and
// differ, too. It leaves out structures that cannot be created.
func (t Type) variants(f Encoded) map[Encoded]string {
	p := reflect.ValueOf(t.params(f))
	found := map[Encoded]string{}
	for _, field := range reflect.VisibleFields(p.Type()) {
		for _, value := range otherValues(p.FieldByIndex(field.Index)) {
			q := reflect.New(p.Type()).Elem()
			q.Set(p)
			q.FieldByIndex(field.Index).Set(reflect.ValueOf(value).Convert(field.Type))
			g, err := t.create(q.Interface())
			switch {
			case err != nil || t.params(g) == p.Interface():
			case t.params(g) == q.Interface():
				found[g] = field.Name
			default:
				found[g] = ""
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
	case v.CanInt() || v.CanUint():
		n := v.Convert(reflect.TypeFor[int64]()).Int()
		return []any{n + 1, n + 2, n * 2, n / 2, n + 1<<14}
	case v.CanFloat():
		return []any{v.Float() * 0.999, v.Float() / 2}
	case v.Kind() == reflect.Bool:
		return []any{!v.Bool()}
	}
	return []any{v.Interface().(hashfam.Family).Derive("another")}
}

// Filled returns a function for Golden that adds the keys "key 0" to "key n-1".
func Filled[P any, S Encoded](create func(P) (S, error), p P, n int) func() Encoded {
	return func() Encoded {
		f := made(create(p))
		made(Adds(f)[0].do(numbered(0, n)...))
		return f
	}
}
