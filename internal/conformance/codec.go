package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// RoundTrip checks that decoding an encoded structure returns an equal one,
// from slices and streams of any kind, and that equal structures have equal
// bytes.
func (e Encoded[T]) RoundTrip(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.filled(t, fam)
	b := encode(t, f)
	appended, err := f.AppendBinary([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, append([]byte("before"), b...), appended)
	var w bytes.Buffer
	n, err := f.WriteTo(&w)
	require.NoError(t, err)
	require.EqualValues(t, len(b), n)
	require.Equal(t, b, w.Bytes())

	g := e.Receiver(fam)
	require.NoError(t, g.UnmarshalBinary(b))
	require.True(t, g.Equal(f))
	require.Equal(t, b, encode(t, g))
	for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b)), iotest.DataErrReader(bytes.NewReader(b))} {
		g := e.Receiver(fam)
		n, err := g.ReadFrom(r)
		require.NoError(t, err)
		require.EqualValues(t, len(b), n)
		require.True(t, g.Equal(f))
	}
}

// Equality checks that two structures are equal if and only if their encodings
// are.
func (e Encoded[T]) Equality(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.filled(t, fam)
	g, _ := e.filled(t, rapid.SampledFrom([]hashfam.Family{fam, fam.Derive("another")}).Draw(t, "other family"))
	same := bytes.Equal(encode(t, f), encode(t, g))
	require.Equal(t, same, f.Equal(g))
	require.Equal(t, same, g.Equal(f))
	require.True(t, f.Equal(f))
}

// LyingLength checks that decoding a short frame fails, and allocates little
// memory, if its header claims 2^40 bits and has a correct checksum.
func (e Encoded[T]) LyingLength(t *rapid.T) {
	fam := drawFamily(t)
	frames := e.lying(encode(t, e.Fresh(t, fam)))
	for _, b := range append(frames, frames[0][:offsetParams]) {
		g := e.Receiver(fam)
		var err, streamed error
		took := allocated(func() {
			err = g.UnmarshalBinary(b)
			_, streamed = g.ReadFrom(bytes.NewReader(b))
		})
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorIs(t, streamed, hashfam.ErrCorrupt)
		require.Less(t, took, uint64(4<<20))
	}
}

// lying returns the frame good with headers that claim 2^40 bits and have
// correct checksums: by the length of the payload, by the parameters, and last
// by both, so that they agree.
func (e Encoded[T]) lying(good []byte) [][]byte {
	length, params := bytes.Clone(good), bytes.Clone(good)
	binary.LittleEndian.PutUint64(length[offsetPayload:], 1<<37)
	huge := e.ClaimHuge(params[offsetParams:])
	both := bytes.Clone(params)
	binary.LittleEndian.PutUint64(both[offsetPayload:], huge)
	return [][]byte{forge(length), forge(params), forge(both)}
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

// LeastAllocated returns the least number of bytes that the process allocates
// in that many runs of f. What else it does meanwhile is not in all of them.
func LeastAllocated(runs int, f func()) uint64 {
	least := allocated(f)
	for range runs - 1 {
		least = min(least, allocated(f))
	}
	return least
}

// WrongVersion checks that decoding an intact frame returns ErrVersion if it
// has another version, and ErrCorrupt if it is of another kind.
func (e Encoded[T]) WrongVersion(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.filled(t, fam)
	good := encode(t, f)
	for offset, want := range map[int]error{offsetVersion: hashfam.ErrVersion, offsetKind: hashfam.ErrCorrupt} {
		b := bytes.Clone(good)
		b[offset] += rapid.ByteRange(1, 255).Draw(t, "change")
		Reseal(b)
		g := e.Fresh(t, fam)
		before := encode(t, g)
		require.ErrorIs(t, g.UnmarshalBinary(b), want)
		_, err := g.ReadFrom(bytes.NewReader(b))
		require.ErrorIs(t, err, want)
		require.Equal(t, before, encode(t, g), "a failed decode changed the receiver")
	}
}

// WrongFamily checks that decoding a structure of another family returns
// ErrFamily.
func (e Encoded[T]) WrongFamily(t *rapid.T) {
	fam := drawFamily(t)
	b := encode(t, e.Fresh(t, fam))
	other := fam.Derive("another")
	g := e.Receiver(other)
	require.ErrorIs(t, g.UnmarshalBinary(b), hashfam.ErrFamily)
	_, err := g.ReadFrom(bytes.NewReader(b))
	require.ErrorIs(t, err, hashfam.ErrFamily)
	require.NoError(t, g.UnmarshalBinary(encode(t, e.Fresh(t, other))), "the receiver keeps its family")

	f := e.Fresh(t, fam) // a structure in use decodes under its own family
	require.NoError(t, f.UnmarshalBinary(b))
	require.Equal(t, b, encode(t, f))
}

// Streams checks that ReadFrom reads one frame and no byte after it, and that
// it returns io.EOF at the end of the stream, and any error of the reader.
func (e Encoded[T]) Streams(t *rapid.T) {
	fam := drawFamily(t)
	a := e.Fresh(t, fam)
	b, _ := e.filled(t, fam)
	stream := bytes.NewBuffer(append(encode(t, a), encode(t, b)...))
	for _, want := range []T{a, b} {
		g := e.Receiver(fam)
		_, err := g.ReadFrom(stream)
		require.NoError(t, err)
		require.True(t, g.Equal(want))
	}
	_, err := e.Receiver(fam).ReadFrom(stream)
	require.ErrorIs(t, err, io.EOF)

	broken := errors.New("broken cable")
	good := encode(t, a)
	cut := rapid.IntRange(0, len(good)-1).Draw(t, "cut")
	_, err = e.Receiver(fam).ReadFrom(io.MultiReader(bytes.NewReader(good[:cut]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, hashfam.ErrCorrupt)
}

// FuzzDecode decodes any bytes. Decoding must not panic, and must not allocate
// much more than the bytes take. If it succeeds, the structure must be encoded
// to the same bytes.
func (e Encoded[T]) FuzzDecode(f *testing.F) {
	for _, g := range e.Golden {
		f.Add(encode(f, g.Build()))
	}
	FuzzBytes(f, func(t *testing.T, b []byte) {
		e.decodeAny(t, hashfam.Family{}, b)
		b = bytes.Clone(b)
		Reseal(b) // else almost nothing gets past the checksums
		e.decodeAny(t, hashfam.Family{}, b)
	})
}

// decodeAny decodes b, which may be anything. It returns nil if b is not valid.
func (e Encoded[T]) decodeAny(t require.TestingT, fam hashfam.Family, b []byte) *T {
	g, h := e.Receiver(fam), e.Receiver(fam)
	var n int64
	var err, streamed error
	took := allocated(func() {
		err = g.UnmarshalBinary(b)
		n, streamed = h.ReadFrom(bytes.NewReader(b))
	})
	require.LessOrEqual(t, took, uint64(8*len(b)+4<<20))
	require.LessOrEqual(t, n, int64(len(b)))
	if streamed == nil {
		require.Equal(t, b[:n], encode(t, h))
	}
	if err != nil {
		return nil
	}
	require.Equal(t, b, encode(t, g))
	require.NoError(t, streamed)
	return &g
}
