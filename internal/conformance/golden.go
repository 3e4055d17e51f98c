package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// Update is true if golden files that do not exist yet should be written.
var Update = flag.Bool("update", false, "write new golden files, and the test vectors of docs/format.md")

// golden checks that a golden file is decoded to the expected structure, and
// that this structure is still encoded to the same bytes.
func (s Structure) golden(t rapid.TB, file string, built Encoded) {
	b, f := encode(t, built), s.receiver(built.Family())
	RequireGolden(t, file, b)
	require.NoError(t, f.UnmarshalBinary(b))
	require.True(t, s.equal(f, built))
	requireBytes(t, b, encode(t, f), "the decoded structure is encoded differently")
	s.everyDamage(t, b, built.Family())
}

// RequireGolden compares encoded with the contents of testdata/name. With
// -update it creates the file if it does not exist.
func RequireGolden(t rapid.TB, name string, encoded []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && *Update {
		b, err = encoded, os.WriteFile(file, encoded, 0o644)
	}
	require.NoError(t, err)
	require.Equal(t, b, encoded, name)
}

// everyDamage truncates a frame anywhere, appends a byte, and flips each bit in
// the header and at the end, and a bit in each other byte, which a checksum
// covers. If a frame with a flipped bit has correct checksums, it can be valid.
func (s Structure) everyDamage(t rapid.TB, b []byte, fam hashfam.Family) {
	f := s.example(fam)
	for i := range b {
		s.decode(t, f, b[:i], hashfam.ErrCorrupt, ways[i%len(ways)])
		edge := i < headerBytes(b)+8 || i >= len(b)-16
		for bit := range 8 {
			if edge || bit == i%8 {
				changed, way := bytes.Clone(b), ways[(i+bit)%len(ways)]
				changed[i] ^= 1 << bit
				s.decode(t, f, changed, hashfam.ErrCorrupt, way)
				if Reseal(changed); i >= offsetParams {
					s.decode(t, s.receiver(fam), changed, nil, way)
				}
			}
		}
	}
	s.decode(t, f, append(b, 0), hashfam.ErrCorrupt) // a byte after the frame
	require.ErrorIs(t, f.UnmarshalText(append(textOf(b), '?')), hashfam.ErrCorrupt)
}

var errBroken = errors.New("broken cable")

// streams reads from streams that fail or stall, and writes to streams that
// fail. It checks the errors and the returned numbers of bytes.
func (s Structure) streams(t *rapid.T, f Encoded, _ []string) {
	b := encode(t, f)
	room := rapid.IntRange(0, len(b)-1).Draw(t, "room")
	until := func(err error) io.Reader { return io.MultiReader(bytes.NewReader(b[:room]), iotest.ErrReader(err)) }
	used, _ := s.filled(t, f.Family())
	own := encode(t, used)
	for r, want := range map[io.Reader]error{
		until(errBroken):                       errBroken,
		iotest.DataErrReader(until(errBroken)): errBroken,
		until(nil):                             io.ErrNoProgress,
		bytes.NewReader(nil):                   io.EOF,
	} {
		n, err := used.ReadFrom(r)
		ok := errors.Is(err, want) && (want == io.EOF || n == int64(room) && !errors.Is(err, io.EOF) && !errors.Is(err, hashfam.ErrCorrupt))
		must(t, ok, "read %d of %d bytes: %v, want %v", n, room, err, want)
	}
	requireBytes(t, own, encode(t, used), "a failed read changed the receiver")
	for failure, want := range map[error]error{errBroken: errBroken, nil: io.ErrShortWrite} {
		w := &writer{room: room, err: failure}
		n, err := f.WriteTo(w)
		must(t, n == int64(room) && errors.Is(err, want), "wrote %d of %d bytes: %v, want %v", n, room, err, want)
		requireBytes(t, b[:room], w.got, "other bytes were written")
	}
	requireBytes(t, b, encode(t, f), "a failed write changed the structure")
}

// A writer returns err when it has received room bytes.
type writer struct {
	got  []byte
	room int
	err  error
	full bool
}

func (w *writer) Write(b []byte) (int, error) {
	if w.full {
		return 0, errors.New("written after an error")
	}
	n := min(len(b), w.room-len(w.got))
	w.got = append(w.got, b[:n]...)
	if w.full = n < len(b); w.full {
		return n, w.err
	}
	return n, nil
}

// lyingLength checks that a frame that claims to have 2^40 bits is rejected,
// and that the decoder does not allocate memory for them.
func (s Structure) lyingLength(t rapid.TB) {
	golden := s.Golden[slices.Min(slices.Collect(maps.Keys(s.Golden)))]()
	lie := encode(t, golden)
	binary.LittleEndian.PutUint64(lie[offsetPayload:], s.ClaimHuge(lie[offsetParams:]))
	Reseal(lie)
	require.NoError(t, s.header(t, lie, golden.Family(), nil), "the header is already invalid")
	f := s.example(golden.Family())
	for _, b := range [][]byte{lie, lie[:offsetParams], append(lie, make([]byte, 4<<20)...)} {
		took := LeastAllocated(1, func() { s.decode(t, f, b, hashfam.ErrCorrupt, ways...) })
		require.LessOrEqual(t, took, uint64(64*len(b)+1<<20))
	}
}

// zeroValue checks that a zero value can decode structures of the public
// family. Neither this value nor a receiver can be encoded.
func (s Structure) zeroValue(t rapid.TB) {
	for _, none := range []Encoded{s.zero(), s.receiver(keyed)} {
		_, marshaled := none.MarshalBinary()
		_, text := none.MarshalText()
		n, written := none.WriteTo(io.Discard)
		for _, err := range []error{marshaled, text, written} {
			require.ErrorIs(t, err, hashfam.ErrParams)
		}
		require.Zero(t, n)
	}
	f := s.example(hashfam.Family{})
	for _, way := range ways {
		g := s.zero()
		require.NoError(t, way.decode(g, encode(t, f)))
		require.True(t, s.equal(g, f), way.name)
	}
	require.ErrorIs(t, s.zero().UnmarshalBinary(encode(t, s.example(keyed))), hashfam.ErrFamily)
}
