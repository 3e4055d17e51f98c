package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// RoundTrip checks that decoding an encoded structure returns an equal one,
// from slices and streams of any kind, and that equal structures have equal
// bytes.
func (s Suite[T]) RoundTrip(t *rapid.T) {
	fam := drawFamily(t)
	f := s.Fresh(t, fam)
	for _, k := range drawKeys(t, "keys") {
		s.Insert(f, k)
	}
	b := encode(t, f)
	appended, err := f.AppendBinary([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, append([]byte("before"), b...), appended)
	var w bytes.Buffer
	n, err := f.WriteTo(&w)
	require.NoError(t, err)
	require.EqualValues(t, len(b), n)
	require.Equal(t, b, w.Bytes())

	g := s.Receiver(fam)
	require.NoError(t, g.UnmarshalBinary(b))
	require.True(t, g.Equal(f))
	require.Equal(t, b, encode(t, g))
	for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b)), iotest.DataErrReader(bytes.NewReader(b))} {
		g := s.Receiver(fam)
		n, err := g.ReadFrom(r)
		require.NoError(t, err)
		require.EqualValues(t, len(b), n)
		require.True(t, g.Equal(f))
	}
}

// Damage checks that a truncation, a flipped bit and a trailing byte are
// detected anywhere, and that they leave the receiver unchanged.
func (s Suite[T]) Damage(t *rapid.T) {
	fam := drawFamily(t)
	f, g := s.Fresh(t, fam), s.Fresh(t, fam) // often with different parameters
	for _, k := range drawKeys(t, "keys") {
		s.Insert(f, k)
	}
	good := encode(t, f)
	s.Insert(g, []byte("the receiver's own"))
	own := encode(t, g)
	check := func(damage string, b []byte) {
		require.ErrorIs(t, g.UnmarshalBinary(b), fault.ErrCorrupt, damage)
		if damage != "trailing byte" {
			_, err := g.ReadFrom(bytes.NewReader(b))
			require.ErrorIs(t, err, fault.ErrCorrupt, damage)
		}
		require.Equal(t, own, encode(t, g), "a failed decode changed the receiver")
	}
	check("trailing byte", append(bytes.Clone(good), 0))
	check("empty", nil)
	for range 24 {
		i := rapid.IntRange(0, len(good)-1).Draw(t, "offset")
		check("truncation", good[:i])
		b := bytes.Clone(good)
		b[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		check("bit flip", b)
	}
}

// The offsets of some fields in a frame, as in docs/format.md.
const (
	offsetKind     = 4
	offsetVersion  = 5
	offsetParamLen = 6
	offsetPayload  = 16
	offsetParams   = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headerBytes returns the length of the header of a frame.
func headerBytes(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[offsetParamLen:]))
	return (offsetParams + p + 8 + 63) / 64 * 64
}

// forge corrects the checksum of the header of b and returns b.
func forge(b []byte) []byte {
	end := headerBytes(b) - 8
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	return b
}

// Reseal corrects both checksums of b if b is long enough to be a frame, so
// that a decoder goes on to check the rest.
func Reseal(b []byte) {
	if len(b) < offsetParams {
		return
	}
	if p := binary.LittleEndian.Uint16(b[offsetParamLen:]); p > 256 || headerBytes(b)+8 > len(b) {
		return
	}
	forge(b)
	end := len(b) - 8
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
}

// LyingLength checks that decoding a short frame fails, and allocates little
// memory, if its header claims 2^40 bits and has a correct checksum.
func (s Suite[T]) LyingLength(t *rapid.T) {
	fam := drawFamily(t)
	good := encode(t, s.Fresh(t, fam))
	payload := bytes.Clone(good)
	binary.LittleEndian.PutUint64(payload[offsetPayload:], 1<<37)
	params := bytes.Clone(good)
	huge := s.ClaimHuge(params[offsetParams:])
	both := bytes.Clone(params)
	binary.LittleEndian.PutUint64(both[offsetPayload:], huge)
	for _, b := range [][]byte{forge(payload), forge(params), forge(both), both[:24]} {
		g := s.Receiver(fam)
		var err, streamed error
		took := allocated(func() {
			err = g.UnmarshalBinary(b)
			_, streamed = g.ReadFrom(bytes.NewReader(b))
		})
		require.ErrorIs(t, err, fault.ErrCorrupt)
		require.ErrorIs(t, streamed, fault.ErrCorrupt)
		require.Less(t, took, uint64(4<<20))
	}
}

// allocated returns the number of bytes that the process allocates while f
// runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// WrongVersion checks that decoding an intact frame returns ErrVersion if it
// has another version, and ErrCorrupt if it is of another kind.
func (s Suite[T]) WrongVersion(t *rapid.T) {
	f, _ := s.filled(t)
	good := encode(t, f)
	for offset, want := range map[int]error{offsetVersion: fault.ErrVersion, offsetKind: fault.ErrCorrupt} {
		b := bytes.Clone(good)
		b[offset] += rapid.ByteRange(1, 255).Draw(t, "change")
		Reseal(b)
		g := s.Like(f)
		before := encode(t, g)
		require.ErrorIs(t, g.UnmarshalBinary(b), want)
		_, err := g.ReadFrom(bytes.NewReader(b))
		require.ErrorIs(t, err, want)
		require.Equal(t, before, encode(t, g), "a failed decode changed the receiver")
	}
}

// WrongFamily checks that decoding a structure of another family returns
// ErrFamily.
func (s Suite[T]) WrongFamily(t *rapid.T) {
	fam := drawFamily(t)
	b := encode(t, s.Fresh(t, fam))
	other := fam.Derive("another")
	g := s.Receiver(other)
	require.ErrorIs(t, g.UnmarshalBinary(b), fault.ErrFamily)
	_, err := g.ReadFrom(bytes.NewReader(b))
	require.ErrorIs(t, err, fault.ErrFamily)
	require.NoError(t, g.UnmarshalBinary(encode(t, s.Fresh(t, other))), "the receiver keeps its family")

	f := s.Fresh(t, fam) // a structure in use decodes under its own family
	require.NoError(t, f.UnmarshalBinary(b))
	require.Equal(t, b, encode(t, f))
}

// Streams checks that ReadFrom reads one frame and no byte after it, and that
// it returns io.EOF at the end of the stream, and any error of the reader.
func (s Suite[T]) Streams(t *rapid.T) {
	fam := drawFamily(t)
	a, b := s.Fresh(t, fam), s.Fresh(t, fam)
	for _, k := range drawKeys(t, "keys") {
		s.Insert(b, k)
	}
	stream := bytes.NewBuffer(append(encode(t, a), encode(t, b)...))
	for _, want := range []T{a, b} {
		g := s.Receiver(fam)
		_, err := g.ReadFrom(stream)
		require.NoError(t, err)
		require.True(t, g.Equal(want))
	}
	_, err := s.Receiver(fam).ReadFrom(stream)
	require.ErrorIs(t, err, io.EOF)

	broken := errors.New("broken cable")
	good := encode(t, a)
	cut := rapid.IntRange(0, len(good)-1).Draw(t, "cut")
	_, err = s.Receiver(fam).ReadFrom(io.MultiReader(bytes.NewReader(good[:cut]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, fault.ErrCorrupt)
}

// FuzzDecode decodes any bytes. Decoding must not panic, and must not allocate
// much more than the bytes take. If it succeeds, the structure must be encoded
// to the same bytes.
func (s Suite[T]) FuzzDecode(f *testing.F) {
	for _, g := range s.Golden {
		f.Add(encode(f, g.Build()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s.decodeAny(t, b)
		b = bytes.Clone(b)
		Reseal(b) // else almost nothing gets past the checksums
		s.decodeAny(t, b)
	})
}

func (s Suite[T]) decodeAny(t *testing.T, b []byte) {
	g, h := s.Receiver(hashfam.Family{}), s.Receiver(hashfam.Family{})
	var n int64
	var err, streamed error
	took := allocated(func() {
		err = g.UnmarshalBinary(b)
		n, streamed = h.ReadFrom(bytes.NewReader(b))
	})
	require.LessOrEqual(t, took, uint64(8*len(b)+4<<20))
	require.LessOrEqual(t, n, int64(len(b)))
	if err == nil {
		require.Equal(t, b, encode(t, g))
		require.NoError(t, streamed)
	}
	if streamed == nil {
		require.Equal(t, b[:n], encode(t, h))
	}
}
