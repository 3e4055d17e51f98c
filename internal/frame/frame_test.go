package frame

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

	"github.com/filterfam/filterfam/internal/fault"
)

var header = Header{Kind: Bloom, Version: 1, Check: 0x0102030405060708, Params: make([]byte, 16)}

func decode(r *Reader, n uint64) ([]uint64, error) {
	r.Header(header.Kind, header.Version, header.Check)
	words := r.Words(n)
	return words, r.Err()
}

func TestTheLayoutIsTheDocumentedOne(t *testing.T) {
	h := header
	h.Params = []byte("12345678")
	b := AppendWords([]byte("before"), h, []uint64{0x1122334455667788})[len("before"):]
	require.Len(t, b, Overhead+8+8)
	require.Equal(t, "\xf1fam\x01\x01\x08\x00", string(b[:8]))
	require.Equal(t, "\x08\x07\x06\x05\x04\x03\x02\x01", string(b[8:16]))
	require.Equal(t, "\x08\x00\x00\x00\x00\x00\x00\x00", string(b[16:24]))
	require.Equal(t, "12345678", string(b[24:32]))
	require.Equal(t, uint64(crcOf(b[:32])), binary.LittleEndian.Uint64(b[32:]))
	require.Equal(t, "\x88\x77\x66\x55\x44\x33\x22\x11", string(b[40:48]))
	require.Equal(t, uint64(crcOf(b[:48])), binary.LittleEndian.Uint64(b[48:]))
}

func TestFramesRoundTripFromSlicesAndStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 7, 8185, 8192, 8193, 50_000}).Draw(t, "words")
		words := make([]uint64, n)
		for i := range words {
			words[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		b := AppendWords(nil, header, words)
		var w bytes.Buffer
		written, err := WriteWords(&w, header, words)
		require.NoError(t, err)
		require.EqualValues(t, len(b), written)
		require.True(t, bytes.Equal(b, w.Bytes()), "the slice and the stream agree")

		got, err := decode(NewBytesReader(b), uint64(n))
		require.NoError(t, err)
		require.Equal(t, words, got)

		w.WriteString("the next frame")
		r := NewReader(iotest.HalfReader(&w))
		got, err = decode(r, uint64(n))
		require.NoError(t, err)
		require.Equal(t, words, got)
		require.EqualValues(t, len(b), r.N())
		require.Equal(t, "the next frame", w.String(), "not one byte more is read")
	})
}

func TestEveryTruncationAndBitFlipIsFound(t *testing.T) {
	b := AppendWords(nil, header, []uint64{1, 2, 3})
	for i := range b {
		_, err := decode(NewBytesReader(b[:i]), 3)
		require.ErrorIs(t, err, fault.ErrCorrupt)
		_, err = decode(NewReader(bytes.NewReader(b[:i])), 3)
		require.ErrorIs(t, err, fault.ErrCorrupt)
		if i > 0 {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
		for bit := range 8 {
			b[i] ^= 1 << bit
			_, err := decode(NewBytesReader(b), 3)
			require.ErrorIs(t, err, fault.ErrCorrupt, "byte %d bit %d", i, bit)
			_, err = decode(NewReader(bytes.NewReader(b)), 3)
			require.ErrorIs(t, err, fault.ErrCorrupt, "byte %d bit %d", i, bit)
			b[i] ^= 1 << bit
		}
	}
	_, err := decode(NewBytesReader(append(b, 0)), 3)
	require.ErrorIs(t, err, fault.ErrCorrupt, "trailing bytes")
	_, err = decode(NewReader(bytes.NewReader(nil)), 3)
	require.ErrorIs(t, err, io.EOF)
}

func TestAnotherKindVersionOrFamilyIsToldApart(t *testing.T) {
	for _, c := range []struct {
		change func(*Header)
		want   error
	}{
		{func(h *Header) { h.Kind = Cuckoo }, fault.ErrCorrupt},
		{func(h *Header) { h.Version = 2 }, fault.ErrVersion},
		{func(h *Header) { h.Check++ }, fault.ErrFamily},
	} {
		h := header
		c.change(&h)
		_, err := decode(NewBytesReader(AppendWords(nil, h, []uint64{1})), 1)
		require.ErrorIs(t, err, c.want)
	}
}

// A forged header with valid checksums claims 2^40 bits: reading fails when
// the bytes run out, with memory for those that came and a chunk more.
func TestAClaimedLengthTakesNoMemory(t *testing.T) {
	h := header
	h.Payload = 1 << 37
	b := h.append(nil)
	for name, r := range map[string]func([]byte) *Reader{
		"slice":  NewBytesReader,
		"stream": func(b []byte) *Reader { return NewReader(bytes.NewReader(b)) },
	} {
		for _, data := range [][]byte{b[:24], b, append(bytes.Clone(b), make([]byte, 1000)...)} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := decode(r(data), 1<<34)
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, fault.ErrCorrupt, name)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
		}
	}
}

func TestErrorsOfReaderAndWriterArePassedOn(t *testing.T) {
	broken := errors.New("broken cable")
	b := AppendWords(nil, header, []uint64{1, 2, 3})
	r := NewReader(io.MultiReader(bytes.NewReader(b[:60]), iotest.ErrReader(broken)))
	_, err := decode(r, 3)
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, fault.ErrCorrupt)
	require.EqualValues(t, 60, r.N())

	for limit := range 3 {
		n, err := WriteWords(&failingWriter{limit, broken}, header, make([]uint64, 20_000))
		require.ErrorIs(t, err, broken)
		require.EqualValues(t, limit<<16, n)
	}
}

// failingWriter fails after the given number of writes.
type failingWriter struct {
	writes int
	err    error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.writes == 0 {
		return 0, w.err
	}
	w.writes--
	return len(b), nil
}

func FuzzDecode(f *testing.F) {
	f.Add(AppendWords(nil, header, []uint64{1, 2, 3}))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		words, err := decode(NewReader(bytes.NewReader(b)), 3)
		_, whole := decode(NewBytesReader(b), 3)
		if err == nil && len(b) == int(Overhead+16+24) {
			h := header
			h.Params = b[24:40]
			require.NoError(t, whole)
			require.Equal(t, b, AppendWords(nil, h, words))
		}
	})
}
