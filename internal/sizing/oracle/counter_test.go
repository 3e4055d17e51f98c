package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounterOverflow(t *testing.T) {
	t.Run("a 4-bit counter wraps with probability 1.37e-15, as Fan et al. print", func(t *testing.T) {
		require.InEpsilon(t, 1.3677e-15, CounterOverflowOptimal(16), 5e-5)
	})
	t.Run("a counter is stuck 22 times as often", func(t *testing.T) {
		require.InEpsilon(t, 3.058e-14, CounterOverflowOptimal(15), 5e-4)
		require.InDelta(t, 22, CounterOverflowOptimal(15)/CounterOverflowOptimal(16), 0.5)
	})
	t.Run("m counters have m times the bound", func(t *testing.T) {
		const m, n, k = 1 << 30, 1 << 27, 6 // the real optimum of k is 5.545
		require.InEpsilon(t, m*math.Pow(math.E*0.75/16, 16), CounterOverflow(m, k, n, 16), 1e-12)
	})
	t.Run("the bound is above the exact tail of one counter", func(t *testing.T) {
		for j := 3; j <= 40; j++ {
			require.Greater(t, CounterOverflowOptimal(j), PoissonTail(math.Ln2, j))
		}
	})
}

func TestPoissonTail(t *testing.T) {
	t.Run("known tails at ln 2", func(t *testing.T) {
		require.InEpsilon(t, 1.637e-15, PoissonTail(math.Ln2, 15), 5e-4)
		require.InEpsilon(t, 7.073e-17, PoissonTail(math.Ln2, 16), 5e-4)
		require.InEpsilon(t, 0.5, PoissonTail(math.Ln2, 1), 1e-14)
		require.Equal(t, 1.0, PoissonTail(math.Ln2, 0))
	})
	t.Run("a counter with a large mean is almost never empty", func(t *testing.T) {
		require.Equal(t, 1.0, PoissonTail(1000, 1))
		require.InDelta(t, 0.5, PoissonTail(1000, 1000), 0.01)
	})
	t.Run("both directions of summation give the same", func(t *testing.T) {
		for _, lambda := range []float64{0.1, 1, 4, 20} {
			sum := 1.0
			for j := range 60 {
				require.InDelta(t, sum, PoissonTail(lambda, j), 1e-13)
				sum -= math.Exp(-lambda) * math.Pow(lambda, float64(j)) / math.Gamma(float64(j+1))
			}
		}
	})
}
