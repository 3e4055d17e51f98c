package old

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// encode returns the encoding of a valid structure.
func encode[T Structure[T]](t require.TestingT, f T) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

func readFrom(g io.ReaderFrom, r io.Reader) error {
	_, err := g.ReadFrom(r)
	return err
}

// streams are the ways in which a stream may return its bytes.
var streams = []func(io.Reader) io.Reader{
	func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
	func(r io.Reader) io.Reader { // one byte at every second call, and none at the others
		calls := 0
		return reader(func(b []byte) (int, error) {
			calls++
			return r.Read(b[:min(len(b), 1-calls%2)])
		})
	},
}

// A reader is a function that reads, and a writer one that writes.
type (
	reader func([]byte) (int, error)
	writer func([]byte) (int, error)
)

func (read reader) Read(b []byte) (int, error)   { return read(b) }
func (write writer) Write(b []byte) (int, error) { return write(b) }

// recodings is the number of ways to encode and decode a structure.
const recodings = 8

// recode encodes f and decodes it into g, in one of the ways that there are. It
// returns the decoded structure. With a view it does not use g.
func (s Suite[T]) recode(t require.TestingT, way int, f, g T) T {
	b := encode(t, f)
	switch v := s.viewOf(t, f); {
	case way < len(streams):
		stream := streams[way](bytes.NewReader(append(bytes.Clone(b), "the next frame"...)))
		n, err := g.ReadFrom(stream)
		require.NoError(t, err)
		rest, _ := io.ReadAll(stream)
		require.Equal(t, fmt.Sprint(len(b), "the next frame"), fmt.Sprint(n, string(rest)))
		return g
	case way == 4:
		var w bytes.Buffer
		n, err := f.WriteTo(&w)
		require.NoError(t, err)
		require.Equal(t, b, w.Bytes()[:n])
	case way == 5:
		appended, _ := f.AppendBinary([]byte("before"))
		require.Equal(t, "before"+string(b), string(appended))
	case way == 6:
		text, _ := f.MarshalText()
		require.NoError(t, g.UnmarshalText(text))
		return g
	case v != nil:
		decoded, err := v.Decode()
		require.NoError(t, err)
		return decoded
	}
	require.NoError(t, g.UnmarshalBinary(b))
	return g
}

// decode decodes b, which may be anything, into f in every way that there is,
// and reports whether b is valid. If so, f is encoded to the same bytes:
// decoders ignore no bit of a frame. If not, the reason is want, unless that is
// nil, and f does not change.
func (s Suite[T]) decode(t require.TestingT, f T, b []byte, want error) bool {
	own, _ := f.MarshalBinary() // which a receiver does not have
	whole := f.UnmarshalBinary(b)
	if whole == nil {
		own = b
	}
	n, stream := f.ReadFrom(io.MultiReader(bytes.NewReader(b)))
	if stream == nil && n < int64(len(b)) { // another frame may follow
		require.Equal(t, b[:n], encode(t, f))
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
			require.Fail(t, "ways to decode differ", "%s: %v, but UnmarshalBinary: %v, want %v", name, err, whole, want)
		}
	}
	if again, _ := f.MarshalBinary(); !bytes.Equal(own, again) {
		require.Equal(t, own, again, "decoded something else, or changed by a failed decode")
	}
	s.askAny(t, b, f, whole)
	return whole == nil
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
		s.decode(t, used, b, wrong.err)
	}
	s.decode(t, used, encode(t, other), hashfam.ErrFamily)
	empty := s.Receiver(f.Family())
	require.ErrorIs(t, empty.UnmarshalBinary(encode(t, other)), hashfam.ErrFamily)
	for _, g := range []T{empty, used} {
		require.NoError(t, g.UnmarshalBinary(b))
		require.Equal(t, b, encode(t, g))
	}
}

// readParams checks that ReadParams reads the parameters and no byte after the
// header, and that it rejects damaged headers and those of other structures.
func (s Suite[T]) readParams(t *rapid.T, f T, _ [][]byte) {
	if s.ReadParams == nil {
		return
	}
	good := encode(t, f)
	header := good[:headerBytes(good)]
	for _, b := range [][]byte{good, header} {
		stream := bytes.NewBuffer(b)
		got, err := s.ReadParams(stream, f.Family())
		require.NoError(t, err)
		require.Equal(t, parameters(f), got)
		require.Equal(t, len(b)-len(header), stream.Len(), "the header is read, and no byte after it")
	}
	i := rapid.IntRange(0, len(header)-1).Draw(t, "offset")
	damaged, other := bytes.Clone(header), bytes.Clone(good)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	other[offsetKind] = otherKind(other)
	Reseal(other)
	for _, bad := range [][]byte{header[:i], damaged, other} {
		_, err := s.ReadParams(bytes.NewReader(bad), f.Family())
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
	_, err := s.ReadParams(bytes.NewReader(header), f.Family().Derive("another"))
	require.ErrorIs(t, err, hashfam.ErrFamily)
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
	fromJSON, fromXML := document{s.Receiver(f.Family())}, document{s.Receiver(f.Family())}
	require.NoError(t, json.Unmarshal(b, &fromJSON))
	require.NoError(t, xml.Unmarshal(x, &fromXML))
	require.True(t, fromJSON.Filter.Equal(f) && fromXML.Filter.Equal(f))
	text, err := f.MarshalText()
	require.NoError(t, err)
	for _, bad := range []string{"", "{}", string(text[1:]), string(text[:len(text)-1]), "?" + string(text[1:])} {
		require.ErrorIs(t, f.UnmarshalText([]byte(bad)), hashfam.ErrCorrupt)
	}
	require.True(t, fromXML.Filter.Equal(f), "a failed decode changed the receiver")
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

// golden checks that a file in testdata is decoded to the structure that it
// encodes, and that this is still encoded to the same bytes.
func (s Suite[T]) golden(t *testing.T, g Golden[T], b []byte) {
	conformance.RequireGolden(t, g.File, b)
	f := s.Receiver(g.Build().Family())
	require.NoError(t, f.UnmarshalBinary(b), g.File)
	require.True(t, f.Equal(g.Build()), g.File)
	require.Equal(t, b, encode(t, f), g.File)
}

var errBroken = errors.New("broken cable")

// failingReaders reads a golden file from streams that fail at every byte, with
// the byte before or after it, and from streams that stall there. ReadFrom must
// return the number of bytes read and the error of the stream, which is not
// damage, and must leave the receiver unchanged.
func (s Suite[T]) failingReaders(t *testing.T, g Golden[T], b []byte) {
	f := s.example(g.Build().Family())
	own := encode(t, f)
	stalled := reader(func([]byte) (int, error) { return 0, nil })
	for cut := range b {
		head := func() io.Reader { return bytes.NewReader(b[:cut]) }
		for r, want := range map[io.Reader]error{
			io.MultiReader(head(), iotest.ErrReader(errBroken)):                       errBroken,
			iotest.DataErrReader(io.MultiReader(head(), iotest.ErrReader(errBroken))): errBroken,
			io.MultiReader(head(), stalled):                                           io.ErrNoProgress,
		} {
			n, err := f.ReadFrom(r)
			require.EqualValues(t, cut, n)
			require.ErrorIs(t, err, want)
			require.NotErrorIs(t, err, hashfam.ErrCorrupt)
			require.NotErrorIs(t, err, io.EOF)
		}
		require.True(t, bytes.Equal(own, encode(t, f)), "a failed read changed the receiver")
	}
	require.ErrorIs(t, readFrom(f, bytes.NewReader(nil)), io.EOF, "the end of a stream")
}

// failingWriters writes a structure to writers that accept a number of bytes,
// with and without an error. WriteTo must return how many and the error, and
// write no more.
func (s Suite[T]) failingWriters(t *testing.T, g Golden[T], b []byte) {
	f := g.Build()
	for room := range b {
		for failure, want := range map[error]error{errBroken: errBroken, nil: io.ErrShortWrite} {
			var accepted []byte
			failed := false
			n, err := f.WriteTo(writer(func(piece []byte) (int, error) {
				require.False(t, failed, "WriteTo wrote on after an error")
				n := min(len(piece), room-len(accepted))
				accepted = append(accepted, piece[:n]...)
				if failed = n < len(piece); failed {
					return n, failure
				}
				return n, nil
			}))
			require.ErrorIs(t, err, want)
			require.EqualValues(t, room, n)
			require.True(t, bytes.Equal(b[:room], accepted), "other bytes were written")
		}
	}
	require.Equal(t, b, encode(t, f), "a failed write changed the structure")
}
