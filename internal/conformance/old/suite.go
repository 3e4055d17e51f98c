package old

import (
	"bytes"
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
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

// Methods that not all structures have. Those that take keys are in the file
// forms.go.
type (
	cloner[T any] interface{ Clone() T }
	resetter      interface{ Reset() }
	merger[T any] interface{ Merge(others ...T) error }
)

// A Suite declares what is special about a structure. It has a Source if keys
// are added to the structure, and Builders if it is built from a set of keys.
// Other fields that do not apply are nil.
type Suite[T Structure[T]] struct {
	// Source makes empty structures, see [From].
	Source Source[T]
	// Larger draws larger structures than those of the Source, for programs.
	Larger func(*rapid.T, hashfam.Family) T
	// Builders draws parameters of the family and returns all ways to build a
	// structure with them, such as by several workers or from a sorted
	// sequence. The way must not matter. Digests may be repeated.
	Builders func(*rapid.T, hashfam.Family) []func([]hashfam.Digest) (T, error)

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
	View func([]byte, hashfam.Family) (*opened[T], error)
	// Ask returns what answers from structures that are encoded under the
	// family.
	Ask func(hashfam.Family) Asker
	// Questions finds questions besides those of the suite, see [Estimates].
	Questions func(structure any, fam hashfam.Family) [][]form
	// Shown returns other values that contain the family, such as a Config.
	// They must not show its key.
	Shown func(hashfam.Family) []any
	// Writes has the names of methods without arguments, or with another
	// structure as the only one, that change the structure. Reset and Intersect
	// need not be named. All others are taken for reads.
	Writes []string

	// Canonical reports whether a structure depends only on the multiset of its
	// keys, so that it equals the one that they are added to one by one, and
	// the empty one after all are deleted. Nil stands for never.
	Canonical func(T) bool
	// Deletes reports whether a structure with methods that delete keys can do
	// so with its parameters. Nil stands for always.
	Deletes func(T) bool
	// More are further operations of programs.
	More []func(*Run[T])
	// Remembered returns the keys that must be found, of those in the log of a
	// run, if the structure forgets.
	Remembered func(*Run[T]) map[string]uint64
	// Check checks what must be true after every operation of a program.
	Check func(*Run[T])

	forged bool // the structure was decoded from a changed frame
}

// A Golden is a file in testdata that all later versions must decode.
type Golden[T any] struct {
	File  string
	Build func() T // the structure that the file encodes
}

// A View is a read-only view of an encoded structure.
type View[T any] interface {
	familiar
	Verify() error
	Decode() (T, error)
}

// An opened view has the questions that it can answer.
type opened[T any] struct {
	View[T]
	questions func() [][]form
}

// Viewer returns open for [Suite].View.
func Viewer[T any, V View[T]](open func([]byte, hashfam.Family) (V, error)) func([]byte, hashfam.Family) (*opened[T], error) {
	return func(data []byte, fam hashfam.Family) (*opened[T], error) {
		v, err := open(data, fam)
		if err != nil {
			return nil, err
		}
		return &opened[T]{v, func() [][]form { return questionsOf(v) }}, nil
	}
}

// An Asker answers from an encoded structure without opening it.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// Reader returns read for [Suite].ReadParams.
func Reader[P any](read func(io.Reader, hashfam.Family) (P, error)) func(io.Reader, hashfam.Family) (any, error) {
	return func(r io.Reader, fam hashfam.Family) (any, error) { return read(r, fam) }
}

// Run runs all properties as subtests: those of random bytes, of random
// structures, and of the golden files.
func (s Suite[T]) Run(t *testing.T) {
	t.Run("any program does what it does to a multiset", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { s.program(t, &Code{drawCode(t, 128)}) })
	})
	t.Run("a changed frame with correct checksums is decoded or rejected", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			for range 5 { // most are rejected, and take little time
				s.forgeries(t, &Code{drawCode(t, 64)})
			}
		})
	})
	for name, check := range s.properties() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f, keys := s.fill(t, rapid.SampledFrom(families).Draw(t, "family"))
				check(t, f, keys)
			})
		})
	}
	for name, check := range s.tests() {
		t.Run(name, check)
	}
}

// draw draws two equal structures of the family, made in any ways, and the keys
// that they contain.
func (s Suite[T]) draw(t *rapid.T, fam hashfam.Family) (f, twin T, keys [][]byte) {
	if s.Builders == nil {
		f = s.Source.Fresh(t, fam)
		return f, s.Source.Like(f), nil
	}
	keys = drawKeys(t)
	builders := s.Builders(t, fam)
	f, err := builders[0](fam.SumAll(nil, keys))
	require.NoError(t, err)
	if len(keys) > 0 {
		keys = append(rapid.Permutation(keys).Draw(t, "order"), rapid.SliceOfN(rapid.SampledFrom(keys), 0, 10).Draw(t, "copies")...)
	}
	twin, err = rapid.SampledFrom(builders).Draw(t, "way to build")(fam.SumAll(nil, keys))
	require.NoError(t, err)
	return f, twin, keys
}

// properties returns the checks of random structures and the keys in them.
func (s Suite[T]) properties() map[string]func(t *rapid.T, f T, keys [][]byte) {
	return map[string]func(t *rapid.T, f T, keys [][]byte){
		"structures that differ in one parameter are neither equal nor merged": s.incompatible,
		"structures are equal if their encodings are":                          s.equality,
		"another version, kind or family is an error":                          s.wrongHeader,
		"reads are pure and may run at the same time":                          s.pureReads,
		"views and frames give the answers of the structure":                   s.views,
		"parameters are read from the header":                                  s.readParams,
		"text round-trips and damage is detected":                              s.texts,
		"no output shows the key":                                              s.secrets,
		"no query and no insertion allocates":                                  s.allocations,
	}
}

// tests returns the checks without random input, most of them of the golden
// files.
func (s Suite[T]) tests() map[string]func(*testing.T) {
	each := func(check func(t *testing.T, golden Golden[T], encoded []byte)) func(*testing.T) {
		return func(t *testing.T) {
			require.NotEmpty(t, s.Golden)
			for _, g := range s.Golden {
				check(t, g, encode(t, g.Build()))
			}
		}
	}
	return map[string]func(*testing.T){
		"golden files are decoded":                                    each(s.golden),
		"every truncation and every flipped bit is detected":          each(s.everyDamage),
		"a read that fails at any byte leaves the receiver unchanged": each(s.failingReaders),
		"a write that fails at any byte tells how much was written":   each(s.failingWriters),
		"a claimed length allocates no memory":                        s.lyingLength,
		"a zero value decodes and is not encoded":                     s.zeroValue,
		"every form of a key is one that the suite knows":             s.knownForms,
	}
}

// fill draws a structure of the family and adds some keys. It returns those
// that it contains.
func (s Suite[T]) fill(t *rapid.T, fam hashfam.Family) (T, [][]byte) {
	f, twin, keys := s.draw(t, fam)
	if s.Builders == nil {
		return f, fillUp(f, drawKeys(t))
	}
	require.True(t, f.Equal(twin), "the way to build matters")
	return f, keys
}

// insert adds keys as bytes, one by one, until one fails.
func insert[T Structure[T]](f T, keys ...[]byte) (int, error) {
	return forms(f, insertions...)[0].do(keys...)
}

// fillUp adds keys to f and returns those for which there was room.
func fillUp[T Structure[T]](f T, keys [][]byte) (in [][]byte) {
	for _, key := range keys {
		if _, err := insert(f, key); err == nil {
			in = append(in, key)
		}
	}
	return in
}

// example returns a structure of the family with some keys, always the same.
func (s Suite[T]) example(fam hashfam.Family) (f T) {
	for seed, keys := 0, [][]byte{}; len(keys) < 5; seed++ {
		f = drawn(seed, func(t *rapid.T) T {
			f, in := s.fill(t, fam)
			keys = in
			return f
		})
	}
	return f
}

// equality checks that two structures are equal if and only if their encodings
// are.
func (s Suite[T]) equality(t *rapid.T, f T, _ [][]byte) {
	g, _ := s.fill(t, rapid.SampledFrom([]hashfam.Family{f.Family(), f.Family().Derive("another")}).Draw(t, "other family"))
	same := bytes.Equal(encode(t, f), encode(t, g))
	require.Equal(t, []bool{same, same, true}, []bool{f.Equal(g), g.Equal(f), f.Equal(f)})
}

// incompatible checks that structures that differ in one parameter are not
// equal, and that merging them, alone or with others, fails, names the
// parameter, and changes neither.
func (s Suite[T]) incompatible(t *rapid.T, f T, in [][]byte) {
	if s.Source.Variants == nil {
		return
	}
	empty, valid := s.Source.Like(f), s.Source.Like(f)
	insert(valid, []byte("key"))
	variants := s.Source.Variants(empty)
	require.NotEmpty(t, variants)
	for v, field := range variants {
		require.False(t, v.Equal(empty) || empty.Equal(v), field)
		m, can := any(f).(merger[T])
		if !can {
			continue
		}
		fillUp(v, in)
		for place, others := range [][]T{{v}, {valid, v}, {valid, valid, v, valid}} {
			own, other := encode(t, f), encode(t, v)
			err := m.Merge(others...)
			require.ErrorIs(t, err, hashfam.ErrIncompatible, "another %s", field)
			require.ErrorContains(t, err, field)
			if place > 0 {
				require.ErrorContains(t, err, fmt.Sprintf("others[%d]", place))
			}
			require.Equal(t, own, encode(t, f), "a failed merge changed the structure")
			require.Equal(t, other, encode(t, v), "a failed merge changed the argument")
		}
	}
}
