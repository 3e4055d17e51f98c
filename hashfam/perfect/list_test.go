package perfect

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// listOf returns the list of ascending numbers below limit.
func listOf(t require.TestingT, numbers []uint64, limit uint64) list {
	size := newListSize(uint64(len(numbers)), limit)
	l := size.over(make([]byte, size.bytes()))
	for i, v := range numbers {
		l.put(uint64(i), v)
	}
	require.NoError(t, l.mark(limit))
	return l
}

func TestAListReturnsItsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, 1<<rapid.IntRange(0, 40).Draw(t, "bits")).Draw(t, "limit")
		numbers := rapid.SliceOfN(rapid.Uint64Range(0, limit-1), 0, 700).Draw(t, "numbers")
		for range rapid.IntRange(0, 300).Draw(t, "repeated") { // long runs of zeros and ones
			numbers = append(numbers, limit-1, 0)
		}
		slices.Sort(numbers)
		if uint64(len(numbers)) > 8*limit {
			numbers = numbers[:8*limit]
		}
		l := listOf(t, numbers, limit)
		for i, v := range numbers {
			require.Equal(t, v, l.at(uint64(i)), "number %d", i)
		}
		require.Zero(t, l.at(uint64(len(numbers))))
	})
}

func TestAListIsAsSmallAsTheFormula(t *testing.T) {
	size := newListSize(40_000, 1_000_000)
	// 4 low bits, and 1 + 25/16 unary ones
	require.InDelta(t, 40_000*(4+1+25./16)/8, float64(size.bytes()), 16)
}
