package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// encode returns the encoding of a valid structure.
func encode[T Structure[T]](t require.TestingT, f T) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// recodings is the number of ways to encode and decode a structure.
const recodings = 8

// recode encodes f and decodes it into g, in one of the ways that there are. It
// returns the decoded structure. With a view it does not use g.
func (s Suite[T]) recode(t require.TestingT, way int, f, g T) T {
	b := encode(t, f)
	switch v := s.viewOf(t, f); {
	case way < len(streams):
		n, err := g.ReadFrom(streams[way](bytes.NewReader(b)))
		require.NoError(t, err)
		require.EqualValues(t, len(b), n)
		return g
	case way == 4:
		var w bytes.Buffer
		n, err := f.WriteTo(&w)
		require.NoError(t, err)
		require.Equal(t, b, w.Bytes()[:n])
	case way == 5:
		appended, err := f.AppendBinary([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+string(b), string(appended))
	case way == 6:
		text, err := f.MarshalText()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalText(text))
		return g
	case v != nil:
		g, err := v.Decode()
		require.NoError(t, err)
		return g
	}
	require.NoError(t, g.UnmarshalBinary(b))
	return g
}

// rejects checks that every way to decode b into g returns the error want and
// leaves g unchanged, and that no view accepts b.
func (s Suite[T]) rejects(t require.TestingT, g T, b []byte, want error) {
	own := encode(t, g)
	for name, err := range map[string]error{
		"UnmarshalBinary":          g.UnmarshalBinary(b),
		"UnmarshalText":            g.UnmarshalText(base64.StdEncoding.AppendEncode(nil, b)),
		"ReadFrom":                 readFrom(g, bytes.NewReader(b)),
		"ReadFrom, unknown length": readFrom(g, io.MultiReader(bytes.NewReader(b))),
		"a view that was opened":   s.verify(b, g.Family(), want),
	} {
		if !errors.Is(err, want) {
			require.ErrorIs(t, err, want, name)
		}
	}
	if !bytes.Equal(own, encode(t, g)) {
		require.Fail(t, "a failed decode changed the receiver")
	}
}

func readFrom(g io.ReaderFrom, r io.Reader) error {
	_, err := g.ReadFrom(r)
	return err
}

// equality checks that two structures are equal if and only if their encodings
// are.
func (s Suite[T]) equality(t *rapid.T, f T, _ [][]byte) {
	g, _ := s.fill(t, rapid.SampledFrom([]hashfam.Family{f.Family(), f.Family().Derive("another")}).Draw(t, "other family"))
	same := bytes.Equal(encode(t, f), encode(t, g))
	require.Equal(t, same, f.Equal(g))
	require.Equal(t, same, g.Equal(f))
	require.True(t, f.Equal(f))
}

// wrongHeader checks that decoding an intact frame returns ErrVersion if it has
// another version or a kind that is not known, ErrCorrupt if it is of another
// kind, and ErrFamily if it has another family, and that a receiver, and a
// structure in use, keep theirs.
func (s Suite[T]) wrongHeader(t *rapid.T, f T, _ [][]byte) {
	used, _ := s.fill(t, f.Family())
	other, _ := s.fill(t, f.Family().Derive("another"))
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
		s.rejects(t, used, b, wrong.err)
	}
	s.rejects(t, used, encode(t, other), hashfam.ErrFamily)
	empty := s.Receiver(f.Family())
	require.ErrorIs(t, empty.UnmarshalBinary(encode(t, other)), hashfam.ErrFamily)
	for _, g := range []T{empty, used} {
		require.NoError(t, g.UnmarshalBinary(encode(t, f)))
		require.Equal(t, encode(t, f), encode(t, g))
	}
}

// texts checks that a structure round-trips as text inside of JSON and XML, as
// a pointer and as a value in a struct, and that damaged text is detected.
func (s Suite[T]) texts(t *rapid.T, f T, _ [][]byte) {
	type document struct{ Filter T }
	b, err := json.Marshal(document{f})
	require.NoError(t, err)
	value, err := json.Marshal(struct{ Filter any }{reflect.ValueOf(f).Elem().Interface()})
	require.NoError(t, err)
	require.Equal(t, string(b), string(value), "JSON of a value in a struct")
	x, err := xml.Marshal(document{f})
	require.NoError(t, err)
	for _, decode := range []func(*document) error{
		func(d *document) error { return json.Unmarshal(b, d) },
		func(d *document) error { return xml.Unmarshal(x, d) },
	} {
		d := document{s.Receiver(f.Family())}
		require.NoError(t, decode(&d))
		require.True(t, d.Filter.Equal(f))
	}
	before := encode(t, f)
	text, err := f.MarshalText()
	require.NoError(t, err)
	for _, bad := range []string{"", "{}", string(text[1:]), string(text[:len(text)-1]), "?" + string(text[1:])} {
		require.ErrorIs(t, f.UnmarshalText([]byte(bad)), hashfam.ErrCorrupt)
	}
	require.Equal(t, before, encode(t, f), "a failed decode changed the receiver")
}

// zeroValue checks that a zero value decodes structures of the public family,
// and that neither it nor a receiver can be encoded.
func (s Suite[T]) zeroValue(t *testing.T) {
	zero := func() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }
	for _, none := range []T{zero(), s.Receiver(families[1])} {
		_, appended := none.AppendBinary(nil)
		_, marshaled := none.MarshalBinary()
		_, text := none.MarshalText()
		n, written := none.WriteTo(io.Discard)
		for _, err := range []error{appended, marshaled, text, written} {
			require.ErrorIs(t, err, hashfam.ErrParams)
		}
		require.Zero(t, n)
	}
	f := s.example(hashfam.Family{})
	for way := range recodings {
		require.True(t, s.recode(t, way, f, zero()).Equal(f), "way %d", way)
	}
	require.ErrorIs(t, zero().UnmarshalBinary(encode(t, s.example(families[1]))), hashfam.ErrFamily)
}

// golden checks that the files in testdata are decoded to the structures that
// they encode, and that these are still encoded to the same bytes.
func (s Suite[T]) golden(t *testing.T) {
	require.NotEmpty(t, s.Golden)
	for _, g := range s.Golden {
		want := g.Build()
		b := encode(t, want)
		RequireGolden(t, g.File, b)
		f := s.Receiver(want.Family())
		require.NoError(t, f.UnmarshalBinary(b), g.File)
		require.True(t, f.Equal(want), g.File)
		require.Equal(t, b, encode(t, f), g.File)
	}
}

// RequireGolden checks that the file of that name in testdata has the bytes of
// encoded. With -update it writes the file if it does not exist yet.
func RequireGolden(t *testing.T, name string, encoded []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && *update {
		b, err = encoded, os.WriteFile(file, encoded, 0o644)
	}
	require.NoError(t, err)
	require.Equal(t, b, encoded, name)
}
