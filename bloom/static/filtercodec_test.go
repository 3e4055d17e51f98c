package static

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
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

// AppendFrame returns what New and AppendBinary do, after any bytes.
func TestAppendFrame(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(26, 2))
	for _, n := range []int{0, 1, 10, 100, 1000, 70_000} {
		for _, rate := range []float64{0.9, 0.01, 1e-9} {
			c, digests := Config{FPRate: rate}, conformance.Digests(rng, n)
			f, err := New(ctx, c, slices.Clone(digests))
			require.NoError(t, err)
			for before := range 2 {
				dst := bytes.Repeat([]byte{0xff}, before)
				want, err := f.AppendBinary(dst)
				require.NoError(t, err)
				got, err := AppendFrame(ctx, dst, c, append(digests, digests...))
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
	}
	got, err := AppendFrame(ctx, []byte("before"), Config{}, nil)
	require.ErrorIs(t, err, ErrParams)
	require.Equal(t, "before", string(got))
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	got, err = AppendFrame(canceled, []byte("before"), Config{FPRate: 0.01}, conformance.Digests(rng, 100))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "before", string(got))
}
