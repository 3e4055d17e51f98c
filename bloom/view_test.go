package bloom

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A header with any flipped bit is refused, except in the number of positions,
// in the checksum, and where the number of bits needs as many words as before.
func TestAFrameReaderRefusesHeaders(t *testing.T) {
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
