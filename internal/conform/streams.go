package conform

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

// streams checks that ReadFrom reads one frame and no byte after it, and that
// it returns io.EOF at the end of the stream.
func (e Encoded[T]) streams(t *rapid.T) {
	fam := drawFamily(t)
	a, _ := e.fill(t, fam)
	b, _ := e.fill(t, fam)
	stream := bytes.NewBuffer(append(encode(t, a), encode(t, b)...))
	for _, want := range []T{a, b} {
		g := e.Receiver(fam)
		require.NoError(t, readFrom(g, stream))
		require.True(t, g.Equal(want))
	}
	require.ErrorIs(t, readFrom(e.Receiver(fam), stream), io.EOF)
}

// failingReaders reads the golden files from streams that fail at every byte,
// with the byte before or after it, and from streams that stall there. ReadFrom
// must return the number of bytes read and the error of the stream, which is no
// damage, and must leave the receiver unchanged.
func (e Encoded[T]) failingReaders(t *testing.T) {
	for _, g := range e.Golden {
		b := encode(t, g.Build())
		f := e.example(g.Build().Family())
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
			if !bytes.Equal(own, encode(t, f)) {
				require.Fail(t, "a failed read changed the receiver")
			}
		}
	}
}

// failingWriters writes the structures of the golden files to writers that
// accept no byte after any of them, with and without an error. WriteTo must
// return the number of bytes accepted and the error, and write no more.
func (e Encoded[T]) failingWriters(t *testing.T) {
	for _, g := range e.Golden {
		f := g.Build()
		b := encode(t, f)
		for room := range b {
			for failure, want := range map[error]error{errBroken: errBroken, nil: io.ErrShortWrite} {
				w := full{room: room, err: failure}
				n, err := f.WriteTo(&w)
				require.ErrorIs(t, err, want)
				require.EqualValues(t, room, n)
				require.True(t, bytes.Equal(b[:room], w.accepted), "other bytes were written")
				require.False(t, w.again, "WriteTo wrote on after an error")
			}
		}
		require.Equal(t, b, encode(t, f), "a failed write changed the structure")
	}
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
