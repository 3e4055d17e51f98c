package conform

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Built declares a structure that is built from a set of keys and does not
// change.
type Built[T Structure[T]] struct {
	Encoded[T]

	// Builders draws parameters of the family and returns all ways to build a
	// structure with them, such as by several workers or from a sorted
	// sequence. The way must not matter. Digests may be repeated.
	Builders func(*rapid.T, hashfam.Family) []func([]hashfam.Digest) (T, error)
}

// ready returns b with what its Encoded needs to draw structures.
func (b Built[T]) ready() Built[T] {
	b.fill = func(t *rapid.T, fam hashfam.Family) (T, [][]byte) {
		keys := drawKeys(t, "keys")
		f, err := b.Builders(t, fam)[0](fam.SumAll(nil, keys))
		require.NoError(t, err)
		return f, keys
	}
	return b
}

// Run runs every property as a subtest.
func (b Built[T]) Run(t *testing.T) {
	b = b.ready()
	run(t, []property{
		{"the same set gives the same bytes", b.sameSet},
		{"any program of encodings leaves the set as it was built", func(t *rapid.T) { b.program(t, &Code{drawCode(t, 64)}) }},
		{"a changed frame with correct checksums is decoded or rejected", func(t *rapid.T) { b.mutations(t, &Code{drawCode(t, 64)}) }},
	}, nil)
	b.Encoded.run(t)
}

// FuzzProgram builds a structure from any keys, encodes it and decodes it in
// any ways.
func (b Built[T]) FuzzProgram(f *testing.F) {
	b = b.ready()
	FuzzBytes(f, func(t *testing.T, code []byte) { b.program(t, &Code{code}) })
}

// FuzzFrames decodes any frames, and frames that are changed by someone who
// knows the format, and queries the structures that come of it.
func (b Built[T]) FuzzFrames(f *testing.F) {
	b = b.ready()
	b.fuzzFrames(f, func(t require.TestingT, c *Code) { b.mutations(t, c) })
}

// sameSet checks that every way to build gives the same bytes, whatever the
// order of the keys, and however often a key occurs, and that the same digests
// under another family make another structure.
func (b Built[T]) sameSet(t *rapid.T) {
	fam := drawFamily(t)
	digests := fam.SumAll(nil, append(drawKeys(t, "keys"), numberedKeys(t)...))
	builders := b.Builders(t, fam)
	f, err := builders[0](slices.Clone(digests))
	require.NoError(t, err)
	want := encode(t, f)
	for i, build := range builders {
		shuffled := rapid.Permutation(digests).Draw(t, "order")
		if len(digests) > 0 {
			copies := rapid.SliceOfN(rapid.SampledFrom(digests), 0, 10).Draw(t, "copies")
			shuffled = append(shuffled, copies...)
		}
		g, err := build(shuffled)
		require.NoError(t, err)
		require.Equal(t, want, encode(t, g), "way %d to build", i)
		require.True(t, g.Equal(f), "way %d to build", i)
	}
	g, err := b.Builders(t, fam.Derive("another"))[0](digests)
	require.NoError(t, err)
	require.False(t, g.Equal(f) || f.Equal(g), "another family")
}

// program builds a structure from any keys, in two ways, and then encodes it
// and decodes it in any ways. Every key must be found and the bytes must stay
// the same, also after failing to decode something else.
func (b Built[T]) program(t require.TestingT, c *Code) {
	fam := families[c.Intn(len(families))]
	build := drawn(c.Intn(1<<16), func(t *rapid.T) []func([]hashfam.Digest) (T, error) { return b.Builders(t, fam) })
	keys := append(c.keys(4096), c.keys(4096)...)
	f, err := build[0](fam.SumAll(nil, keys))
	require.NoError(t, err)
	slices.Reverse(keys)
	twin, err := build[c.Intn(len(build))](fam.SumAll(nil, keys))
	require.NoError(t, err)
	want := encode(t, twin)
	for step := 0; step < programSteps; step++ {
		require.True(t, f.Equal(twin))
		require.Equal(t, want, encode(t, f))
		b.requireAll(t, f, keys, nil)
		if c.Done() {
			break
		}
		switch c.Intn(3) {
		case 0:
			b.answers(t, f, fam, c.keys(8192))
			b.readAll(f)
		case 1:
			g := f // decode into the structure in use
			if c.Bool() {
				g = b.Receiver(fam)
			}
			f = b.recode(t, c.Intn(recodings), f, g)
		case 2:
			require.Error(t, f.UnmarshalBinary(want[:c.Intn(1<<16)%len(want)]))
		}
	}
}
