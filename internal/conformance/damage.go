package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

const magic = "\xf1fam"

// The offsets of some fields in a frame, as in docs/format.md.
const (
	offsetKind     = 4
	offsetVersion  = 5
	offsetParamLen = 6
	offsetPayload  = 16
	offsetParams   = 24
)

// otherKind returns a kind of structure that exists and is not that of a frame.
func otherKind(frame []byte) byte { return frame[offsetKind]%2 + 1 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headerBytes returns the length of the header of a frame.
func headerBytes(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[offsetParamLen:]))
	return (offsetParams + p + 8 + 63) / 64 * 64
}

// Reseal corrects both checksums of b if b is long enough to be a frame, so
// that a decoder goes on to check the rest. Before that it does so for frames
// within its payload.
func Reseal(b []byte) {
	if len(b) < offsetParams {
		return
	}
	if p := binary.LittleEndian.Uint16(b[offsetParamLen:]); p > 256 || headerBytes(b)+8 > len(b) {
		return
	}
	resealNested(b[headerBytes(b) : len(b)-8])
	for _, end := range []int{headerBytes(b) - 8, len(b) - 8} {
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	}
}

// resealNested reseals the frames that begin at a multiple of 8 in payload.
func resealNested(payload []byte) {
	for ; len(payload) > offsetParams; payload = payload[8:] {
		if !bytes.HasPrefix(payload, []byte(magic)) {
			continue
		}
		length := binary.LittleEndian.Uint64(payload[offsetPayload:])
		size := uint64(headerBytes(payload)) + 8
		if length <= uint64(len(payload)) && size+length <= uint64(len(payload)) {
			Reseal(payload[:size+length])
		}
	}
}

// everyDamage checks that every truncation and every flipped bit of a golden
// file is detected, and a byte after it. If the checksums of a frame with a
// flipped bit are corrected and it can then be decoded, it must be encoded to
// the same bytes: decoders ignore no bit of a frame.
func (s Suite[T]) everyDamage(t *testing.T, golden T, b []byte) {
	fam := golden.Family()
	f := s.example(fam)
	for i := range b {
		s.rejects(t, f, b[:i], hashfam.ErrCorrupt)
		for bit := range 8 {
			changed := bytes.Clone(b)
			changed[i] ^= 1 << bit
			if bit == i%8 {
				s.rejects(t, f, changed, hashfam.ErrCorrupt)
			}
			require.True(t, errors.Is(f.UnmarshalBinary(changed), hashfam.ErrCorrupt), "bit %d of byte %d", bit, i)
			if i >= offsetParams {
				Reseal(changed)
				s.decodeChanged(t, fam, changed)
			}
		}
	}
	b = append(b, 0)
	require.ErrorIs(t, f.UnmarshalBinary(b), hashfam.ErrCorrupt, "a byte after the frame")
	require.ErrorIs(t, s.verify(b, fam, hashfam.ErrCorrupt), hashfam.ErrCorrupt, "a byte after the frame")
}

// lyingLength checks that frames whose headers promise 2^40 bits and have
// correct checksums are rejected, and that this allocates memory only in
// proportion to the bytes that there are. The promise is made by the length of
// the payload, by the parameters, and last by both, so that they agree.
func (s Suite[T]) lyingLength(t *testing.T) {
	golden := s.Golden[0].Build()
	length, params := encode(t, golden), encode(t, golden)
	binary.LittleEndian.PutUint64(length[offsetPayload:], 1<<37)
	huge := s.ClaimHuge(params[offsetParams:])
	both := bytes.Clone(params)
	binary.LittleEndian.PutUint64(both[offsetPayload:], huge)
	for _, b := range [][]byte{length, params, both} {
		Reseal(b)
	}
	if s.ReadParams != nil && sizing.MaxBits >= 1<<40 {
		_, err := s.ReadParams(bytes.NewReader(both), golden.Family())
		require.NoError(t, err, "decoding does not rely on a header that promises what is not valid")
	}
	f := s.example(golden.Family())
	for _, b := range [][]byte{length, params, both, both[:offsetParams]} {
		for _, b := range [][]byte{b, append(bytes.Clone(b), make([]byte, 4<<20)...)} {
			took := LeastAllocated(1, func() { s.rejects(t, f, b, hashfam.ErrCorrupt) })
			require.LessOrEqual(t, took, uint64(16*len(b)+1<<20))
		}
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
