package conformance

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// Test runs all properties of encodings and output as subtests.
func (s Structure) Test(t *testing.T) {
	properties := s.Properties()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		t.Run(name, func(t *testing.T) { properties[name](t) })
	}
}

func (s Structure) Properties() map[string]func(rapid.TB) {
	properties := map[string]func(rapid.TB){
		"changed frames with correct checksums are decoded or rejected": func(t rapid.TB) { rapid.Check(t, s.Change) },
		"a claimed length does not allocate memory":                     s.lyingLength,
		"a zero value can decode but cannot be encoded":                 s.zeroValue,
	}
	for name, property := range map[string]func(t *rapid.T, f Encoded, keys []string){
		"structures with different parameters are not equal and cannot be merged": s.incompatible,
		"another version, kind or family is an error":                             s.wrongHeader,
		"reads can be concurrent":                                                 s.pureReads,
		"errors from streams are returned":                                        s.streams,
		"no output shows the key":                                                 s.secrets,
		"queries and insertions do not allocate":                                  s.allocations,
	} {
		properties[name] = func(t rapid.TB) {
			rapid.Check(t, func(t *rapid.T) {
				f, keys := s.filled(t, drawFamily(t))
				property(t, f, keys)
			})
		}
	}
	for file, build := range s.Golden {
		properties[file] = func(t rapid.TB) { s.golden(t, file, build()) }
	}
	return properties
}

// example returns a structure with at least five keys. It is the same in all
// runs.
func (s Structure) example(fam hashfam.Family) (f Encoded) {
	for seed, n := 0, 0; n < 5; seed++ {
		f = rapid.Custom(func(t *rapid.T) Encoded {
			f, in := s.filled(t, fam)
			n = len(in)
			return f
		}).Example(seed)
	}
	return f
}

// incompatible checks that structures with different parameters are not equal
// and cannot be merged, and that the error names the parameter.
func (s Structure) incompatible(t *rapid.T, f Encoded, in []string) {
	if s.Builders != nil {
		fam := f.Family()
		require.False(t, s.equal(s.receiver(fam), s.receiver(fam.Derive("another"))), "another family")
		return
	}
	empty, valid := s.like(f), s.like(f)
	s.fill(valid, []string{"key"})
	variants := s.variants(empty)
	require.NotEmpty(t, variants)
	for _, v := range variants {
		require.False(t, s.equal(v.Encoded, empty) || s.equal(empty, v.Encoded), "another %s", v.field)
		if s.merge == nil {
			continue
		}
		s.fill(v.Encoded, in)
		own, other := encode(t, f), encode(t, v)
		for _, others := range [][]Encoded{{v.Encoded}, {valid, v.Encoded, valid}} {
			err := s.merge(f, others...)
			require.ErrorIs(t, err, hashfam.ErrIncompatible, "another %s", v.field)
			require.ErrorContains(t, err, v.field)
			require.Equal(t, len(others) > 1, strings.Contains(err.Error(), "others[1]"), err)
		}
		requireBytes(t, own, encode(t, f), "a failed merge changed the structure")
		requireBytes(t, other, encode(t, v), "a failed merge changed the argument")
	}
}

// decode decodes b, which may be damaged, into f using the given ways. It
// returns true if b is valid. Then f must be encoded to the same bytes, since
// decoders must not ignore any bit. Otherwise the error must be want, if that
// is not nil, and f must not change.
func (s Structure) decode(t rapid.TB, f Encoded, b []byte, want error, ways ...way) bool {
	own, _ := f.MarshalBinary() // fails for a receiver
	whole := f.UnmarshalBinary(b)
	var valid Encoded
	if whole == nil {
		own, valid = b, f
	}
	same := func(name string, err error) {
		if (whole == nil) != (err == nil) || !errors.Is(err, want) && want != nil {
			t.Fatalf("ways to decode differ: %s: %v, but UnmarshalBinary: %v, want %v", name, err, whole, want)
		}
	}
	for _, way := range ways {
		same(way.name, way.decode(f, b))
	}
	again, _ := f.MarshalBinary()
	requireBytes(t, own, again, "a decoder ignored bytes, or changed its receiver after an error")
	same("a view", s.view(t, b, f.Family(), valid, whole))
	if err := s.header(t, b, f.Family(), valid); s.Header != nil && err == nil && want != nil {
		must(t, errors.Is(want, hashfam.ErrCorrupt), "the header has no error, want %v", want)
	}
	s.ask(t, b, f, whole)
	return whole == nil
}

// wrongHeader checks the errors for another version, kind or family, and that
// the receiver's family does not change.
func (s Structure) wrongHeader(t *rapid.T, f Encoded, _ []string) {
	used, _ := s.filled(t, f.Family())
	other, _ := s.filled(t, f.Family().Derive("another"))
	b, empty, way := encode(t, f), s.receiver(f.Family()), rapid.SampledFrom(ways).Draw(t, "way")
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
		s.decode(t, used, b, wrong.err, way)
		require.True(t, s.Header == nil || s.header(t, b, f.Family(), nil) != nil, "a wrong header is accepted")
	}
	for _, g := range []Encoded{empty, used} {
		s.decode(t, g, encode(t, other), hashfam.ErrFamily, way)
		must(t, s.decode(t, g, b, nil, way), "a valid frame is rejected")
	}
}

type decoder interface {
	encoding.BinaryUnmarshaler
	encoding.TextUnmarshaler
	io.ReaderFrom
}

// A way decodes b, which may be damaged, into f.
type way struct {
	name   string
	decode func(f decoder, b []byte) error
}

// GoString is called by rapid.
func (w way) GoString() string { return strconv.Quote(w.name) }

// ways are all ways to decode. Some streams return only a part of what is read,
// or return data and an error at the same time, and some continue after the
// frame.
var ways = []way{
	{"UnmarshalBinary", decoder.UnmarshalBinary},
	{"UnmarshalText", func(f decoder, b []byte) error { return f.UnmarshalText(textOf(b)) }},
	{"ReadFrom", stream("", func(r io.Reader) io.Reader { return r })},
	{"ReadFrom of unknown length", stream("", func(r io.Reader) io.Reader { return io.MultiReader(r) })},
	{"ReadFrom with half of what it asks for", stream("the next frame", iotest.HalfReader)},
	{"ReadFrom with data and error at once", stream("the next frame", iotest.DataErrReader)},
}

func textOf(b []byte) []byte { return base64.StdEncoding.AppendEncode(nil, b) }

// stream returns a way to read from a stream that continues after b.
func stream(after string, wrap func(io.Reader) io.Reader) func(decoder, []byte) error {
	return func(f decoder, b []byte) error {
		r := wrap(bytes.NewReader(append(bytes.Clone(b), after...)))
		n, err := f.ReadFrom(r)
		if err != nil {
			return err
		}
		if rest, _ := io.ReadAll(r); n != int64(len(b)) || string(rest) != after {
			return fmt.Errorf("read %d bytes and left %q, want %d and %q", n, rest, len(b), after)
		}
		return nil
	}
}

// encodings returns the encoding of f. All methods must return the same bytes.
func encodings(t rapid.TB, f Encoded) []byte {
	b := encode(t, f)
	appended, err := f.AppendBinary([]byte("before"))
	require.NoError(t, err)
	requireBytes(t, append([]byte("before"), b...), appended, "AppendBinary does not append the encoding")
	text, err := f.MarshalText()
	require.NoError(t, err)
	requireBytes(t, textOf(b), text, "MarshalText does not return the encoding")
	var w bytes.Buffer
	n, err := f.WriteTo(&w)
	require.NoError(t, err)
	require.EqualValues(t, w.Len(), n)
	requireBytes(t, b, w.Bytes(), "WriteTo does not write the encoding")
	return b
}

func encode(t rapid.TB, f Encoded) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// requireBytes is like require.Equal, but does not print the bytes.
func requireBytes(t rapid.TB, want, got []byte, message string) {
	if bytes.Equal(want, got) {
		return
	}
	t.Helper()
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	t.Fatalf("%s: %d and %d bytes, different from byte %d on", message, len(want), len(got), i)
}
