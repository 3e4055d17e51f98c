package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

func TestEveryKindHasAName(t *testing.T) {
	names := map[string]bool{}
	for k := Bloom; k <= Journal; k++ {
		names[k.String()] = true
		require.Equal(t, k == 8, strings.Contains(k.String(), "unknown"), "kind 8 is not used")
	}
	require.Len(t, names, int(Journal))
	require.Equal(t, "unknown kind 17", (Journal + 1).String())
}

func TestLimitsOfTheHeader(t *testing.T) {
	machine.Matters(t)
	fixed := func(params uint16, payload uint64) error {
		b := header.append(nil)[:fixedBytes]
		binary.LittleEndian.PutUint16(b[6:], params)
		binary.LittleEndian.PutUint64(b[16:], payload)
		_, _, err := parseFixed(b, errs)
		return err
	}
	require.NoError(t, fixed(256, 1<<62))
	require.ErrorContains(t, fixed(264, 0), "parameter length = 264, want a multiple of 8, at most 256")
	require.ErrorContains(t, fixed(252, 0), "parameter length")
	require.ErrorContains(t, fixed(0, 1<<62+8), "payload length = 4611686018427387912")
	require.ErrorContains(t, fixed(0, 1<<62-4), "payload length")
}

// After 24 bytes the length in the header is known.
func TestShortFramesAreErrors(t *testing.T) {
	machine.Matters(t)
	b := encodeWords(nil, header, []uint64{1})
	require.ErrorContains(t, NewBytesReader(b[:23:23], errs).Err(), "frame length = 23, want at least 24 bytes")
	require.ErrorIs(t, NewBytesReader(b[:23:23], errs).Err(), io.ErrUnexpectedEOF)
	require.ErrorContains(t, NewBytesReader(b[:24:24], errs).Err(), "want 80 bytes, as the header says")
	require.ErrorContains(t, NewBytesReader(b[:79:79], errs).Err(), "want 80 bytes, as the header says")
	require.NoError(t, NewBytesReader(b, errs).Err())
}

// Pieces should have 64 KiB, except for the last one, and should not be empty.
func TestPayloadsAreWrittenInPieces(t *testing.T) {
	for _, n := range []int{0, 1, chunkBytes/8 - 1, chunkBytes / 8, chunkBytes/8 + 1, chunkBytes} {
		words := make([]uint64, n)
		checkPieces(t, Numbers(words), 8*n)
		checkPieces(t, Words(uint64(n), slices.Values(words)), 8*n)
		checkPieces(t, Numbers(make([]uint32, 2*n)), 8*n)
		checkPieces(t, Numbers(make([]uint8, 8*n)), 8*n)
	}
}

func checkPieces(t *testing.T, p Payload, bytes int) {
	t.Helper()
	var want, got []int
	for ; bytes > 0; bytes -= chunkBytes {
		want = append(want, min(bytes, chunkBytes))
	}
	for piece := range p {
		got = append(got, len(piece))
	}
	require.Equal(t, want, got)
}

func TestWritingUsesABufferOf64KiB(t *testing.T) {
	least := func(p Payload) uint64 {
		return checks.LeastAllocated(20, func() {
			for range p {
			}
		})
	}
	const little = 1 << 10
	require.Less(t, least(Numbers(make([]uint8, 1<<20))), uint64(little))
	require.Less(t, least(Numbers(make([]uint32, 1<<18))), uint64(chunkBytes+little))
	require.Less(t, least(Numbers(make([]uint64, 1<<17))), uint64(chunkBytes+little))
	words := func(n uint64) Payload { return Words(n, slices.Values(make([]uint64, n))) }
	require.Less(t, least(words(1<<17)), uint64(chunkBytes+little))
	require.Less(t, least(words(10)), uint64(little))
}

// A demanding reader records the requested numbers of bytes.
type demanding struct {
	r     io.Reader
	asked []int
}

func (d *demanding) Read(b []byte) (int, error) {
	d.asked = append(d.asked, len(b))
	return d.r.Read(b)
}

// Reading 0 bytes could block at the end of a connection. More than 64 KiB
// would leave the cache before the checksum is computed.
func TestReadsAreLimitedTo64KiB(t *testing.T) {
	for _, n := range []int{0, 1, 3 * chunkBytes / 8, 100_000} {
		d := &demanding{r: bytes.NewReader(encodeWords(nil, header, make([]uint64, n)))}
		r := NewReader(d, errs)
		r.have = uint64(n)*8 + sumBytes // all in one allocation
		_, err := decodeWords[uint64](r, uint64(n))
		require.NoError(t, err)
		require.Positive(t, slices.Min(d.asked))
		require.LessOrEqual(t, slices.Max(d.asked), chunkBytes)
	}
}

// A boundless file claims to have 2^40 bytes, for example a sparse file.
type boundless struct{ fs.FileInfo }

func (boundless) Read([]byte) (int, error)       { return 0, io.EOF }
func (boundless) Seek(int64, int) (int64, error) { return 0, nil }
func (b boundless) Stat() (fs.FileInfo, error)   { return b, nil }
func (boundless) Size() int64                    { return 1 << 40 }
func (boundless) Mode() fs.FileMode              { return 0 }

// A decoded structure is not larger than one that can be made. On 64-bit
// platforms, a header cannot express a larger one.
func TestPayloadsAboveTheSizeOfStructuresAreErrors(t *testing.T) {
	machine.Matters(t)
	format := Format[uint64, uint64]{
		Kind: Bloom, Version: 1, Errs: errs,
		Parse: func(h Header, _ hashfam.Family) (uint64, error) { return h.Payload, nil },
	}
	for _, size := range []uint64{sizing.MaxBytes, sizing.MaxBytes + 8} {
		h := format.NewWords(hashfam.Family{}, size)
		_, _, err := format.Read(NewReader(bytes.NewReader(h.append(nil)), errs), hashfam.Family{})
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		refused := strings.Contains(err.Error(), "which this platform can hold") || strings.Contains(err.Error(), "at most 2^62")
		require.Equal(t, size > sizing.MaxBytes, refused, "%v", err)
	}
}

func TestTooLongPayloadsAreErrors(t *testing.T) {
	const longest = sizing.Addresses / 8
	for _, n := range []uint64{longest + 1, 2 * longest, 1 << 60} {
		r := NewReader(boundless{}, errs)
		require.Empty(t, Read[uint64](r, n))
		require.ErrorIs(t, r.Err(), hashfam.ErrCorrupt)
		require.ErrorContains(t, r.Err(), fmt.Sprintf("payload length = %d, want at most %d ", 8*n, uint64(sizing.Addresses)))
	}
	known := uint64(1 << 32)
	if sizing.Addresses == math.MaxInt32 {
		known = 1 << 30
	}
	require.Equal(t, known, NewReader(boundless{}, errs).have)
	r := NewReader(io.MultiReader(), errs)
	require.Empty(t, Read[uint64](r, longest))
	require.ErrorIs(t, r.Err(), io.EOF, "as long as a slice can be")
}
