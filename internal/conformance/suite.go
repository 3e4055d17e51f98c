package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Suite declares a structure to which keys are added.
type Suite[T Structure[T]] struct {
	Encoded[T]
	// Source makes empty structures, see [From].
	Source Source[T]
	// Programs declares what random programs do.
	Programs Programs[T]
}

// A Built declares a structure that is built from a set of keys. It can then
// only lose keys, by methods that delete.
type Built[T Structure[T]] struct {
	Encoded[T]
	// Builders draws parameters of the family and returns all ways to build a
	// structure with them, such as by several workers or from a sorted
	// sequence. The way must not matter. Digests may be repeated.
	Builders func(*rapid.T, hashfam.Family) []func([]hashfam.Digest) (T, error)
	// Programs declares what random programs do.
	Programs Programs[T]
}

// A tested structure is what the properties need to know of both.
type tested[T Structure[T]] struct {
	Suite[T]
	// make draws two equal structures of the family, made in any ways, and the
	// keys that they contain.
	make func(*rapid.T, hashfam.Family) (f, twin T, keys [][]byte)
}

func (s Suite[T]) tested() tested[T] {
	return tested[T]{s, func(t *rapid.T, fam hashfam.Family) (f, twin T, keys [][]byte) {
		f = s.Source.Fresh(t, fam)
		return f, s.Source.Like(f), nil
	}}
}

func (b Built[T]) tested() tested[T] {
	return tested[T]{Suite[T]{Encoded: b.Encoded, Programs: b.Programs}, func(t *rapid.T, fam hashfam.Family) (f, twin T, keys [][]byte) {
		keys = drawKeys(t)
		builders := b.Builders(t, fam)
		f, err := builders[0](fam.SumAll(nil, keys))
		require.NoError(t, err)
		if len(keys) > 0 {
			keys = append(rapid.Permutation(keys).Draw(t, "order"), rapid.SliceOfN(rapid.SampledFrom(keys), 0, 10).Draw(t, "copies")...)
		}
		twin, err = rapid.SampledFrom(builders).Draw(t, "way to build")(fam.SumAll(nil, keys))
		require.NoError(t, err)
		return f, twin, keys
	}}
}

// Run runs every property as a subtest.
func (s Suite[T]) Run(t *testing.T) { s.tested().run(t) }

// FuzzProgram runs any program.
func (s Suite[T]) FuzzProgram(f *testing.F) { s.tested().fuzzProgram(f) }

// FuzzFrames decodes any frames, and frames that are changed by someone who
// knows the format, and uses the structures that come of it.
func (s Suite[T]) FuzzFrames(f *testing.F) { s.tested().fuzzFrames(f) }

// Run is [Suite.Run].
func (b Built[T]) Run(t *testing.T) { b.tested().run(t) }

// FuzzProgram is [Suite.FuzzProgram].
func (b Built[T]) FuzzProgram(f *testing.F) { b.tested().fuzzProgram(f) }

// FuzzFrames is [Suite.FuzzFrames].
func (b Built[T]) FuzzFrames(f *testing.F) { b.tested().fuzzFrames(f) }

// run runs all properties: those of random bytes, of random structures, and of
// the golden files.
func (s tested[T]) run(t *testing.T) {
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

// properties returns the checks of random structures and the keys in them.
func (s tested[T]) properties() map[string]func(t *rapid.T, f T, keys [][]byte) {
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
func (s tested[T]) tests() map[string]func(*testing.T) {
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
func (s tested[T]) fill(t *rapid.T, fam hashfam.Family) (T, [][]byte) {
	f, twin, keys := s.make(t, fam)
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
func (s tested[T]) example(fam hashfam.Family) (f T) {
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
func (s tested[T]) emptyKey(t *rapid.T, f T, _ [][]byte) {
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
func (s tested[T]) incompatible(t *rapid.T, f T, in [][]byte) {
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
func (s tested[T]) allocations(t *rapid.T, f T, _ [][]byte) {
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
