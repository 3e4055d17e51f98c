package conform

import (
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Structure has the methods that all structures have in common. T is the type
// itself, a pointer.
type Structure[T any] interface {
	comparable
	Family() hashfam.Family
	Equal(T) bool

	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	io.WriterTo
	io.ReaderFrom
	encoding.TextMarshaler
	encoding.TextUnmarshaler

	fmt.Stringer
	slog.LogValuer
}

// Methods that not all structures have. Those that take keys are in the files
// forms.go and questions.go.
type (
	cloner[T any] interface{ Clone() T }
	resetter      interface{ Reset() }
	merger[T any] interface{ Merge(others ...T) error }
)

// An Encoded declares what the suite cannot find out by itself about a
// structure of any kind. Fields that do not apply are nil.
type Encoded[T Structure[T]] struct {
	// Receiver returns a receiver to decode structures of the family into.
	Receiver func(hashfam.Family) T
	// ClaimHuge overwrites the parameters in a frame with those of a structure
	// of 2^40 bits, and returns the length of its payload in bytes.
	ClaimHuge func(params []byte) (payload uint64)
	// Golden has the files that all later versions must decode.
	Golden []Golden[T]

	// ReadParams reads the parameters in an encoded structure, see [Reader].
	ReadParams func(io.Reader, hashfam.Family) (any, error)
	// View returns a view of an encoded structure, see [Viewer].
	View func([]byte, hashfam.Family) (View[T], error)
	// Questions finds questions besides those of the suite, see [Estimates].
	Questions func(structure any) []question
	// Shown returns other values that contain the family, such as a Config.
	// They must not show its key.
	Shown func(hashfam.Family) []any
	// Writes has the names of methods without arguments, or with another
	// structure as the only one, that change the structure. Reset and Intersect
	// need not be named. All others are taken for reads.
	Writes []string
	// Own has the names of methods that look like a form of a key that the
	// suite does not know, but are not.
	Own []string

	// fill draws a structure of the family. It returns the keys that it
	// contains.
	fill func(*rapid.T, hashfam.Family) (T, [][]byte)
}

// A Golden is a file in testdata that all later versions must decode.
type Golden[T any] struct {
	File  string
	Build func() T // the structure that the file encodes
}

// A View is a read-only view of an encoded structure.
type View[T any] interface {
	Family() hashfam.Family
	Verify() error
	Decode() (T, error)
}

// Viewer returns open for [Encoded].View.
func Viewer[T any, V View[T]](open func([]byte, hashfam.Family) (V, error)) func([]byte, hashfam.Family) (View[T], error) {
	return func(data []byte, fam hashfam.Family) (View[T], error) { return open(data, fam) }
}

// Reader returns read for [Encoded].ReadParams.
func Reader[P any](read func(io.Reader, hashfam.Family) (P, error)) func(io.Reader, hashfam.Family) (any, error) {
	return func(r io.Reader, fam hashfam.Family) (any, error) { return read(r, fam) }
}

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
		Like: func(f T) T { return must(parameters(f).(P)) },
		Variants: func(f T) (variants []Variant[T]) {
			p := parameters(f).(P)
			for _, c := range changes(p) {
				g, err := create(c.params)
				switch {
				case err != nil || parameters(g) == any(p):
					continue
				case parameters(g) != any(c.params):
					c.field = "" // other fields follow from it
				}
				variants = append(variants, Variant[T]{g, c.field})
			}
			return variants
		},
	}
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

// A change is parameters of which one field has another value.
type change[P any] struct {
	params P
	field  string
}

// changes returns p with other values of each field in turn.
func changes[P any](p P) (changed []change[P]) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[P]()) {
		if !field.IsExported() {
			continue
		}
		for _, value := range otherValues(reflect.ValueOf(p).FieldByIndex(field.Index)) {
			q := p
			reflect.ValueOf(&q).Elem().FieldByIndex(field.Index).Set(value.Convert(field.Type))
			changed = append(changed, change[P]{q, field.Name})
		}
	}
	return changed
}

// otherValues returns values that differ from v.
func otherValues(v reflect.Value) (values []reflect.Value) {
	switch {
	case v.CanInt():
		for _, n := range []int64{v.Int() + 1, v.Int() - 1, v.Int() * 2, v.Int() / 2, v.Int() + 1<<14} {
			values = append(values, reflect.ValueOf(n))
		}
	case v.CanUint():
		for _, n := range []uint64{v.Uint() + 1, v.Uint() + 2, v.Uint() * 2, v.Uint() / 2} {
			values = append(values, reflect.ValueOf(n))
		}
	case v.CanFloat():
		values = append(values, reflect.ValueOf(v.Float()*0.999), reflect.ValueOf(v.Float()/2))
	case v.Kind() == reflect.Bool:
		values = append(values, reflect.ValueOf(!v.Bool()))
	default:
		if fam, is := v.Interface().(hashfam.Family); is {
			values = append(values, reflect.ValueOf(fam.Derive("another")))
		}
	}
	return slices.DeleteFunc(values, func(w reflect.Value) bool {
		same := w.Convert(v.Type())
		return same.Equal(v) || v.CanInt() && same.Int() != w.Int() || v.CanUint() && same.Uint() != w.Uint()
	})
}

// A property is a named check of random structures.
type property struct {
	name  string
	check func(*rapid.T)
}

// A fixed test is a named check that needs no random input.
type fixed struct {
	name  string
	check func(*testing.T)
}

func run(t *testing.T, properties []property, tests []fixed) {
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) { rapid.Check(t, p.check) })
	}
	for _, test := range tests {
		t.Run(test.name, test.check)
	}
}

// run runs the properties of all structures as subtests.
func (e Encoded[T]) run(t *testing.T) {
	run(t, []property{
		{"structures are equal if their encodings are", e.equality},
		{"another version, kind or family is an error", e.wrongHeader},
		{"a stream can hold several frames", e.streams},
		{"reads are pure and may run at the same time", e.pureReads},
		{"views give the answers of the structure", e.views},
		{"parameters are read from the header", e.readParams},
		{"text round-trips and damage is detected", e.texts},
		{"no output shows the key", e.secrets},
		{"no query allocates", e.allocations},
	}, []fixed{
		{"a claimed length allocates no memory", e.lyingLength},
		{"every truncation and every flipped bit is detected", e.everyDamage},
		{"golden files are decoded", e.golden},
		{"a read that fails at any byte leaves the receiver unchanged", e.failingReaders},
		{"a write that fails at any byte tells how much was written", e.failingWriters},
		{"a zero value decodes and is not encoded", e.zeroValue},
		{"every form of a key is one that the suite knows", e.knownForms},
	})
}

// example returns a structure of the family with some keys, always the same.
func (e Encoded[T]) example(fam hashfam.Family) (f T) {
	for seed, keys := 0, [][]byte{}; len(keys) < 5; seed++ {
		f = drawn(seed, func(t *rapid.T) T {
			f, in := e.fill(t, fam)
			keys = in
			return f
		})
	}
	return f
}

// drawn returns what draw returns for a seed.
func drawn[T any](seed int, draw func(*rapid.T) T) T {
	return rapid.Custom(func(t *rapid.T) T {
		rapid.Bool().Draw(t, "one draw at least, which Custom requires")
		return draw(t)
	}).Example(seed)
}
