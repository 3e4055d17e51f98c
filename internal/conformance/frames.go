package conformance

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// Frames says how structures of type S are encoded, shown and compared. Fields
// that do not apply are nil.
type Frames[S Encoded[S]] struct {
	Structure[S]
	// Golden has the files that all later versions must decode.
	Golden []Golden[S]
	// Zero returns a zero value.
	Zero func() S
	// ClaimHuge overwrites the parameters in a frame with those of a structure
	// of 2^40 bits, and returns the length of its payload in bytes.
	ClaimHuge func(params []byte) (payload uint64)
	Header    Header[S]
	View      View[S]
	// Ask returns a function that answers from structures that are encoded
	// under the family.
	Ask func(hashfam.Family) Asker
	// Reads calls the methods that do not change the structure, except the
	// questions and what Encoded has, and returns what they return.
	Reads func(S) []any
	// Shown returns the value that a structure points to, its parameters, and
	// other values that contain its family. They must not show its key.
	Shown func(S) []any
}

// A Golden is a file in testdata that all later versions must decode.
type Golden[S any] struct {
	File  string
	Build func() S // the structure that the file encodes
}

// Test runs all properties as subtests.
func (s Frames[S]) Test(t *testing.T) {
	properties := s.Properties()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		t.Run(name, func(t *testing.T) { properties[name](t) })
	}
}

// Properties returns all properties by their names.
func (s Frames[S]) Properties() map[string]func(rapid.TB) {
	properties := map[string]func(rapid.TB){
		"a changed frame with correct checksums is decoded or rejected": func(t rapid.TB) { rapid.Check(t, s.Change) },
		"a claimed length allocates no memory":                          s.lyingLength,
		"a zero value decodes and is not encoded":                       s.zeroValue,
	}
	for name, property := range map[string]func(t *rapid.T, f S, keys []string){
		"structures that differ in one parameter are neither equal nor merged": s.incompatible,
		"structures are equal if their encodings are":                          s.equality,
		"another version, kind or family is an error":                          s.wrongHeader,
		"reads are pure and may run at the same time":                          s.pureReads,
		"views and frames give the answers of the structure":                   s.views,
		"parameters are read from the header":                                  s.header,
		"text round-trips and damage is detected":                              s.texts,
		"no output shows the key":                                              s.secrets,
		"no query and no insertion allocates":                                  s.allocations,
	} {
		properties[name] = func(t rapid.TB) {
			rapid.Check(t, func(t *rapid.T) {
				f, keys := s.draw(t, drawFamily(t))
				property(t, f, keys)
			})
		}
	}
	for _, g := range s.Golden {
		properties[g.File] = func(t rapid.TB) { s.golden(t, g, encode(t, g.Build())) }
	}
	return properties
}

// draw draws a structure of the family and adds some keys. It returns those
// that it contains.
func (s Frames[S]) draw(t *rapid.T, fam hashfam.Family) (S, []string) {
	if s.Builders == nil {
		f := s.Draw(t, fam)
		return f, s.fill(f, drawSet(t))
	}
	m := s.machine(t, fam)
	m.build()
	must(t, m.F.Equal(m.Twin), "the way to build matters")
	return m.F, m.members()
}

// example returns a structure of the family with some keys, always the same.
func (s Frames[S]) example(fam hashfam.Family) (f S) {
	for seed, keys := 0, []string{}; len(keys) < 5; seed++ {
		f = drawn(seed, func(t *rapid.T) S {
			f, in := s.draw(t, fam)
			keys = in
			return f
		})
	}
	return f
}

// equality checks that two structures are equal if and only if their encodings
// are.
func (s Frames[S]) equality(t *rapid.T, f S, _ []string) {
	fam := f.Family()
	if rapid.Bool().Draw(t, "another family") {
		fam = fam.Derive("another")
	}
	g, _ := s.draw(t, fam)
	equal := bytes.Equal(encode(t, f), encode(t, g))
	require.Equal(t, []bool{equal, equal, true}, []bool{f.Equal(g), g.Equal(f), f.Equal(f)})
}

// incompatible checks that structures that differ in one parameter are not
// equal, and that merging them, alone or with others, fails, names the
// parameter, and changes neither.
func (s Frames[S]) incompatible(t *rapid.T, f S, in []string) {
	if s.Variants == nil {
		none := func(fam hashfam.Family) S { return drawn(1, func(t *rapid.T) S { return s.empty(t, fam) }) }
		require.False(t, none(f.Family()).Equal(none(f.Family().Derive("another"))), "another family")
		return
	}
	empty, valid := s.Like(f), s.Like(f)
	s.fill(valid, []string{"key"})
	variants := s.Variants(empty)
	require.NotEmpty(t, variants)
	for _, variant := range variants {
		v, field := variant.F, variant.Field
		require.False(t, v.Equal(empty) || empty.Equal(v), "another %s", field)
		if s.Merge == nil {
			continue
		}
		s.fill(v, in)
		for place, others := range [][]S{{v}, {valid, v}, {valid, valid, v, valid}} {
			own, other := encode(t, f), encode(t, v)
			err := s.Merge(f, others...)
			require.ErrorIs(t, err, hashfam.ErrIncompatible, "another %s", field)
			require.ErrorContains(t, err, field)
			if place > 0 {
				require.ErrorContains(t, err, fmt.Sprintf("others[%d]", place))
			}
			requireBytes(t, own, encode(t, f), "a failed merge changed the structure")
			requireBytes(t, other, encode(t, v), "a failed merge changed the argument")
		}
	}
}

// decode decodes b, which may be anything, into f in every way that there is,
// and reports whether b is valid. If so, f is encoded to the same bytes:
// decoders ignore no bit of a frame. If not, the reason is want, unless that is
// nil, and f does not change.
func (s Frames[S]) decode(t rapid.TB, f S, b []byte, want error) bool {
	own, _ := f.MarshalBinary() // which a receiver does not have
	whole := f.UnmarshalBinary(b)
	if whole == nil {
		own = b
	}
	n, stream := f.ReadFrom(io.MultiReader(bytes.NewReader(b)))
	if stream == nil && n < int64(len(b)) { // another frame may follow
		requireBytes(t, b[:n], encode(t, f), "decoded something else")
		require.ErrorIs(t, whole, hashfam.ErrCorrupt)
		return false
	}
	for name, err := range map[string]error{
		"UnmarshalBinary":          whole,
		"UnmarshalText":            f.UnmarshalText(base64.StdEncoding.AppendEncode(nil, b)),
		"ReadFrom":                 readFrom(f, bytes.NewReader(b)),
		"ReadFrom, unknown length": stream,
		"a view":                   s.viewAny(t, b, f.Family(), whole),
	} {
		if (whole == nil) != (err == nil) || !errors.Is(err, want) && want != nil {
			t.Fatalf("ways to decode differ: %s: %v, but UnmarshalBinary: %v, want %v", name, err, whole, want)
		}
	}
	again, _ := f.MarshalBinary()
	requireBytes(t, own, again, "decoded something else, or changed by a failed decode")
	s.askAny(t, b, f, whole)
	return whole == nil
}

// wrongHeader checks that decoding an intact frame returns ErrVersion if it has
// another version or a kind that is not known, ErrCorrupt if it is of another
// kind, and ErrFamily if it has another family, and that a receiver, and a
// structure in use, keep theirs.
func (s Frames[S]) wrongHeader(t *rapid.T, f S, _ []string) {
	used, _ := s.draw(t, f.Family())
	other, _ := s.draw(t, f.Family().Derive("another"))
	b := encode(t, f)
	for _, wrong := range []struct {
		offset int
		value  byte
		err    error
	}{
		{offsetVersion, b[offsetVersion] + rapid.ByteRange(1, 255).Draw(t, "change"), hashfam.ErrVersion},
		{offsetKind, rapid.ByteRange(200, 255).Draw(t, "kind"), hashfam.ErrVersion},
		{offsetKind, otherKind(b), hashfam.ErrCorrupt},
	} {
		b := bytes.Clone(b)
		b[wrong.offset] = wrong.value
		Reseal(b)
		s.decode(t, used, b, wrong.err)
	}
	s.decode(t, used, encode(t, other), hashfam.ErrFamily)
	empty := s.Receiver(f.Family())
	require.ErrorIs(t, empty.UnmarshalBinary(encode(t, other)), hashfam.ErrFamily)
	for _, g := range []S{empty, used} {
		require.NoError(t, g.UnmarshalBinary(b))
		requireBytes(t, b, encode(t, g), "decoded something else")
	}
}

// header checks that the parameters are read without a byte after the header,
// and that damaged headers and headers of other structures are rejected.
func (s Frames[S]) header(t *rapid.T, f S, _ []string) {
	if s.Header == nil {
		return
	}
	good, fam := encode(t, f), f.Family()
	header := good[:headerBytes(good)]
	for _, b := range [][]byte{good, header} {
		stream := bytes.NewBuffer(b)
		require.NoError(t, s.Header(t, stream, fam, &f))
		require.Equal(t, len(b)-len(header), stream.Len(), "the header is read, and no byte after it")
	}
	i := rapid.IntRange(0, len(header)-1).Draw(t, "offset")
	damaged, other := bytes.Clone(header), bytes.Clone(good)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	other[offsetKind] = otherKind(other)
	Reseal(other)
	for _, bad := range [][]byte{header[:i], damaged, other} {
		require.ErrorIs(t, s.Header(t, bytes.NewReader(bad), fam, nil), hashfam.ErrCorrupt)
	}
	require.ErrorIs(t, s.Header(t, bytes.NewReader(header), fam.Derive("another"), nil), hashfam.ErrFamily)
}
