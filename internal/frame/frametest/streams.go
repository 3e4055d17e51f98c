package frametest

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// An Encoder can be encoded as a frame.
type Encoder interface {
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.TextMarshaler
	io.WriterTo
}

// Encodings returns the frame of f, and checks that all methods return or write
// it.
func Encodings(t rapid.TB, f Encoder) []byte {
	var w bytes.Buffer
	b, errMarshal := f.MarshalBinary()
	appended, errAppend := f.AppendBinary([]byte("before"))
	text, errText := f.MarshalText()
	n, errWrite := f.WriteTo(&w)
	require.NoError(t, errors.Join(errMarshal, errAppend, errText, errWrite))
	Equal(t, append([]byte("before"), b...), appended, "AppendBinary does not append the encoding")
	Equal(t, Text(b), text, "MarshalText does not return the encoding")
	Equal(t, b, w.Bytes(), "WriteTo does not write the encoding")
	require.EqualValues(t, len(b), n)
	return b
}

// Text returns the frame b as text.
func Text(b []byte) []byte { return base64.StdEncoding.AppendEncode(nil, b) }

var errBroken = errors.New("broken cable")

// Streams checks the errors and byte counts of failing reads and writes. It
// calls into.ReadFrom with streams that contain only a part of the frame b and
// then fail or stall, and with an empty stream. It calls from.WriteTo, which
// must write b, with writers that fail.
func Streams(t *rapid.T, into io.ReaderFrom, from io.WriterTo, b []byte) {
	room := rapid.IntRange(0, len(b)-1).Draw(t, "room")
	until := func(err error) io.Reader { return io.MultiReader(bytes.NewReader(b[:room]), iotest.ErrReader(err)) }
	for r, want := range map[io.Reader]error{
		until(errBroken):                       errBroken,
		iotest.DataErrReader(until(errBroken)): errBroken,
		until(nil):                             io.ErrNoProgress,
		bytes.NewReader(nil):                   io.EOF,
	} {
		n, err := into.ReadFrom(r)
		ok := errors.Is(err, want)
		if want != io.EOF {
			ok = ok && n == int64(room) && !errors.Is(err, io.EOF) && !errors.Is(err, hashfam.ErrCorrupt)
		}
		require.True(t, ok, "read %d of %d bytes: %v, want %v", n, room, err, want)
	}
	for failure, want := range map[error]error{errBroken: errBroken, nil: io.ErrShortWrite} {
		w := &writer{room: room, err: failure}
		n, err := from.WriteTo(w)
		require.True(t, n == int64(room) && errors.Is(err, want), "wrote %d of %d bytes: %v, want %v", n, room, err, want)
		Equal(t, b[:room], w.got, "other bytes were written")
	}
}

// A writer accepts room bytes, then returns err once, and then accepts
// everything.
type writer struct {
	got  []byte
	room int
	err  error
}

func (w *writer) Write(b []byte) (int, error) {
	n := min(len(b), w.room)
	w.got = append(w.got, b[:n]...)
	w.room -= n
	if n < len(b) {
		w.room = math.MaxInt
		return n, w.err
	}
	return n, nil
}
