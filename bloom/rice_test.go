package bloom

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Positions round-trip, in no more bits than the longest code, which is m at
// most, and the shortest longest code that there is.
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
		var got []uint64
		require.True(t, ricePositions(code, m, n, func(i uint64) { got = append(got, i) }))
		require.True(t, slices.Equal(positions, got))
		require.False(t, ricePositions(append(code, 0), m, n, func(uint64) {}), "a word too many")
		if n > 0 {
			require.False(t, ricePositions(code[:len(code)-1], m, n, func(uint64) {}), "a word too few")
			last := positions[n-1]
			require.False(t, last >= n && riceBits(last, n) == riceBits(m, n) && ricePositions(code, last, n, func(uint64) {}), "a position too high")
		}
	})
}

// The example of the comment.
func TestTheRiceCodeOfAnExample(t *testing.T) {
	code := riceCode(16, 3, slices.Values([]uint64{1, 3, 9}))
	require.Equal(t, []uint64{0b01_10_011_011}, code)
}

// A gap of 2^64 is not one of 0.
func TestRiceGapsDoNotOverflow(t *testing.T) {
	m, zeros := uint64(1<<48), uint64(1<<17)
	require.EqualValues(t, 47, riceBits(m, 1))
	code := make([]uint64, zeros/64+1)
	code[zeros/64] = 1
	require.False(t, ricePositions(code, m, 1, func(uint64) {}))
	require.True(t, ricePositions([]uint64{0b10}, m, 1, func(i uint64) { require.Equal(t, m/2, i) }))
}
