package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCuckooRate(t *testing.T) {
	for _, v := range []struct {
		f    int
		want float64
		half float64 // half a unit of the last digit given
	}{{8, 0.02942, 5e-6}, {12, 0.00185, 1e-5}, {16, 1.16e-4, 5e-7}} {
		require.InDelta(t, v.want, CuckooRate(v.f, 0.95), v.half)
	}
	require.Zero(t, CuckooRate(8, 0))
}

func TestCuckooFingerprintBits(t *testing.T) {
	t.Run("it is the smallest that meets the rate", func(t *testing.T) {
		for eps := 0.6; eps > 2e-9; eps *= 0.9 {
			f, ok := CuckooFingerprintBits(eps, 0.95)
			require.True(t, ok)
			require.LessOrEqual(t, CuckooRate(f, 0.95), eps)
			if f > 4 {
				require.Greater(t, CuckooRate(f-1, 0.95), eps)
			}
		}
	})
	t.Run("it stays between 4 and 32", func(t *testing.T) {
		f, ok := CuckooFingerprintBits(0.99, 0.95)
		require.True(t, ok)
		require.Equal(t, 4, f)
		_, ok = CuckooFingerprintBits(1e-9, 0.95)
		require.False(t, ok)
	})
}
