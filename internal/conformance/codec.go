package conformance

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
