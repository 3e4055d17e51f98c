package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountMinSize(t *testing.T) {
	// Known numbers of counters for base e.
	require.Equal(t, uint64(13_595), CountMinWidth(1e-3)*uint64(CountMinDepth(1e-2)))
	require.Equal(t, uint64(190_281), CountMinWidth(1e-4)*uint64(CountMinDepth(1e-3)))
	require.Equal(t, 1, CountMinDepth(1), "there is at least one row")
	require.Equal(t, 691, CountMinDepth(1e-300))
	for _, bad := range []float64{0, -1, math.NaN()} {
		require.Zero(t, CountMinWidth(bad))
		require.Zero(t, CountMinDepth(bad))
	}
	require.Equal(t, uint64(math.MaxUint64), CountMinWidth(1e-300))
	require.Equal(t, uint64(math.MaxUint64), CountMinWidth(math.E/(1<<64)), "2^64 counters")
}
