package conformance_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/conformance"
)

// What goes wrong outside a program does not go wrong inside, for structures of
// all kinds.
func TestFaultsOfTheWorld(t *testing.T) {
	all := samples(t)
	for name, check := range map[string]func(*testing.T, []sample){
		"there is a sample of every kind":                everyKind,
		"a stream of all kinds is read frame by frame":   streamOfAllKinds,
		"garbage between frames is an error":             garbage,
		"a write that fails in any piece tells how much": failingPieces,
		"a full disk is an error":                        fullDisk,
		"a device that is full is an error":              fullDevice,
	} {
		t.Run(name, func(t *testing.T) { check(t, all) })
	}
}

// streamOfAllKinds checks that structures of all kinds, one after the other in
// a stream of each sort, are read one at a time, and that io.EOF follows.
func streamOfAllKinds(t *testing.T, all []sample) {
	var stream bytes.Buffer
	for _, s := range all {
		n, err := s.value.WriteTo(&stream)
		require.NoError(t, err)
		require.EqualValues(t, len(s.frame), n)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "all"))
	require.NoError(t, err)
	defer file.Close()
	_, err = file.Write(stream.Bytes())
	require.NoError(t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	for name, r := range map[string]io.Reader{
		"memory":     bytes.NewReader(stream.Bytes()),
		"file":       file,
		"half reads": iotest.HalfReader(bytes.NewReader(stream.Bytes())),
		"a pipe":     piped(stream.Bytes()),
	} {
		for _, s := range all {
			g := s.zero()
			n, err := g.ReadFrom(r)
			require.NoError(t, err, "%s from %s", s.name, name)
			require.EqualValues(t, len(s.frame), n)
			s.requireIs(t, g)
		}
		_, err := all[0].zero().ReadFrom(r)
		require.ErrorIs(t, err, io.EOF, name)
	}
}

// piped returns a pipe into which b is written in pieces of odd lengths.
func piped(b []byte) io.Reader {
	r, w := io.Pipe()
	go func() {
		rng := rand.New(rand.NewPCG(1, 2))
		for len(b) > 0 {
			n := min(len(b), 1+rng.IntN(9973))
			if _, err := w.Write(b[:n]); err != nil {
				return
			}
			b = b[n:]
		}
		w.Close()
	}()
	return r
}

// garbage checks that bytes after a frame do not concern the frame, and that
// they are not taken for another one. Neither is a frame of another kind.
func garbage(t *testing.T, all []sample) {
	noise := bytes.Repeat([]byte("no frame. "), 10)
	for i, s := range all {
		next := all[(i+1)%len(all)]
		r := bytes.NewReader(bytes.Join([][]byte{s.frame, noise, next.frame}, nil))
		g := s.zero()
		_, err := g.ReadFrom(r)
		require.NoError(t, err, s.name)
		n, err := g.ReadFrom(r)
		require.ErrorIs(t, err, bloom.ErrCorrupt, s.name)
		require.LessOrEqual(t, n, int64(len(noise)), "no frame was searched for")
		if next.kind() != s.kind() {
			_, err = g.ReadFrom(bytes.NewReader(next.frame))
			require.ErrorContains(t, err, s.kind().String(), s.name)
		}
		s.requireIs(t, g) // a failed read changes nothing
	}
}

// A short writer accepts a number of bytes.
type short struct {
	bytes.Buffer
	room int
	err  error
}

func (w *short) Write(b []byte) (int, error) {
	if n := w.room - w.Len(); n < len(b) {
		w.Buffer.Write(b[:n])
		return n, w.err
	}
	return w.Buffer.Write(b)
}

// failingPieces checks writes of frames in several pieces that fail at the ends
// of the pieces and anywhere else.
func failingPieces(t *testing.T, all []sample) {
	broken := errors.New("broken cable")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range all {
		b := s.frame
		rooms := []int{0, 63, 64, 65, 1 << 16, 1<<16 + 63, 1<<16 + 64, len(b) - 9, len(b) - 8, len(b) - 1}
		for range 10 {
			rooms = append(rooms, rng.IntN(len(b)))
		}
		for _, room := range rooms {
			for _, w := range []*short{{room: room, err: broken}, {room: room}} {
				n, err := s.value.WriteTo(w)
				want := w.err
				if want == nil {
					want = io.ErrShortWrite
				}
				require.ErrorIs(t, err, want, s.name)
				require.EqualValues(t, room, n, s.name)
				require.True(t, bytes.Equal(b[:room], w.Bytes()), s.name)
			}
		}
	}
}

// fullDisk checks that WriteTo to a full disk returns the error of the disk and
// how much was written, and that reading it back returns ErrCorrupt.
func fullDisk(t *testing.T, all []sample) {
	name := filepath.Join(conformance.SmallDisk(t), "frame")
	for _, s := range all {
		file, err := os.Create(name)
		require.NoError(t, err)
		n, err := s.value.WriteTo(file)
		require.ErrorIs(t, err, syscall.ENOSPC, s.name)
		written, err := os.ReadFile(name)
		require.NoError(t, err)
		require.EqualValues(t, len(written), n)
		require.Equal(t, conformance.SmallDiskBytes, len(written), "the disk is full")
		require.True(t, bytes.HasPrefix(s.frame, written))
		_, err = file.Seek(0, io.SeekStart)
		require.NoError(t, err)
		_, err = s.zero().ReadFrom(file)
		require.ErrorIs(t, err, bloom.ErrCorrupt)
		require.NoError(t, file.Close())
	}
}

// fullDevice writes to a device that refuses every byte.
func fullDevice(t *testing.T, all []sample) {
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	for _, s := range all {
		n, err := s.value.WriteTo(file)
		require.ErrorIs(t, err, syscall.ENOSPC, s.name)
		require.Zero(t, n)
	}
}
