package conformance

import (
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
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

// Methods that not all structures have. Those that take keys are in the files
// forms.go and questions.go.
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
	View func([]byte, hashfam.Family) (View[T], error)
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
	Family() hashfam.Family
	Verify() error
	Decode() (T, error)
}

// An Asker answers from an encoded structure without opening it.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// Viewer returns open for [Suite].View.
func Viewer[T any, V View[T]](open func([]byte, hashfam.Family) (V, error)) func([]byte, hashfam.Family) (View[T], error) {
	return func(data []byte, fam hashfam.Family) (View[T], error) { return open(data, fam) }
}

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
			for range 10 { // most are rejected, and take little time
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
		"the empty key is a valid key":                                         s.emptyKey,
		"structures that differ in one parameter are neither equal nor merged": s.incompatible,
		"structures are equal if their encodings are":                          s.equality,
		"another version, kind or family is an error":                          s.wrongHeader,
		"a stream can hold several frames":                                     s.streams,
		"reads are pure and may run at the same time":                          s.pureReads,
		"views give the answers of the structure":                              s.views,
		"an encoded structure is asked as it is":                               s.asks,
		"parameters are read from the header":                                  s.readParams,
		"text round-trips and damage is detected":                              s.texts,
		"no output shows the key":                                              s.secrets,
		"no query and no insertion allocates":                                  s.allocations,
	}
}

// tests returns the checks without random input, most of them of the golden
// files.
func (s Suite[T]) tests() map[string]func(*testing.T) {
	each := func(check func(t *testing.T, golden T, encoded []byte)) func(*testing.T) {
		return func(t *testing.T) {
			for _, g := range s.Golden {
				check(t, g.Build(), encode(t, g.Build()))
			}
		}
	}
	return map[string]func(*testing.T){
		"every truncation and every flipped bit is detected":          each(s.everyDamage),
		"a read that fails at any byte leaves the receiver unchanged": each(s.failingReaders),
		"a write that fails at any byte tells how much was written":   each(s.failingWriters),
		"golden files are decoded":                                    s.golden,
		"a claimed length allocates no memory":                        s.lyingLength,
		"a zero value decodes and is not encoded":                     s.zeroValue,
		"every form of a key is one that the suite knows":             s.knownForms,
		"a changed frame is asked as it is":                           s.askForged,
	}
}

// fill draws a structure of the family and adds some keys. It returns those
// that it contains.
func (s Suite[T]) fill(t *rapid.T, fam hashfam.Family) (T, [][]byte) {
	f, twin, keys := s.draw(t, fam)
	if len(insertions(f, fam)) > 0 {
		return f, fillUp(f, drawKeys(t))
	}
	require.True(t, f.Equal(twin), "the way to build matters")
	return f, keys
}

// fillUp adds keys to f and returns those for which there was room.
func fillUp(f any, keys [][]byte) (in [][]byte) {
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

// emptyKey checks that the empty key can be added, as nil, too.
func (s Suite[T]) emptyKey(t *rapid.T, f T, _ [][]byte) {
	if len(insertions(f, f.Family())) == 0 {
		return
	}
	f = s.Source.Like(f)
	_, err := insert(f, nil)
	require.NoError(t, err)
	require.False(t, f.Equal(s.Source.Like(f)), "the empty key was dropped")
	s.requireAll(t, f, [][]byte{{}}, nil)
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
	for _, v := range variants {
		require.False(t, v.Structure.Equal(empty), v.Field)
		require.False(t, empty.Equal(v.Structure), v.Field)
		m, can := any(f).(merger[T])
		if !can {
			continue
		}
		fillUp(v.Structure, in)
		for place, others := range [][]T{{v.Structure}, {valid, v.Structure}, {valid, valid, v.Structure, valid}} {
			own, other := encode(t, f), encode(t, v.Structure)
			err := m.Merge(others...)
			require.ErrorIs(t, err, hashfam.ErrIncompatible, "another %s", v.Field)
			require.ErrorContains(t, err, v.Field)
			if place > 0 {
				require.ErrorContains(t, err, fmt.Sprintf("others[%d]", place))
			}
			require.Equal(t, own, encode(t, f), "a failed merge changed the structure")
			require.Equal(t, other, encode(t, v.Structure), "a failed merge changed the argument")
		}
	}
}

// allocations checks that no query of a key of any form and length allocates,
// and no insertion of a key that is in the structure already. The exception is
// the copy of a string in a build with the tag purego.
func (s Suite[T]) allocations(t *rapid.T, f T, _ [][]byte) {
	key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([][]byte{key}, 40) // hashed in blocks, not one by one
	fam, text := f.Family(), string(key)
	if len(insertions(f, fam)) > 0 {
		f = s.Source.Like(f)
		for range 8 {
			insert(f, keys...) // counters of one byte are widened here
		}
	}
	copies := testing.AllocsPerRun(5, func() { fam.SumString(text) })
	for _, form := range slices.Concat(insertions(f, fam), finders(f, fam), slices.Concat(s.questions(f, fam)...)) {
		for _, keys := range [][][]byte{keys[:1], keys[:2], keys} {
			want, calls := 0.0, form.bind(keys)
			if strings.HasSuffix(form.name, "String") {
				want = copies * float64(len(keys))
			}
			require.LessOrEqual(t, leastAllocs(func() { calls() }), want, "allocations of %s for %d keys", form.name, len(keys))
		}
	}
}

// leastAllocs returns how often do allocates, the least of three counts: they
// include what the runtime allocates meanwhile.
func leastAllocs(do func()) float64 {
	least := testing.AllocsPerRun(5, do)
	for tries := 1; least > 0 && tries < 3; tries++ {
		least = min(least, testing.AllocsPerRun(5, do))
	}
	return least
}
