package frame

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestHeadersOfArrays(t *testing.T) {
	for cells, words := range map[uint64]uint64{1: 1, 64: 1, 65: 2, math.MaxUint64: 1 << 58} {
		a := Array{Bloom, cells, 255, 2}
		h := a.Header(7)
		require.Equal(t, words, a.Words())
		require.Equal(t, 8*words, h.Payload)
		got, err := ParseArray(h, errs)
		require.NoError(t, err)
		require.Equal(t, a, got)
	}
	require.Equal(t, uint64(2), Array{Counting, 17, 1, 0}.Words())

	for n := range 16 {
		a := Array{Bloom, 1, 1, 0}.Header(0)
		a.Params[n] = 9
		_, err := ParseArray(a, errs)
		checkBlank(t, n, n >= 10, err)
	}
	_, err := ParseArray(Header{Params: make([]byte, 24)}, errs)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, "parameter length = 24, want 16")
}

// checkBlank checks the error after the n-th byte of the parameters was set to
// 9, which is an error if the byte belongs to no field.
func checkBlank(t *testing.T, n int, blank bool, err error) {
	t.Helper()
	if !blank {
		require.NoError(t, err, "byte %d", n)
		return
	}
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, fmt.Sprintf("byte %d of the parameters = 9, want 0", n))
}

// Blank fields must be zero, and there must be no more bytes.
func TestStructParametersRoundTrip(t *testing.T) {
	machine.Matters(t)
	type params struct {
		N uint32
		_ uint8
		K uint8
		_ [2]uint8
		R float64
	}
	p := params{N: 0x01020304, K: 7, R: 0.5}
	h := Header{Params: EncodeParams(p)}
	require.Equal(t, []byte{4, 3, 2, 1, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}, h.Params)
	var got params
	require.NoError(t, h.DecodeParams(&got, errs))
	require.Equal(t, p, got)
	for i, b := range h.Params {
		h.Params[i] = 9
		checkBlank(t, i, i == 4 || i == 6 || i == 7, h.DecodeParams(&got, errs))
		h.Params[i] = b
	}
	for _, length := range []int{0, 8, 15, 17, 24} {
		err := Header{Params: make([]byte, length)}.DecodeParams(&got, errs)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, fmt.Sprintf("parameter length = %d, want 16", length))
	}
	require.Panics(t, func() { EncodeParams(struct{ N int }{}) })
}
