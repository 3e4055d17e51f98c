package conformance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Built declares how the tests call a structure that is built from a set of
// keys and does not change. [FromKeys] makes Fresh of its [Encoded] from
// Builders.
type Built[T Structure[T]] struct {
	Encoded[T]

	// Builders draws parameters of the family and returns all ways to build a
	// structure with them: from keys, from strings, from digests, by a builder,
	// by several workers. The way must not matter. Keys may be repeated.
	Builders Builders[T]
}

// Builders is described in [Built].
type Builders[T any] func(*rapid.T, hashfam.Family) []func(keys [][]byte) (T, error)

// FromKeys returns a function that builds a structure of a few keys.
func FromKeys[T any](builders Builders[T]) func(*rapid.T, hashfam.Family) T {
	return func(t *rapid.T, fam hashfam.Family) T {
		f, err := builders(t, fam)[0](drawKeys(t, "keys"))
		require.NoError(t, err)
		return f
	}
}

// Run runs every property as a subtest, and the tests that need no random
// input.
func (b Built[T]) Run(t *testing.T) {
	run(t,
		property{"every key is found, in all forms", b.Membership},
		property{"the same set gives the same bytes", b.SameSet},
		property{"another family gives another structure", b.OtherFamily},
		property{"any program of encodings leaves the set as it was built", b.Program},
		property{"a changed frame with correct checksums is decoded or rejected", b.Mutations},
	)
	t.Run("every method is declared", b.declared)
	b.Encoded.run(t)
}

// build builds a structure in the first way.
func (b Built[T]) build(t *rapid.T, fam hashfam.Family, keys [][]byte) T {
	f, err := b.Builders(t, fam)[0](keys)
	require.NoError(t, err)
	return f
}

// Membership checks that every key is found, among them the empty key and none
// at all, and that all forms of query give the same answer for these and for
// other keys.
func (b Built[T]) Membership(t *rapid.T) {
	fam := drawFamily(t)
	keys, numbered := drawKeys(t, "keys"), numberedKeys(t)
	keys = append(keys, numbered...)
	f := b.build(t, fam, keys)
	b.requireAll(t, f, keys)
	b.sameAnswers(t, f, fam, keys)
	b.sameAnswers(t, f, fam, append(drawKeys(t, "queries"), halfChanged(numbered)...))
	decoded := b.Receiver(fam)
	require.NoError(t, decoded.UnmarshalBinary(encode(t, f)))
	b.requireAll(t, decoded, keys)
}

// SameSet checks that every way to build gives the same bytes, whatever the
// order of the keys, and however often a key occurs.
func (b Built[T]) SameSet(t *rapid.T) {
	keys := append(drawKeys(t, "keys"), numberedKeys(t)...)
	builders := b.Builders(t, drawFamily(t))
	f, err := builders[0](slices.Clone(keys))
	require.NoError(t, err)
	want := encode(t, f)
	for i, build := range builders {
		shuffled := rapid.Permutation(keys).Draw(t, "order")
		if len(keys) > 0 {
			copies := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 10).Draw(t, "copies")
			shuffled = append(shuffled, copies...)
		}
		g, err := build(shuffled)
		require.NoError(t, err)
		require.Equal(t, want, encode(t, g), "way %d to build", i)
		require.True(t, g.Equal(f), "way %d to build", i)
	}
}

// OtherFamily checks that structures of the same keys under two families are
// not equal.
func (b Built[T]) OtherFamily(t *rapid.T) {
	fam, keys := drawFamily(t), drawKeys(t, "keys")
	f, g := b.build(t, fam, keys), b.build(t, fam.Derive("another"), keys)
	require.False(t, f.Equal(g))
	require.False(t, g.Equal(f))
}

// Program builds a structure from any keys, in two ways, and then encodes it
// and decodes it in any ways. Every key must be found and the bytes must stay
// the same, also after failing to decode something else.
func (b Built[T]) Program(t *rapid.T) { b.runProgram(t, &Code{drawCode(t, 64)}) }

// FuzzProgram is Program by any bytes.
func (b Built[T]) FuzzProgram(f *testing.F) {
	FuzzBytes(f, func(t *testing.T, code []byte) { b.runProgram(t, &Code{code}) })
}

func (b Built[T]) runProgram(t require.TestingT, c *Code) {
	fam := families[c.Intn(len(families))]
	build := drawn(c.Intn(1<<16), func(t *rapid.T) []func([][]byte) (T, error) { return b.Builders(t, fam) })
	keys := append(c.keys(4096), c.keys(4096)...)
	f, err := build[0](slices.Clone(keys))
	require.NoError(t, err)
	slices.Reverse(keys)
	twin, err := build[c.Intn(len(build))](keys)
	require.NoError(t, err)
	want := encode(t, twin)
	for step := 0; step < programSteps; step++ {
		require.True(t, f.Equal(twin))
		require.Equal(t, want, encode(t, f))
		b.requireAll(t, f, keys)
		if c.Done() {
			break
		}
		switch c.Intn(3) {
		case 0:
			b.sameAnswers(t, f, fam, c.keys(8192))
			b.Reads(f)
		case 1:
			g := f // decode into the structure in use
			if c.Bool() {
				g = b.Receiver(fam)
			}
			f = b.recode(t, c.Intn(recodings), f, g, fam)
		case 2:
			require.Error(t, f.UnmarshalBinary(want[:c.Intn(1<<16)%len(want)]))
		}
	}
}
