package countmin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// remover is a sketch, plain or concurrent.
type remover interface {
	AddNString(key string, n uint64)
	RemoveNString(key string, n uint64) error
	CountString(key string) uint64
	Total() uint64
}

// A counter at its maximum means that or more. So a key may be removed as often
// as it was counted, beyond the range of a counter; its count stays.
func TestMoreThanACounterHoldsCanBeRemoved(t *testing.T) {
	c := Config{Width: 100, Depth: 3}
	for _, s := range []remover{must(New(c)), must(NewConcurrentSketch(c))} {
		s.AddNString("a", 1<<33)
		s.AddNString("b", 5)
		require.NoError(t, s.RemoveNString("a", 1<<33-1))
		require.Equal(t, uint64(math.MaxUint32), s.CountString("a"))
		require.EqualValues(t, 5, s.CountString("b"))
		require.EqualValues(t, 6, s.Total())
		require.ErrorContains(t, s.RemoveNString("a", 7), "n = 7, want at most the key's count, 6")
		require.ErrorContains(t, s.RemoveNString("b", 6), "n = 6, want at most the key's count, 5")
		require.NoError(t, s.RemoveNString("a", 1))
		require.NoError(t, s.RemoveNString("b", 5))
		require.Zero(t, s.Total())
		require.Error(t, s.RemoveNString("a", 1))
	}
	for _, s := range []remover{&Sketch{}, &ConcurrentSketch{}} { // they have counted nothing
		require.ErrorContains(t, s.RemoveNString("a", 1), "n = 1, want at most the key's count, 0")
		require.NoError(t, s.RemoveNString("a", 0))
	}
}
