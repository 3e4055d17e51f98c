package bloom

import (
	"bytes"
	"encoding"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

func encoded(t require.TestingT, f encoding.BinaryMarshaler) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// Arrays that fill whole lines are not followed by an empty piece.
func TestPiecesOfEncodingsAreNotEmpty(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 100, FPRate: 0.1, Layout: Blocked})
	for piece := range r.yield {
		require.NotEmpty(t, piece)
	}
}

// AppendFrame returns the same bytes as New, AddAll and AppendBinary, wherever
// it appends them.
func TestAppendFrame(t *testing.T) {
	for _, layout := range layouts {
		for _, n := range []uint64{0, 1, 5000} {
			c := Config{Capacity: max(n, 1), FPRate: 0.01, Layout: layout, Family: keyed}
			f, err := New(c)
			require.NoError(t, err)
			digests := sums(f, n)
			f.AddAll(digests)
			whole := encoded(t, f)
			for before := range 9 {
				want := append(bytes.Repeat([]byte{0xff}, before), whole...)
				for _, room := range []int{0, len(whole)} { // bytes after dst need not be zero
					got, err := AppendFrame(bytes.Repeat([]byte{0xff}, before+room)[:before], c, digests)
					require.NoError(t, err)
					require.Equal(t, want, got)
				}
			}
			c.Capacity = 0 // the number of digests
			got, err := AppendFrame(nil, c, digests)
			require.NoError(t, err)
			require.Equal(t, whole, got)
		}
	}
	got, err := AppendFrame([]byte("before"), Config{Capacity: 1}, nil)
	require.ErrorIs(t, err, ErrParams)
	require.Equal(t, "before", string(got))
}

// A frame without any bits must not make a FrameReader panic.
func TestFrameReaderRejectsEmptyArrays(t *testing.T) {
	for _, bits := range []uint64{0, 1<<64 - 1} {
		h := Params{Bits: bits, Hashes: 1}.encoded().Header(hashfam.Family{}.CheckValue())
		h.Payload = 0
		found, err := NewFrameReader(hashfam.Family{}).ContainsDigest(frame.Append(nil, h, frame.Numbers([]uint64{})), 1)
		require.ErrorIs(t, err, ErrCorrupt)
		require.True(t, found)
	}
}
