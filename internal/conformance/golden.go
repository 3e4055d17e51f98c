package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// golden checks that a file in testdata is decoded to the structure that it
// encodes, and that this is still encoded to the same bytes. Then it damages
// the bytes, and reads and writes them with streams that fail.
func (s Frames[S]) golden(t rapid.TB, g Golden[S], b []byte) {
	RequireGolden(t, g.File, b)
	f := s.Receiver(g.Build().Family())
	require.NoError(t, f.UnmarshalBinary(b))
	require.True(t, f.Equal(g.Build()))
	requireBytes(t, b, encode(t, f), "the decoded structure is encoded differently")
	s.everyDamage(t, g, b)
	s.failingReaders(t, g, b)
	s.failingWriters(t, g, b)
}

// RequireGolden checks that the file of that name in testdata has the bytes of
// encoded. With -update it writes the file if it does not exist yet.
func RequireGolden(t rapid.TB, name string, encoded []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && *update {
		b, err = encoded, os.WriteFile(file, encoded, 0o644)
	}
	require.NoError(t, err)
	require.Equal(t, b, encoded, name)
}

// everyDamage checks that every truncation and every flipped bit of a golden
// file is detected, and a byte after it. If the checksums of a frame with a
// flipped bit are corrected and it can then be decoded, it must be encoded to
// the same bytes: decoders ignore no bit of a frame.
func (s Frames[S]) everyDamage(t rapid.TB, g Golden[S], b []byte) {
	fam := g.Build().Family()
	f := s.example(fam)
	for i := range b {
		s.decode(t, f, b[:i], hashfam.ErrCorrupt)
		for bit := range 8 {
			changed := bytes.Clone(b)
			changed[i] ^= 1 << bit
			if bit == i%8 {
				s.decode(t, f, changed, hashfam.ErrCorrupt)
			} else if !errors.Is(f.UnmarshalBinary(changed), hashfam.ErrCorrupt) {
				t.Fatalf("bit %d of byte %d is ignored", bit, i)
			}
			if Reseal(changed); i < offsetParams {
				continue
			}
			if g := s.Receiver(fam); bit == i%8 {
				s.decode(t, g, changed, nil)
			} else if g.UnmarshalBinary(changed) == nil {
				requireBytes(t, changed, encode(t, g), "decoded something else")
			}
		}
	}
	b = append(b, 0)
	require.ErrorIs(t, f.UnmarshalBinary(b), hashfam.ErrCorrupt, "a byte after the frame")
	require.ErrorIs(t, s.viewAny(t, b, fam, hashfam.ErrCorrupt), hashfam.ErrCorrupt, "a byte after the frame")
}

var errBroken = errors.New("broken cable")

// failingReaders reads a golden file from streams that fail at every byte, with
// the byte before or after it, and from streams that stall there. ReadFrom must
// return the number of bytes read and the error of the stream, which is not
// damage, and must leave the receiver unchanged.
func (s Frames[S]) failingReaders(t rapid.TB, g Golden[S], b []byte) {
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
			if n != int64(cut) || !errors.Is(err, want) || errors.Is(err, hashfam.ErrCorrupt) || errors.Is(err, io.EOF) {
				t.Fatalf("read %d of %d bytes: %v, want %v", n, cut, err, want)
			}
		}
		requireBytes(t, own, encode(t, f), "a failed read changed the receiver")
	}
	require.ErrorIs(t, readFrom(f, bytes.NewReader(nil)), io.EOF, "the end of a stream")
}

// failingWriters writes a structure to writers that accept a number of bytes,
// with and without an error. WriteTo must return how many and the error, and
// write no more.
func (s Frames[S]) failingWriters(t rapid.TB, g Golden[S], b []byte) {
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
			if n != int64(room) || !errors.Is(err, want) {
				t.Fatalf("wrote %d of %d bytes: %v, want %v", n, room, err, want)
			}
			requireBytes(t, b[:room], accepted, "other bytes were written")
		}
	}
	requireBytes(t, b, encode(t, f), "a failed write changed the structure")
}

// lyingLength checks that a frame whose header promises 2^40 bits and has
// correct checksums is rejected, and that this allocates memory only in
// proportion to the bytes that there are.
func (s Frames[S]) lyingLength(t rapid.TB) {
	golden := s.Golden[0].Build()
	lie := encode(t, golden)
	binary.LittleEndian.PutUint64(lie[offsetPayload:], s.ClaimHuge(lie[offsetParams:]))
	Reseal(lie)
	if s.Header != nil {
		err := s.Header(t, bytes.NewReader(lie), golden.Family(), nil)
		require.NoError(t, err, "decoding does not rely on a header that promises something invalid")
	}
	f := s.example(golden.Family())
	for _, b := range [][]byte{lie, lie[:offsetParams], append(lie, make([]byte, 4<<20)...)} {
		took := LeastAllocated(1, func() { s.decode(t, f, b, hashfam.ErrCorrupt) })
		require.LessOrEqual(t, took, uint64(16*len(b)+1<<20))
	}
}

// LeastAllocated returns the least number of bytes that the process allocates
// in that many runs of f. What else it does meanwhile is not in all of them.
func LeastAllocated(runs int, f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range runs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// zeroValue checks that a zero value decodes structures of the public family,
// and that neither it nor a receiver can be encoded.
func (s Frames[S]) zeroValue(t rapid.TB) {
	for _, none := range []S{s.Zero(), s.Receiver(keyed)} {
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
	for _, way := range ways {
		g := s.Zero()
		recode(t, way, f, g)
		require.True(t, g.Equal(f), way)
	}
	require.ErrorIs(t, s.Zero().UnmarshalBinary(encode(t, s.example(keyed))), hashfam.ErrFamily)
}
