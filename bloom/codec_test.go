package bloom

import (
	"bytes"
	"encoding"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// The last word of 1,000 bits has 24 unused bits. If they could be set, two
// filters with the same keys could differ, and the fill ratio could exceed 1.
func TestBitsBeyondTheLastAreCorrupt(t *testing.T) {
	for bit := range 24 {
		b := encoded(t, mustNew(t, Params{Bits: 1000, Hashes: 7}))
		b[len(b)-8-3+bit/8] |= 1 << (bit % 8)
		conformance.Reseal(b)
		require.ErrorIs(t, new(Filter).UnmarshalBinary(b), ErrCorrupt)
		if v, err := NewView(b, hashfam.Family{}); err == nil {
			require.ErrorIs(t, v.Verify(), ErrCorrupt)
		}
	}
}

func encoded(t require.TestingT, f encoding.BinaryMarshaler) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// A writer fails when it is called with no bytes.
type writer struct{ *testing.T }

func (w writer) Write(b []byte) (int, error) {
	require.NotEmpty(w, b)
	return len(b), nil
}

// Arrays that fill whole lines are not followed by zeros.
func TestPiecesOfEncodingsAreNotEmpty(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 100, FPRate: 0.1, Layout: Blocked})
	for _, f := range []io.WriterTo{mustNew(t, Params{Bits: 1024, Hashes: 3}), r} {
		_, err := f.WriteTo(writer{t})
		require.NoError(t, err)
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
			for before := range 9 {
				dst := bytes.Repeat([]byte{0xff}, before)
				want, err := f.AppendBinary(dst)
				require.NoError(t, err)
				got, err := AppendFrame(dst, c, digests)
				require.NoError(t, err)
				require.Equal(t, want, got)
				copy(got[before:], bytes.Repeat([]byte{0xff}, len(got))) // bytes after dst need not be zero
				again, err := AppendFrame(got[:before], c, digests)
				require.NoError(t, err)
				require.Equal(t, want, again)
				require.Same(t, &got[:1][0], &again[0])
			}
			c.Capacity = 0 // the number of digests
			got, err := AppendFrame(nil, c, digests)
			require.NoError(t, err)
			require.Equal(t, encoded(t, f), got)
		}
	}
	got, err := AppendFrame([]byte("before"), Config{Capacity: 1}, nil)
	require.ErrorIs(t, err, ErrParams)
	require.Equal(t, "before", string(got))
}
