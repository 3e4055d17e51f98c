package bloom

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A FrameReader rejects a header with any flipped bit, except in the number of
// hash functions, in the checksum, and if the number of words stays the same.
func TestFrameReaderRejectsDamagedHeaders(t *testing.T) {
	for _, layout := range layouts {
		f := mustNew(t, Params{Bits: 7 * 1024, Hashes: 7, Layout: layout})
		good := encoded(t, f)
		r := NewFrameReader(hashfam.Family{})
		for bit := range 64 * 8 {
			frame := bytes.Clone(good)
			frame[bit/8] ^= 1 << (bit % 8)
			_, err := r.ContainsDigest(frame, 1)
			switch i := bit / 8; {
			case i == 32, i >= 56 && i < 60:
			case i == 33 && bit%8 < 2: // the layout is another one
			case i == 24 && layout == Classic:
			default:
				require.Error(t, err, "%v: bit %d of byte %d", layout, bit%8, i)
			}
		}
		for n := range good {
			found, err := r.ContainsDigest(good[:n], 1)
			require.ErrorIs(t, err, ErrCorrupt)
			require.True(t, found)
		}
	}
}

// A frame without any bits must not make a FrameReader panic.
func TestFrameReaderRejectsEmptyArrays(t *testing.T) {
	for _, bits := range []uint64{0, 1<<64 - 1} {
		h := Params{Bits: bits, Hashes: 1}.encoded().Header(hashfam.Family{}.CheckValue())
		h.Payload = 0
		empty := frame.Append(nil, h, frame.Numbers([]uint64{}))
		found, err := NewFrameReader(hashfam.Family{}).ContainsDigest(empty, 1)
		require.ErrorIs(t, err, ErrCorrupt)
		require.True(t, found)
	}
}
