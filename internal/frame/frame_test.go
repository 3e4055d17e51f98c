package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame/frametest"
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

// Payloads have the same bytes on every platform, both when they are appended
// and when they are written. Readers must not use bytes after the frame.
func TestNumbersAreLittleEndianAndRoundTrip(t *testing.T) {
	machine.Matters(t)
	for _, n := range []int{0, 1, 3, 7, 8, 9, 8191, 8192, 8193, 70_000} {
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
		require.True(t, bytes.Equal(b, Append(nil, h, Words(uint64(len(words)), slices.Values(words)))))
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

func TestOtherKindsVersionsAndFamiliesAreErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*Header)
		want   error
		text   string
	}{
		{func(h *Header) { h.Kind = Cuckoo }, hashfam.ErrCorrupt, "kind = a cuckoo filter, want a Bloom filter"},
		{func(h *Header) { h.Kind = 0 }, hashfam.ErrCorrupt, "kind = unknown kind 0, want a Bloom filter"},
		{func(h *Header) { h.Kind = Kind(len(kinds)) }, hashfam.ErrVersion, "kind = unknown kind 17, want a Bloom filter"},
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

func TestErrorsContainTheFamilyText(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{})
	for i := 0; keyed.CheckValue()>>60 != 0; i++ { // the text begins with a zero
		keyed = keyed.Derive(fmt.Sprint(i))
	}
	for _, fam := range []hashfam.Family{{}, keyed, keyed.Derive("another")} {
		require.Equal(t, fam.String(), familyText(fam.CheckValue()))
	}
}

// If the size is known, the memory is allocated once. Otherwise it is doubled.
func TestReadingAllocatesThePayloadOnce(t *testing.T) {
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
		took := checks.LeastAllocated(1, func() { got, err = decodeWords[uint64](NewReader(c.source, errs), n) })
		require.NoError(t, err, c.name)
		require.Len(t, got, n)
		require.Equal(t, n, cap(got))
		require.LessOrEqual(t, float64(took), c.most*8*n, c.name)
	}
}

// Otherwise a loop that reads until io.EOF would accept a truncated file.
func TestWrappedEOFInFramesIsUnexpected(t *testing.T) {
	machine.Matters(t)
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
	_, err := decodeWords[uint64](NewReader(bytes.NewReader(b[:50]), errs), 3)
	require.ErrorContains(t, err, "ends after 50 bytes: unexpected EOF")
	require.NotContains(t, err.Error(), "EOF)", "says no more")
}

// A stubborn reader returns 0, too many, or a negative number of bytes.
type stubborn int

func (s stubborn) Read(b []byte) (int, error) { return int(s) * (len(b) + 1), nil }

func TestInvalidReadResultsAreErrors(t *testing.T) {
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

// A hesitant reader returns 0 bytes 99 times before each byte.
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

func TestViewsShareMemory(t *testing.T) {
	machine.Matters(t)
	if !viewable {
		t.Skip("no views on this platform")
	}
	b, _ := list{1, 2, 3}.AppendBinary(nil)
	_, _, numbers, err := listFormat.View(b, hashfam.Family{})
	require.NoError(t, err)
	require.Equal(t, []uint32{1, 2, 3}, numbers[:3])
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

// A list is a structure that uses the public family.
type list []uint32

var listFormat = Format[uint64, uint32]{
	Kind: Bloom, Version: 1, Errs: errs,
	Parse: func(h Header, _ hashfam.Family) (uint64, error) {
		w, err := h.Words(errs, 64, 16)
		if err == nil {
			err = h.CheckPayload((4*w[0]+7)/8*8, errs)
		}
		return w[0], err
	},
}

var errNone = errors.New("there is no list")

func (l list) encode() (Header, Payload, error) {
	if l == nil {
		return Header{}, nil, errNone
	}
	n := uint64(len(l))
	return listFormat.NewWords(hashfam.Family{}, (4*n+7)/8*8, n, 7), Numbers(l), nil
}

func (l list) MarshalBinary() ([]byte, error)          { return l.AppendBinary(nil) }
func (l list) MarshalText() ([]byte, error)            { return MarshalText(l) }
func (l list) AppendBinary(dst []byte) ([]byte, error) { return AppendBinary(dst, l.encode) }
func (l list) WriteTo(w io.Writer) (int64, error)      { return WriteTo(w, errs, l.encode) }
func (l *list) UnmarshalBinary(data []byte) error      { return l.decode(NewBytesReader(data, errs)) }

func (l *list) ReadFrom(r io.Reader) (int64, error) {
	fr := NewReader(r, errs)
	err := l.decode(fr)
	return fr.Bytes(), err
}

func (l *list) decode(r *Reader) error {
	n, _, err := listFormat.Header(r, hashfam.Family{})
	if err == nil {
		*l = Read[uint32](r, n)
		err = r.Err()
	}
	return err
}

func TestFormatRoundTrip(t *testing.T) {
	machine.Matters(t)
	want, got := list{1, 2, 3}, list(nil)
	b := frametest.Encodings(t, want)
	n, err := got.ReadFrom(bytes.NewReader(b))
	require.Equal(t, []any{want, int64(len(b)), nil}, []any{got, n, err})
	rapid.Check(t, func(t *rapid.T) { frametest.Streams(t, new(list), want, b) })
	h, _, _ := want.encode()
	require.Equal(t, b, AppendFilled(bytes.Repeat([]byte{9}, 200)[:0], h, func(numbers []uint32) { copy(numbers, want) }))
	for i := range b {
		changed := bytes.Clone(b)
		changed[i] ^= 1
		require.Error(t, got.UnmarshalBinary(changed), "byte %d", i)
		if changed = frametest.Seal(changed); i >= 40 && i < 56 || i >= 76 && i < 80 {
			require.ErrorContains(t, got.UnmarshalBinary(changed), "padding")
		}
	}

	_, err = list(nil).AppendBinary(nil)
	require.ErrorIs(t, err, errNone)
	_, err = list(nil).WriteTo(io.Discard)
	require.ErrorIs(t, err, errNone)
}

// A broken list has a defect, which Encodings or Streams must find.
type broken struct {
	list
	defect string
}

func (l *broken) ReadFrom(r io.Reader) (int64, error) { return l.returned(l.list.ReadFrom(r)) }
func (l *broken) WriteTo(w io.Writer) (int64, error) {
	if l.defect == "writes twice" {
		l.list.WriteTo(w)
	}
	return l.returned(l.list.WriteTo(w))
}

func (l *broken) returned(n int64, err error) (int64, error) {
	instead, ok := map[string]error{
		"has no errors": nil, "has another error": errNone, "ends": errors.Join(err, io.EOF),
		"is corrupt": errors.Join(err, hashfam.ErrCorrupt),
	}[l.defect]
	if ok && err != nil && !errors.Is(err, io.EOF) {
		err = instead
	}
	if l.defect == "counts too much" {
		n++
	}
	return n, err
}

func TestBrokenStreamsAreFound(t *testing.T) {
	machine.Matters(t)
	b := frametest.Encodings(t, list{1, 2, 3})
	for defects, check := range map[string]func(*rapid.T, *broken){
		"counts too much, writes twice": func(t *rapid.T, l *broken) { frametest.Encodings(t, l) },
		"counts too much, has no errors, has another error, ends, is corrupt": func(t *rapid.T, l *broken) {
			frametest.Streams(t, l, list{1, 2, 3}, b)
		},
		"counts too much, has no errors, has another error, writes twice": func(t *rapid.T, l *broken) {
			frametest.Streams(t, new(list), l, b)
		},
	} {
		for _, defect := range strings.Split("none, "+defects, ", ") {
			found := rapid.Custom(func(t *rapid.T) (failed bool) {
				rapid.Bool().Draw(t, "any") // Custom needs a draw
				defer func() { failed = recover() != nil }()
				check(t, &broken{list{1, 2, 3}, defect})
				return false
			}).Example(1)
			require.Equal(t, defect != "none", found, defect)
		}
	}
}

func TestGlanceReadsParameters(t *testing.T) {
	b, err := list{1, 2, 3}.AppendBinary(nil)
	require.NoError(t, err)
	length, err := listFormat.ReadHeader(bytes.NewReader(b), hashfam.Family{})
	require.Equal(t, []any{uint64(3), nil}, []any{length, err})
	g := listFormat.Glance(hashfam.Family{}, 16)
	first, second, payload, ok := g.At(b)
	require.Equal(t, []any{uint64(3), uint64(7), b[64 : len(b)-8], true}, []any{first, second, payload, ok})
	odd := append(bytes.Clone(b), 0)
	odd[16]++ // the length of the payload
	for _, bad := range [][]byte{odd, b[:71:71], slices.Clip(b[:len(b)-8]), append(bytes.Clone(b), make([]byte, 8)...), append([]byte{1}, b[1:]...)} {
		_, _, _, ok = g.At(bad)
		require.False(t, ok)
		require.True(t, g.Made())
		_, err = listFormat.Refusal(g, bad)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
}

func TestTextIsStrictBase64(t *testing.T) {
	text, err := MarshalText(list{})
	require.NoError(t, err)
	var l list
	require.NoError(t, UnmarshalText(&l, text, errs))
	for _, bad := range []string{"AQIDBA", "AQIDBA=", "AQIDBB==", "A_IDBA==", "AQIDBA==x", "\x00"} {
		require.ErrorContains(t, UnmarshalText(&l, []byte(bad), errs), "text", bad)
	}
	_, err = MarshalText(list(nil))
	require.ErrorIs(t, err, errNone)
}

func TestInvalidWriteResultsAreErrors(t *testing.T) {
	for _, extra := range []int{1, -1000} {
		n, err := Write(lyingWriter(extra), header, Numbers([]uint64{1}))
		require.ErrorIs(t, err, errInvalidWrite)
		require.Zero(t, n)
	}
	_, err := Write(lyingWriter(-1), header, Numbers([]uint64{1}))
	require.ErrorIs(t, err, io.ErrShortWrite)
}

// A lyingWriter adds itself to the returned number of bytes.
type lyingWriter int

func (w lyingWriter) Write(b []byte) (int, error) { return len(b) + int(w), nil }

// A file that is long enough is read into one array, as long as its size can be
// trusted. Otherwise the array grows, and the old one is live beside it.
func TestMemoryOfReading(t *testing.T) {
	h := Header{Kind: Bloom, Params: make([]byte, 16), Payload: 1 << 20}
	size := h.Size()
	for _, test := range []struct {
		kind    Kind
		payload uint64
		file    int64
		want    uint64
	}{
		{Bloom, h.Payload, int64(size), size},
		{Bloom, h.Payload, math.MaxInt64, size},
		{Bloom, h.Payload, int64(size) - 1, 2 * size},
		{Bloom, h.Payload, 1000, 4000},
		{Bloom, h.Payload, 0, 0},
		{Bloom, h.Payload, -1, 2 * size},
		{Bloom, 1 << 62, -1, 1 << 61},
		{Bloom, maxKnown, math.MaxInt64, 2 * (maxKnown + 72)},
		{Window, h.Payload, int64(size), 3 * size},
		{ScalableCuckoo, h.Payload, -1, 4 * size},
		{HeavyHitters, 1 << 62, -1, 1 << 62},
	} {
		h.Kind = test.kind
		h.Payload = test.payload
		require.Equal(t, test.want, h.Memory(test.file), "%+v", test)
	}
}
