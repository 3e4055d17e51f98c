package perfect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// listOf returns a list that contains numbers, which must be ascending.
func listOf(t require.TestingT, numbers []uint64, limit uint64) eliasFano {
	l := newEliasFano(uint64(len(numbers)), limit)
	l.use(make([]byte, l.bytes()))
	for i, v := range numbers {
		l.put(uint64(i), v)
	}
	require.NoError(t, l.mark())
	return l
}

func TestListReturnsItsNumbers(t *testing.T) {
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

// SizeBytes includes the marks.
func TestListHasOneMarkPer256Numbers(t *testing.T) {
	for n, marks := range map[int]uint64{1: 1, 255: 1, 256: 1, 257: 2, 511: 2, 512: 2, 513: 3} {
		l := listOf(t, make([]uint64, n), 1000)
		require.EqualValues(t, marks, len(l.marks), "%d numbers", n)
		require.EqualValues(t, marks, cap(l.marks), "%d numbers", n)
		s := layout{keys: 1000, bumped: []uint64{uint64(n)}}
		require.Equal(t, s.bytes()+8*marks, s.memory(), "%d numbers", n)
	}
}

func TestNumbersAtTheLimitAreCorrupt(t *testing.T) {
	l := newEliasFano(3, 25)
	l.use(make([]byte, l.bytes()))
	for i, v := range []uint64{0, 24, 25} {
		l.put(uint64(i), v)
	}
	require.EqualError(t, l.mark(), "perfect: corrupt encoding: number 2 in the list = 25, want below 25")
}

// Three numbers with three low bits each use nine bits.
func TestBitsAfterTheLowBitsAreCorrupt(t *testing.T) {
	size := newEliasFano(3, 24)
	require.EqualValues(t, 3, size.width)
	for bit := range 16 {
		l := size
		l.use(make([]byte, l.bytes()))
		l.high[0] = 0b111
		l.low[bit/8] |= 1 << (bit % 8)
		if err := l.mark(); bit < 9 {
			require.NoError(t, err, "bit %d", bit)
		} else {
			require.EqualError(t, err, fmt.Sprintf(
				"perfect: corrupt encoding: bits after the low bits of the list = %d, want 0", 1<<(bit-9)))
		}
	}
}
