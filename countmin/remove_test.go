package countmin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A counter at its maximum means that or more. So a key may be removed as often
// as it was counted, beyond the range of a counter; its count stays.
func TestMoreThanACounterHoldsCanBeRemoved(t *testing.T) {
	s := must(New(Config{Width: 100, Depth: 3}))
	s.AddN([]byte("a"), 1<<33)
	s.AddN([]byte("b"), 5)
	require.NoError(t, s.Remove([]byte("a"), 1<<33-1))
	require.Equal(t, uint64(math.MaxUint32), s.CountString("a"))
	require.EqualValues(t, 5, s.CountString("b"))
	require.EqualValues(t, 6, s.Total())
	require.ErrorContains(t, s.Remove([]byte("a"), 7), "n = 7, want at most the key's count, 6")
	require.ErrorContains(t, s.Remove([]byte("b"), 6), "n = 6, want at most the key's count, 5")
	require.NoError(t, s.Remove([]byte("a"), 1))
	require.NoError(t, s.Remove([]byte("b"), 5))
	require.Zero(t, s.Total())
	require.Error(t, s.Remove([]byte("a"), 1))
}

// A counter at its maximum has forgotten how much it held, so it is never
// decremented: the other keys in it would be counted too low.
func TestAFullCounterIsNotDecremented(t *testing.T) {
	s := mustNew(t, Params{Width: 1, Depth: 1, CounterBits: 32})
	s.AddN([]byte("a"), math.MaxUint32)
	s.AddN([]byte("b"), 1000)
	require.NoError(t, s.Remove([]byte("a"), math.MaxUint32))
	require.GreaterOrEqual(t, s.CountString("b"), uint64(1000))
	require.EqualValues(t, 1000, s.Total())
}

func TestARemovalThatCannotBeIsRefusedWhole(t *testing.T) {
	s := mustNew(t, Params{Width: 1000, Depth: 3, CounterBits: 32})
	s.AddN([]byte("a"), 5)
	s.AddN([]byte("b"), 2)
	before := s.Clone()
	for _, err := range []error{s.Remove([]byte("a"), 6), s.Remove([]byte("absent"), 1), s.Remove([]byte("b"), math.MaxUint64)} {
		requireField(t, err, ErrParams, "n")
		require.True(t, s.Equal(before))
	}
	require.NoError(t, s.RemoveDigest(s.Family().SumString("a"), 4))
	require.NoError(t, s.Remove([]byte("a"), 1))
	require.NoError(t, s.RemoveDigest(s.Family().SumString("b"), 1))
	require.EqualValues(t, 0, s.CountString("a"))
	require.EqualValues(t, 1, s.CountString("b"))
	require.EqualValues(t, 1, s.Total())
}
