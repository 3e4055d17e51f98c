package bloom

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/conformance"
)

// No code of n positions is longer than riceLength, which is the shortest
// possible bound.
func TestRiceCodesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Uint64Range(1, 1<<rapid.IntRange(1, 48).Draw(t, "log2 of m")).Draw(t, "m")
		positions := rapid.SliceOfNDistinct(rapid.Uint64Range(0, m-1), 0, int(min(m, 300)), rapid.ID).Draw(t, "positions")
		slices.Sort(positions)
		n := uint64(len(positions))
		code := riceCode(m, n, slices.Values(positions))
		longest := riceLength(m, n)
		require.LessOrEqual(t, uint64(len(code)), (longest+63)/64)
		for b := range 50 {
			require.LessOrEqual(t, longest, n*uint64(b+1)+min(n, 1)*(m-n)>>b, "b = %d", b)
		}
		require.True(t, requireCanonical(t, code, m, n))
		require.False(t, requireCanonical(t, append(code, 0), m, n), "a word too many")
		if n > 0 {
			require.False(t, requireCanonical(t, code[:len(code)-1], m, n), "a word too few")
			requireCanonical(t, code, positions[n-1]+min(n, 1), n)
			i := rapid.IntRange(0, 64*len(code)-1).Draw(t, "changed bit")
			code[i/64] ^= 1 << (i % 64)
			requireCanonical(t, code, m, n)
		}
	})
}

// requireCanonical checks that ricePositions rejects a code unless riceCode
// returns it for n positions below m.
func requireCanonical(t require.TestingT, code []uint64, m, n uint64) bool {
	var positions []uint64
	if !ricePositions(code, m, n, func(i uint64) { positions = append(positions, i) }) {
		return false
	}
	require.True(t, n == 0 || positions[n-1] < m && slices.IsSorted(positions))
	require.True(t, slices.Equal(code, riceCode(m, n, slices.Values(positions))))
	return true
}

// FuzzDelta uses the first bytes of an input as the size of a filter and the
// number of changed bits, and the others as the code.
func FuzzDelta(f *testing.F) {
	conformance.FuzzBytes(f, func(t *testing.T, input []byte) {
		if len(input) < 5 {
			return
		}
		filter := mustNew(t, Params{Bits: 1 + uint64(input[0]) + uint64(input[1]&3)<<8, Hashes: 2})
		require.ErrorIs(t, filter.ApplyDelta(input), ErrCorrupt)
		var code []uint64
		for word := range slices.Chunk(append(input[5:], make([]byte, -(len(input)-5)&7)...), 8) {
			code = append(code, binary.LittleEndian.Uint64(word))
		}
		d := deltaParams{Changed: min(filter.params.Bits, uint64(input[3])+uint64(input[4]&3)<<8)}
		n, _ := d.coded(filter.params.Bits)
		requireCanonical(t, code, filter.params.Bits, n)
	})
}

// The comment in rice.go shows this example.
func TestRiceCodeOfAnExample(t *testing.T) {
	code := riceCode(16, 3, slices.Values([]uint64{1, 3, 9}))
	require.Equal(t, []uint64{0b01_10_011_011}, code)
}

// A gap of 2^64 is not decoded as 0.
func TestRiceGapsDoNotOverflow(t *testing.T) {
	m, zeros := uint64(1<<48), uint64(1<<17)
	require.EqualValues(t, 47, riceBits(m, 1))
	code := make([]uint64, zeros/64+1)
	code[zeros/64] = 1
	require.False(t, ricePositions(code, m, 1, func(uint64) {}))
	require.True(t, ricePositions([]uint64{0b10}, m, 1, func(i uint64) { require.Equal(t, m/2, i) }))
}
