package conformance

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

var errBroken = errors.New("broken cable")

// streams are the ways in which a stream may return its bytes.
var streams = []func(io.Reader) io.Reader{
	func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
	func(r io.Reader) io.Reader { return &hesitant{r: r} },
}

// streams checks that ReadFrom reads one frame and no byte after it, and that
// it returns io.EOF at the end of the stream.
func (s Suite[T]) streams(t *rapid.T, f T, _ [][]byte) {
	other, _ := s.fill(t, f.Family())
	stream := bytes.NewBuffer(append(encode(t, f), encode(t, other)...))
	for _, want := range []T{f, other} {
		g := s.Receiver(f.Family())
		require.NoError(t, readFrom(g, stream))
		require.True(t, g.Equal(want))
	}
	require.ErrorIs(t, readFrom(s.Receiver(f.Family()), stream), io.EOF)
}

// failingReaders reads a golden file from streams that fail at every byte, with
// the byte before or after it, and from streams that stall there. ReadFrom must
// return the number of bytes read and the error of the stream, which is not
// damage, and must leave the receiver unchanged.
func (s Suite[T]) failingReaders(t *testing.T, golden T, b []byte) {
	f := s.example(golden.Family())
	own := encode(t, f)
	for cut := range b {
		head := func() io.Reader { return bytes.NewReader(b[:cut]) }
		for r, want := range map[io.Reader]error{
			io.MultiReader(head(), iotest.ErrReader(errBroken)):                       errBroken,
			iotest.DataErrReader(io.MultiReader(head(), iotest.ErrReader(errBroken))): errBroken,
			io.MultiReader(head(), stalled{}):                                         io.ErrNoProgress,
		} {
			n, err := f.ReadFrom(r)
			require.EqualValues(t, cut, n)
			require.ErrorIs(t, err, want)
			require.NotErrorIs(t, err, hashfam.ErrCorrupt)
			require.NotErrorIs(t, err, io.EOF)
		}
		require.True(t, bytes.Equal(own, encode(t, f)), "a failed read changed the receiver")
	}
}

// failingWriters writes a structure to writers that accept a number of bytes,
// with and without an error. WriteTo must return how many and the error, and
// write no more.
func (s Suite[T]) failingWriters(t *testing.T, golden T, b []byte) {
	for room := range b {
		for failure, want := range map[error]error{errBroken: errBroken, nil: io.ErrShortWrite} {
			w := full{room: room, err: failure}
			n, err := golden.WriteTo(&w)
			require.ErrorIs(t, err, want)
			require.EqualValues(t, room, n)
			require.True(t, bytes.Equal(b[:room], w.accepted), "other bytes were written")
			require.False(t, w.again, "WriteTo wrote on after an error")
		}
	}
	require.Equal(t, b, encode(t, golden), "a failed write changed the structure")
}

// A full writer accepts a number of bytes. A write of more is short, and
// returns err.
type full struct {
	room     int
	err      error
	accepted []byte
	failed   bool
	again    bool // there was a write after the short one
}

func (w *full) Write(b []byte) (int, error) {
	w.again = w.again || w.failed
	n := min(len(b), w.room-len(w.accepted))
	w.accepted = append(w.accepted, b[:n]...)
	if n < len(b) {
		w.failed = true
		return n, w.err
	}
	return n, nil
}

// A stalled reader returns no byte and no error.
type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

// A hesitant reader reads one byte of r at every second call, and none at the
// others.
type hesitant struct {
	r     io.Reader
	calls int
}

func (h *hesitant) Read(b []byte) (int, error) {
	if h.calls++; h.calls%2 == 1 || len(b) == 0 {
		return 0, nil
	}
	return h.r.Read(b[:1])
}
