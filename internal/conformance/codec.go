package conformance

import (
	"bytes"
	"io"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ways are the names of the ways to encode and decode, see [recode].
var ways = []string{
	"MarshalBinary", "AppendBinary", "WriteTo", "MarshalText",
	"ReadFrom", "ReadFrom with half of what it asks for", "ReadFrom with data and error at once", "ReadFrom with empty reads",
}

// recode encodes f and decodes it into g, in one of the ways that there are.
func recode[S Encoded[S]](t rapid.TB, way string, f, g S) {
	b := encode(t, f)
	switch way {
	case "AppendBinary":
		appended, err := f.AppendBinary([]byte("before"))
		require.NoError(t, err)
		requireBytes(t, append([]byte("before"), b...), appended, "AppendBinary does not append the encoding")
	case "WriteTo":
		var w bytes.Buffer
		n, err := f.WriteTo(&w)
		require.NoError(t, err)
		require.EqualValues(t, w.Len(), n)
		requireBytes(t, b, w.Bytes(), "WriteTo writes other bytes")
	case "MarshalText":
		text, err := f.MarshalText()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalText(text))
		return
	}
	stream, is := streams[way]
	if is {
		recodeStream(t, stream, b, g)
		return
	}
	require.NoError(t, g.UnmarshalBinary(b))
}

// recodeStream reads b, with another frame after it, from a stream into g.
func recodeStream(t rapid.TB, stream func(io.Reader) io.Reader, b []byte, g io.ReaderFrom) {
	r := stream(bytes.NewReader(append(bytes.Clone(b), "the next frame"...)))
	n, err := g.ReadFrom(r)
	require.NoError(t, err)
	require.EqualValues(t, len(b), n, "number of bytes that ReadFrom read")
	rest, _ := io.ReadAll(r)
	require.Equal(t, "the next frame", string(rest))
}

// streams are the ways in which a stream may return its bytes.
var streams = map[string]func(io.Reader) io.Reader{
	"ReadFrom":                               func(r io.Reader) io.Reader { return r },
	"ReadFrom with half of what it asks for": iotest.HalfReader,
	"ReadFrom with data and error at once":   iotest.DataErrReader,
	"ReadFrom with empty reads": func(r io.Reader) io.Reader { // one byte at every second call, and none at the others
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

func readFrom(g io.ReaderFrom, r io.Reader) error {
	_, err := g.ReadFrom(r)
	return err
}
