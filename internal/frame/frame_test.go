package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/fault"
)

var errs = &fault.Maker{Package: "test"}

var header = Header{Kind: Bloom, Version: 1, Check: 0x0102030405060708, Params: make([]byte, 16)}

func encodeWords[T number](dst []byte, h Header, values []T) []byte {
	h.Payload = uint64(len(values)*sizeOf[T]()+7) / 8 * 8
	return Append(dst, h, Numbers(values))
}

func decodeWords[T number](r *Reader, n uint64) ([]T, error) {
	r.Header(header.Kind, header.Version, header.Check)
	values := Read[T](r, n)
	return values, r.Err()
}

func TestTheLayoutIsAsDocumented(t *testing.T) {
	h := header
	h.Params = []byte("12345678")
	b := encodeWords([]byte("before"), h, []uint64{0x1122334455667788})[len("before"):]
	require.Len(t, b, 64+8+8)
	require.Equal(t, "\xf1fam\x01\x01\x08\x00", string(b[:8]))
	require.Equal(t, "\x08\x07\x06\x05\x04\x03\x02\x01", string(b[8:16]))
	require.Equal(t, "\x08\x00\x00\x00\x00\x00\x00\x00", string(b[16:24]))
	require.Equal(t, "12345678", string(b[24:32]))
	require.Equal(t, make([]byte, 24), b[32:56])
	require.Equal(t, uint64(crcOf(b[:56])), binary.LittleEndian.Uint64(b[56:]))
	require.Equal(t, "\x88\x77\x66\x55\x44\x33\x22\x11", string(b[64:72]))
	require.Equal(t, uint64(crcOf(b[:72])), binary.LittleEndian.Uint64(b[72:]))
}

func TestThePayloadBeginsAtAMultipleOf64(t *testing.T) {
	for p := 0; p <= maxParams; p += 8 {
		h := header
		h.Params = bytes.Repeat([]byte{1}, p)
		b := h.append(nil)
		require.Zero(t, len(b)%64, "%d bytes of parameters", p)
		require.Less(t, len(b), 24+p+8+64)
		require.LessOrEqual(t, len(b), maxHeader)
	}
}

// A payload is the same on every platform, whether it is appended or written,
// and is read again from slices and streams, of which no byte after the frame
// is read.
func TestNumbersAreLittleEndianAndRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 8185, 8191, 8192, 8193, 50_001, 70_000} {
		checkNumbers[uint8](t, n)
		checkNumbers[uint32](t, n)
		checkNumbers[uint64](t, n)
	}
}

func checkNumbers[T number](t *testing.T, n int) {
	values, words, payload := make([]T, n), make([]uint64, n), []byte(nil)
	for i := range values {
		values[i] = T(uint64(i+1) * 0x9e3779b97f4a7c15 >> 8)
		words[i] = uint64(values[i])
		for b := range sizeOf[T]() {
			payload = append(payload, byte(words[i]>>(8*b)))
		}
	}
	payload = append(payload, make([]byte, -len(payload)&7)...)
	h := header
	h.Payload = uint64(len(payload))
	b := Append(nil, h, Numbers(values))
	require.EqualValues(t, h.Size(), len(b))
	require.True(t, bytes.Equal(payload, b[64:len(b)-8]))
	if sizeOf[T]() == 8 {
		require.True(t, bytes.Equal(b, Append(nil, h, Words(slices.Values(words)))))
	}
	var w bytes.Buffer
	written, err := Write(&w, h, Numbers(values))
	require.NoError(t, err)
	require.EqualValues(t, len(b), written)
	require.True(t, bytes.Equal(b, w.Bytes()), "the slice and the stream agree")

	w.WriteString("the next frame")
	for _, r := range []*Reader{NewBytesReader(b, errs), NewReader(iotest.HalfReader(&w), errs)} {
		got, err := decodeWords[T](r, uint64(n))
		require.NoError(t, err)
		require.Equal(t, values, got)
		require.EqualValues(t, len(b), r.n)
	}
	require.Equal(t, "the next frame", w.String())
}

// Nonzero padding is an error even if both checksums are correct.
func TestPaddingIsZero(t *testing.T) {
	good := encodeWords(nil, header, []uint32{1, 2, 3})
	for _, at := range []int{40, 55, 76, 79} {
		b := bytes.Clone(good)
		b[at] = 1
		conformance.Reseal(b)
		_, err := decodeWords[uint32](NewBytesReader(b, errs), 3)
		require.ErrorIs(t, err, hashfam.ErrCorrupt, "byte %d", at)
		require.ErrorContains(t, err, "padding")
		v, err := NewView(b, header.Kind, header.Version, header.Check, errs)
		if err == nil {
			err = v.Verify(12)
		}
		require.ErrorContains(t, err, "padding")
	}
}

func TestAnotherKindVersionOrFamilyIsAnError(t *testing.T) {
	for _, c := range []struct {
		change func(*Header)
		want   error
		text   string
	}{
		{func(h *Header) { h.Kind = Cuckoo }, hashfam.ErrCorrupt, "kind = a cuckoo filter, want a Bloom filter"},
		{func(h *Header) { h.Kind = 0 }, hashfam.ErrCorrupt, "kind = unknown kind 0, want a Bloom filter"},
		{func(h *Header) { h.Kind = Kind(len(kinds)) }, hashfam.ErrVersion, "kind = unknown kind "},
		{func(h *Header) { h.Kind = 99 }, hashfam.ErrVersion, "kind = unknown kind 99, want a Bloom filter"},
		{func(h *Header) { h.Version = 0 }, hashfam.ErrVersion, "version = 0, want 1"},
		{func(h *Header) { h.Version = 2 }, hashfam.ErrVersion, "version = 2, want 1"},
		{func(h *Header) { h.Check++ }, hashfam.ErrFamily, "family = keyed:0102030405060709, want keyed:0102030405060708"},
		{func(h *Header) { h.Check = hashfam.Family{}.CheckValue() }, hashfam.ErrFamily, "family = public, want keyed:0102030405060708"},
	} {
		h := header
		c.change(&h)
		b := encodeWords(nil, h, []uint64{1})
		_, err := decodeWords[uint64](NewBytesReader(b, errs), 1)
		require.ErrorIs(t, err, c.want)
		require.ErrorContains(t, err, c.text)
		_, err = NewView(b, header.Kind, header.Version, header.Check, errs)
		require.ErrorIs(t, err, c.want)
	}
	b := encodeWords(nil, header, []uint64{1})
	copy(b, "abcd")
	_, err := decodeWords[uint64](NewBytesReader(b, errs), 1)
	require.ErrorContains(t, err, "test: corrupt encoding: magic = 61 62 63 64, want f1 66 61 6d")
}

// Errors name a family as its text form does.
func TestErrorsNameFamiliesByTheirText(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{})
	for i := 0; keyed.CheckValue()>>60 != 0; i++ { // the text begins with a zero
		keyed = keyed.Derive(fmt.Sprint(i))
	}
	for _, fam := range []hashfam.Family{{}, keyed, keyed.Derive("another")} {
		require.Equal(t, fam.String(), familyText(fam.CheckValue()))
	}
}

// A forged header with valid checksums claims 2^40 bits. Reading fails when the
// bytes run out, after allocating memory for those and one more chunk.
func TestAClaimedLengthAllocatesNoMemory(t *testing.T) {
	h := header
	h.Payload = 1 << 37
	b := h.append(nil)
	for name, r := range map[string]func([]byte) *Reader{
		"slice":  func(b []byte) *Reader { return NewBytesReader(b, errs) },
		"memory": func(b []byte) *Reader { return NewReader(bytes.NewReader(b), errs) },
		"stream": func(b []byte) *Reader { return NewReader(iotest.OneByteReader(bytes.NewReader(b)), errs) },
	} {
		for _, data := range [][]byte{b[:24], b, append(bytes.Clone(b), make([]byte, 1000)...)} {
			var err error
			took := conformance.LeastAllocated(1, func() { _, err = decodeWords[uint64](r(data), 1<<34) })
			require.ErrorIs(t, err, hashfam.ErrCorrupt, name)
			require.Less(t, took, uint64(200_000), name)
		}
	}
}

// The memory is allocated once if the source tells its size. If it does not,
// the last of a few doubling steps allocates the whole.
func TestMemoryToReadAPayload(t *testing.T) {
	const n = 1_000_003 // words
	b := encodeWords(nil, header, make([]uint64, n))
	file := filepath.Join(t.TempDir(), "frame")
	require.NoError(t, os.WriteFile(file, append([]byte("before"), b...), 0o600))
	open := func() io.Reader {
		f, err := os.Open(file)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		_, err = f.Seek(int64(len("before")), io.SeekStart)
		require.NoError(t, err)
		return f
	}
	for _, c := range []struct {
		name   string
		source io.Reader
		most   float64
	}{
		{"memory", bytes.NewReader(b), 1.01},
		{"buffer", bytes.NewBuffer(b), 1.01},
		{"file", open(), 1.01},
		{"stream", io.MultiReader(bytes.NewReader(b)), 2.02},
	} {
		var got []uint64
		var err error
		took := conformance.LeastAllocated(1, func() { got, err = decodeWords[uint64](NewReader(c.source, errs), n) })
		require.NoError(t, err, c.name)
		require.Len(t, got, n)
		require.Equal(t, n, cap(got))
		require.LessOrEqual(t, float64(took), c.most*8*n, c.name)
	}
}

func TestErrorsOfWritersAreReturned(t *testing.T) {
	words := make([]uint64, 2*chunkBytes/wordBytes)
	h := header
	h.Payload = uint64(len(words)) * wordBytes
	for _, payload := range []Payload{Numbers(words), Words(slices.Values(words))} {
		for _, room := range []int{0, 1, 64, chunkBytes, chunkBytes + 65, int(h.Size()) - 1} {
			n, err := Write(&limited{room}, h, payload)
			require.ErrorIs(t, err, errFull)
			require.EqualValues(t, room, n)
		}
		n, err := Write(&limited{int(h.Size())}, h, payload)
		require.NoError(t, err)
		require.EqualValues(t, h.Size(), n)
	}
}

// limited accepts left bytes and then fails.
type limited struct{ left int }

var errFull = errors.New("full")

func (l *limited) Write(b []byte) (int, error) {
	n := min(l.left, len(b))
	l.left -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// An error within a frame that wraps io.EOF must not look like the end of the
// stream, or a loop that reads until io.EOF would accept a truncated file.
func TestWrappedEOFInFramesIsUnexpected(t *testing.T) {
	b := encodeWords(nil, header, []uint64{1, 2, 3})
	wrapped := fmt.Errorf("connection reset: %w", io.EOF)
	for cut := range b {
		_, err := decodeWords[uint64](NewReader(io.MultiReader(bytes.NewReader(b[:cut]), iotest.ErrReader(wrapped)), errs), 3)
		require.ErrorIs(t, err, hashfam.ErrCorrupt, "cut at %d", cut)
		if cut > 0 {
			require.NotErrorIs(t, err, io.EOF, "cut at %d", cut)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
			require.ErrorContains(t, err, "connection reset")
		}
	}
}

// stubborn breaks the contract of io.Reader: it returns no progress, too many
// bytes, or a negative number.
type stubborn int

func (s stubborn) Read(b []byte) (int, error) { return int(s) * (len(b) + 1), nil }

func TestReadersThatBreakTheirContractAreErrors(t *testing.T) {
	_, err := decodeWords[uint64](NewReader(stubborn(0), errs), 3)
	require.ErrorIs(t, err, io.ErrNoProgress)
	for _, r := range []io.Reader{stubborn(1), stubborn(-1)} {
		_, err = decodeWords[uint64](NewReader(r, errs), 3)
		require.ErrorContains(t, err, "the reader returned")
	}
	slow := &hesitant{r: bytes.NewReader(encodeWords(nil, header, []uint64{1, 2, 3}))}
	got, err := decodeWords[uint64](NewReader(slow, errs), 3)
	require.NoError(t, err, "a reader may return nothing now and then")
	require.Equal(t, []uint64{1, 2, 3}, got)
}

// hesitant returns nothing 99 times before each byte.
type hesitant struct {
	r    io.Reader
	idle int
}

func (h *hesitant) Read(b []byte) (int, error) {
	if h.idle++; h.idle%patience != 0 {
		return 0, nil
	}
	return h.r.Read(b[:1])
}

func TestAViewSharesTheBytes(t *testing.T) {
	if !viewable {
		t.Skip("no views on this platform")
	}
	checkView[uint8](t)
	checkView[uint32](t)
	checkView[uint64](t)
}

func checkView[T number](t *testing.T) {
	values := []T{1, 2, 3, 4, 5, 6, 7}
	b := encodeWords(nil, header, values)
	memory := make([]uint64, len(b)/8+1) // begins at a multiple of 8
	for shift := range 8 {
		all, ok := bytesOf(memory)
		require.True(t, ok)
		data := all[shift:][:len(b)]
		copy(data, b)
		v, err := NewView(data, header.Kind, header.Version, header.Check, errs)
		require.NoError(t, err)
		got, err := In[T](v, 7)
		if shift%sizeOf[T]() != 0 {
			require.ErrorIs(t, err, hashfam.ErrParams)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, values, got)
		require.NoError(t, v.Verify(uint64(7*sizeOf[T]())))
		data[64] ^= 1
		require.Equal(t, T(0), got[0], "the memory is shared")
		require.ErrorIs(t, v.Verify(uint64(7*sizeOf[T]())), hashfam.ErrCorrupt)
	}
}

// A blob is a structure whose encoding is its bytes.
type blob []byte

func (b blob) AppendBinary(dst []byte) ([]byte, error) {
	if b == nil {
		return dst, errFull
	}
	return append(dst, b...), nil
}

func (b *blob) UnmarshalBinary(data []byte) error {
	*b = data
	return nil
}

func TestTextIsStrictBase64(t *testing.T) {
	text, err := MarshalText(blob{1, 2, 3, 4})
	require.NoError(t, err)
	require.Equal(t, "AQIDBA==", string(text))
	var b blob
	require.NoError(t, UnmarshalText(&b, text, errs))
	require.Equal(t, blob{1, 2, 3, 4}, b)
	for _, bad := range []string{"AQIDBA", "AQIDBA=", "AQIDBB==", "A_IDBA==", "AQIDBA==x", "\x00"} {
		require.ErrorIs(t, UnmarshalText(&b, []byte(bad), errs), hashfam.ErrCorrupt, bad)
	}
	_, err = MarshalText(blob(nil))
	require.ErrorIs(t, err, errFull)
}

// A writer that returns a number of bytes that it did not get is an error, and
// the number is not counted.
func TestWritersThatLieAreErrors(t *testing.T) {
	for _, extra := range []int{1, -1000} {
		n, err := Write(lyingWriter(extra), header, Numbers([]uint64{1}))
		require.ErrorIs(t, err, errInvalidWrite)
		require.Zero(t, n)
	}
}

// A lyingWriter returns the number of bytes that it got, plus itself.
type lyingWriter int

func (w lyingWriter) Write(b []byte) (int, error) { return len(b) + int(w), nil }
