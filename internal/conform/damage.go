package conform

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
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
// that a decoder goes on to check the rest. Before that it does so for frames
// within its payload.
func Reseal(b []byte) {
	if len(b) < offsetParams {
		return
	}
	if p := binary.LittleEndian.Uint16(b[offsetParamLen:]); p > 256 || headerBytes(b)+8 > len(b) {
		return
	}
	end := len(b) - 8
	resealNested(b[headerBytes(b):end])
	forge(b)
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
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

// everyDamage checks that every truncation and every flipped bit of the golden
// files is detected, and that the receiver keeps its contents.
func (e Encoded[T]) everyDamage(t *testing.T) {
	for _, g := range e.Golden {
		b := encode(t, g.Build())
		f := e.example(g.Build().Family())
		own := encode(t, f)
		check := func(b []byte) {
			require.ErrorIs(t, f.UnmarshalBinary(b), hashfam.ErrCorrupt)
			_, err := f.ReadFrom(bytes.NewReader(b))
			require.ErrorIs(t, err, hashfam.ErrCorrupt)
			if !bytes.Equal(own, encode(t, f)) {
				require.Fail(t, "a failed decode changed the receiver")
			}
		}
		require.ErrorIs(t, f.UnmarshalBinary(append(bytes.Clone(b), 0)), hashfam.ErrCorrupt, "a trailing byte")
		for i := range b {
			check(b[:i])
			for bit := range 8 {
				b[i] ^= 1 << bit
				check(b)
				b[i] ^= 1 << bit
			}
		}
	}
}

// everyBit flips each bit of the golden files' parameters and payload, and
// corrects the checksums. If the result can be decoded, it must be encoded to
// the same bytes: decoders ignore no bit of a frame.
func (e Encoded[T]) everyBit(t *testing.T) {
	for _, g := range e.Golden {
		built := g.Build()
		good, fam := encode(t, built), built.Family()
		for i := range len(good) - offsetParams - 8 {
			for bit := range 8 {
				b := bytes.Clone(good)
				b[offsetParams+i] ^= 1 << bit
				Reseal(b)
				f := e.Receiver(fam)
				if f.UnmarshalBinary(b) == nil {
					require.Equal(t, b, encode(t, f), "byte %d, bit %d", offsetParams+i, bit)
				}
			}
		}
	}
}
