package static

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// The header alone tells that a payload is too long for the keys, so that
// SizeBytes of the parameters can be relied on before the payload is read.
func TestHeaderPayloadIsBoundedByKeys(t *testing.T) {
	f := golden(Config{FPRate: 0.01}, 1000)()
	good, err := f.MarshalBinary()
	require.NoError(t, err)
	p := f.Params()
	_, most := ribbon.Bounds(p.shape())
	for payload, ok := range map[uint64]bool{p.Bytes: true, most: true, most + 8: false, 1 << 40: false} {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint64(b[16:], payload)
		conformance.Reseal(b)
		q, err := ReadParams(bytes.NewReader(b), hashfam.Family{})
		if ok {
			require.NoError(t, err)
			require.Equal(t, payload, q.SizeBytes())
			continue
		}
		require.ErrorIs(t, err, ErrCorrupt, "%d bytes", payload)
		require.ErrorContains(t, err, "payload length")
	}
}

func TestAppendFrameKeepsDstAfterAnError(t *testing.T) {
	got, err := AppendFrame(t.Context(), []byte("before"), Config{}, nil)
	require.ErrorIs(t, err, ErrParams)
	require.Equal(t, "before", string(got))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	got, err = AppendFrame(canceled, []byte("before"), Config{FPRate: 0.01}, []hashfam.Digest{1, 2})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "before", string(got))
}

// A View of the usual two layers, and of one, is a single allocation.
func TestAViewIsOneAllocation(t *testing.T) {
	for _, n := range []int{10, 5000} {
		data, err := golden(Config{FPRate: 0.01}, n)().MarshalBinary()
		require.NoError(t, err)
		_, err = NewView(data, hashfam.Family{})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.NoError(t, err)
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { NewView(data, hashfam.Family{}) }), 1.0)
	}
}

// A layer that the payload has no room for is an error, and the answer is true,
// for the digests that reach it.
func TestAFrameReaderRefusesLayers(t *testing.T) {
	b, err := golden(Config{FPRate: 0.01}, 1000)().MarshalBinary()
	require.NoError(t, err)
	r, refused := NewFrameReader(hashfam.Family{}), 0
	for _, n := range []uint64{0, 900, 1 << 60} {
		binary.LittleEndian.PutUint64(b[64:], n) // the digests of the second layer
		for i := range 2000 {
			found, err := r.ContainsDigest(b, hashfam.Digest(i)*0x9E3779B97F4A7C15)
			if err != nil {
				require.ErrorIs(t, err, ErrCorrupt)
				require.True(t, found)
				refused++
			}
		}
	}
	require.Greater(t, refused, 3*10)
}
