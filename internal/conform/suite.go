package conform

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

// ready returns s with what its Encoded needs to draw structures.
func (s Suite[T]) ready() Suite[T] {
	s.fill = func(t *rapid.T, fam hashfam.Family) (T, [][]byte) {
		f := s.Source.Fresh(t, fam)
		return f, fillUp(f, drawKeys(t, "keys"))
	}
	return s
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

// Run runs every property as a subtest.
func (s Suite[T]) Run(t *testing.T) {
	s = s.ready()
	run(t, []property{
		{"any program does what it does to a multiset", func(t *rapid.T) { s.program(t, drawCode(t, 128)) }},
		{"the empty key is a valid key", s.emptyKey},
		{"structures that differ in one parameter are neither equal nor merged", s.incompatible},
		{"a changed frame with correct checksums is decoded or rejected", func(t *rapid.T) { s.forgeries(t, &Code{drawCode(t, 128)}) }},
		{"no insertion allocates", s.insertAllocations},
	}, nil)
	s.Encoded.run(t)
}

// FuzzProgram runs any program.
func (s Suite[T]) FuzzProgram(f *testing.F) {
	s = s.ready()
	FuzzBytes(f, func(t *testing.T, program []byte) { s.program(t, program) })
}

// FuzzFrames decodes any frames, and frames that are changed by someone who
// knows the format, and uses the structures that come of it.
func (s Suite[T]) FuzzFrames(f *testing.F) {
	s = s.ready()
	s.fuzzFrames(f, s.forgeries)
}

// emptyKey checks that the empty key can be added, as nil, too.
func (s Suite[T]) emptyKey(t *rapid.T) {
	f := s.Source.Fresh(t, drawFamily(t))
	_, err := insert(f, nil)
	require.NoError(t, err)
	require.False(t, f.Equal(s.Source.Like(f)), "the empty key was dropped")
	s.requireAll(t, f, [][]byte{{}}, nil)
}

// incompatible checks that structures that differ in one parameter are not
// equal, and that merging them, alone or with others, fails, names the
// parameter, and changes neither.
func (s Suite[T]) incompatible(t *rapid.T) {
	if s.Source.Variants == nil {
		return
	}
	f, in := s.fill(t, drawFamily(t))
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

// insertAllocations checks that no insertion allocates. The key is in the
// structure already.
func (s Suite[T]) insertAllocations(t *rapid.T) {
	fam := drawFamily(t)
	f := s.Source.Fresh(t, fam)
	key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([][]byte{key}, 40) // hashed in blocks, not one by one
	if n, _ := insert(f, key); n == 0 {
		return
	}
	for range 8 {
		insert(f, keys...) // structures with counters of one byte widen them here
	}
	for _, form := range append(insertions(f, fam), finders(f, fam)...) {
		want := 0.0
		if strings.HasSuffix(form.name, "String") {
			want = copies(string(key))
		}
		one, many := form.bind(keys[:1]), form.bind(keys)
		requireAllocations(t, want, form.name, func() { one() })
		requireAllocations(t, 40*want, form.name, func() { many() })
	}
}
