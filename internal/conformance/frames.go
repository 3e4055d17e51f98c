package conformance

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// Frames describes how a structure is encoded, printed and compared. Fields can
// be nil if they do not apply.
type Frames[S Encoded[S]] struct {
	Structure[S]
	Golden []Golden[S]
	// Zero returns a zero value.
	Zero func() S
	// ClaimHuge changes encoded parameters to describe a structure of 2^40
	// bits, and returns its payload length in bytes.
	ClaimHuge func(params []byte) (payload uint64)
	Header    Header[S]
	View      View[S]
	// Ask returns a function that queries frames of the family.
	Ask func(hashfam.Family) Asker
	// Reads returns the results of all methods that only read and are not in
	// Encoded or Questions.
	Reads func(S) []any
	// Shown returns the structure as a value, and then other values that
	// contain its family, for example its parameters.
	Shown func(S) []any
}

// A Golden is a file in testdata that all later versions must decode.
type Golden[S any] struct {
	File  string
	Build func() S // returns the encoded structure
}

// Test runs all properties as subtests.
func (s Frames[S]) Test(t *testing.T) {
	properties := s.Properties()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		t.Run(name, func(t *testing.T) { properties[name](t) })
	}
}

func (s Frames[S]) Properties() map[string]func(rapid.TB) {
	properties := map[string]func(rapid.TB){
		"changed frames with correct checksums are decoded or rejected": func(t rapid.TB) { rapid.Check(t, s.Change) },
		"a claimed length does not allocate memory":                     s.lyingLength,
		"a zero value can decode but cannot be encoded":                 s.zeroValue,
	}
	for name, property := range map[string]func(t *rapid.T, f S, keys []string){
		"structures with different parameters are not equal and cannot be merged": s.incompatible,
		"another version, kind or family is an error":                             s.wrongHeader,
		"reads can be concurrent":                                                 s.pureReads,
		"errors from streams are returned":                                        s.streams,
		"no output shows the key":                                                 s.secrets,
		"queries and insertions do not allocate":                                  s.allocations,
	} {
		properties[name] = func(t rapid.TB) {
			rapid.Check(t, func(t *rapid.T) {
				f, keys := s.draw(t, drawFamily(t))
				property(t, f, keys)
			})
		}
	}
	for _, g := range s.Golden {
		properties[g.File] = func(t rapid.TB) { s.golden(t, g) }
	}
	return properties
}

// example returns a structure with at least five keys. It is the same in all
// runs.
func (s Frames[S]) example(fam hashfam.Family) (f S) {
	for seed, n := 0, 0; n < 5; seed++ {
		f = rapid.Custom(func(t *rapid.T) S {
			f, in := s.draw(t, fam)
			n = len(in)
			return f
		}).Example(seed)
	}
	return f
}

// incompatible checks that structures with different parameters are not equal
// and cannot be merged, and that the error names the parameter.
func (s Frames[S]) incompatible(t *rapid.T, f S, in []string) {
	if s.Variants == nil {
		fam := f.Family()
		require.False(t, s.Receiver(fam).Equal(s.Receiver(fam.Derive("another"))), "another family")
		return
	}
	empty, valid := s.Like(f), s.Like(f)
	s.fill(valid, []string{"key"})
	variants := s.Variants(empty)
	require.NotEmpty(t, variants)
	for _, v := range variants {
		require.False(t, v.F.Equal(empty) || empty.Equal(v.F), "another %s", v.Field)
		if s.Merge == nil {
			continue
		}
		s.fill(v.F, in)
		own, other := encode(t, f), encode(t, v.F)
		for _, others := range [][]S{{v.F}, {valid, v.F, valid}} {
			err := s.Merge(f, others...)
			require.ErrorIs(t, err, hashfam.ErrIncompatible, "another %s", v.Field)
			require.ErrorContains(t, err, v.Field)
			require.Equal(t, len(others) > 1, strings.Contains(err.Error(), "others[1]"), err)
		}
		requireBytes(t, own, encode(t, f), "a failed merge changed the structure")
		requireBytes(t, other, encode(t, v.F), "a failed merge changed the argument")
	}
}

// decode decodes b, which may be damaged, into f using the given ways. It
// returns true if b is valid. Then f must be encoded to the same bytes, since
// decoders must not ignore any bit. Otherwise the error must be want, if that
// is not nil, and f must not change.
func (s Frames[S]) decode(t rapid.TB, f S, b []byte, want error, ways ...way) bool {
	own, _ := f.MarshalBinary() // fails for a receiver
	whole := f.UnmarshalBinary(b)
	var valid *S
	if whole == nil {
		own, valid = b, &f
	}
	same := func(name string, err error) {
		if (whole == nil) != (err == nil) || !errors.Is(err, want) && want != nil {
			t.Fatalf("ways to decode differ: %s: %v, but UnmarshalBinary: %v, want %v", name, err, whole, want)
		}
	}
	for _, way := range ways {
		same(way.name, way.decode(f, b))
	}
	require.ErrorIs(t, f.UnmarshalText(append(textOf(b), '?')), hashfam.ErrCorrupt)
	again, _ := f.MarshalBinary()
	requireBytes(t, own, again, "a decoder ignored bytes, or changed its receiver after an error")
	same("a view", s.view(t, b, f.Family(), valid, whole))
	if s.Header != nil {
		err := s.Header(t, b, f.Family(), valid)
		must(t, err != nil || valid != nil || want == nil || errors.Is(want, hashfam.ErrCorrupt), "the header has no error, want %v", want)
	}
	s.ask(t, b, f, whole)
	return whole == nil
}

// wrongHeader checks the errors when the version, the kind or the family
// differs, and that the receiver's family does not change.
func (s Frames[S]) wrongHeader(t *rapid.T, f S, _ []string) {
	used, _ := s.draw(t, f.Family())
	other, _ := s.draw(t, f.Family().Derive("another"))
	b, empty := encode(t, f), s.Receiver(f.Family())
	for _, wrong := range []struct {
		offset int
		value  byte
		err    error
	}{
		{offsetVersion, b[offsetVersion] + rapid.ByteRange(1, 255).Draw(t, "change"), hashfam.ErrVersion},
		{offsetKind, rapid.ByteRange(200, 255).Draw(t, "kind"), hashfam.ErrVersion},
		{offsetKind, b[offsetKind]%2 + 1, hashfam.ErrCorrupt},
	} {
		b := bytes.Clone(b)
		b[wrong.offset] = wrong.value
		Reseal(b)
		s.decode(t, used, b, wrong.err, ways...)
		require.True(t, s.Header == nil || s.Header(t, b, f.Family(), nil) != nil, "a wrong header is accepted")
	}
	for _, g := range []S{empty, used} {
		s.decode(t, g, encode(t, other), hashfam.ErrFamily, ways...)
		must(t, s.decode(t, g, b, nil, ways...), "a valid frame is rejected")
	}
}
