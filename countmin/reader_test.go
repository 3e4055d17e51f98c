package countmin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizeOfBothWidthsOfCounters(t *testing.T) {
	require.EqualValues(t, 4*10*3, mustNew(t, Params{Width: 10, Depth: 3, CounterBits: 32}).SizeBytes())
	require.EqualValues(t, 8*10*3, mustNew(t, Params{Width: 10, Depth: 3, CounterBits: 64}).SizeBytes())
}

// A total of 2^64-1 means that or more: no share of it bounds an error. Here
// the keys count 2^71 together, and most other keys collide with one of them.
func TestAFullTotalBoundsNothing(t *testing.T) {
	s := must(New(Config{Width: 1000, Depth: 5, CounterBits: 64}))
	for key := range uint64(2000) {
		s.AddNDigest(s.Family().SumUint64(key), 1<<60)
	}
	require.EqualValues(t, uint64(math.MaxUint64), s.Total())
	require.EqualValues(t, uint64(math.MaxUint64), s.ErrorBound())
	for key := uint64(2000); key < 3000; key++ {
		low, _ := s.BoundsDigest(s.Family().SumUint64(key))
		require.Zero(t, low)
	}
	s.total--
	require.Less(t, s.ErrorBound(), uint64(math.MaxUint64/300))
}

func TestAtACountersMaximumNothingIsKnown(t *testing.T) {
	for _, bits := range []int{32, 64} {
		s := must(New(Config{Width: 100, Depth: 3, CounterBits: bits}))
		s.AddN([]byte("a"), math.MaxUint64)
		low, high := s.Bounds([]byte("a"))
		require.Zero(t, low)
		require.EqualValues(t, uint64(math.MaxUint64), high)
	}
}
