package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlockedRate(t *testing.T) {
	t.Run("a single block is a classic filter of 512 bits", func(t *testing.T) {
		for _, n := range []uint64{1, 10, 50, 300} {
			require.InEpsilon(t, exactRate(LineBits, 6, n), BlockedRate(LineBits, 6, n), 1e-12)
			require.Equal(t, BlockedRate(LineBits, 6, n), BlockedRate(64, 6, n))
		}
	})
	t.Run("the plain sum over loads and occupancies", func(t *testing.T) {
		for _, v := range []struct {
			blocks, n uint64
			k         int
		}{{2, 60, 5}, {16, 16 * 20, 6}, {300, 300, 9}, {100, 20, 3}} {
			var want float64
			for load := range min(v.n, 200) + 1 {
				p := binomial(float64(v.n), 1/float64(v.blocks), float64(load))
				if p > 1e-20 {
					want += p * exactRate(LineBits, v.k, load)
				}
			}
			require.InEpsilon(t, want, BlockedRate(v.blocks*LineBits, v.k, v.n), 1e-10)
		}
	})
	t.Run("ten bits per key and six independent probes give 0.97 percent", func(t *testing.T) {
		// Pebble measured 1.14% for its 64-byte blocks, because its probes are
		// an arithmetic progression. In a simulation, h1 + i*h2 within a block
		// resulted in 1.10% to 1.17%, and independent probes in 0.97%.
		require.InDelta(t, 0.0097, BlockedRate(1e7, 6, 1e6), 5e-5)
	})
	t.Run("the mean load alone is too optimistic", func(t *testing.T) {
		const blocks, load = 1 << 20, 13
		mean := exactRate(LineBits, 16, load)
		require.Greater(t, BlockedRate(blocks*LineBits, 16, load*blocks), 5*mean)
	})
}

// The rates of single blocks are shared by all goroutines.
func TestBlockedRatesCanBeComputedConcurrently(t *testing.T) {
	const k = 37 // no other test uses it
	rates := make(chan float64)
	for range 4 {
		go func() { rates <- BlockedRate(1<<20, k, 1<<14) }()
	}
	for range 4 {
		require.Equal(t, BlockedRate(1<<20, k, 1<<14), <-rates)
	}
}

// binomial returns P(Binomial(n, p) = x), using logarithms.
func binomial(n, p, x float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(x + 1)
	c, _ := math.Lgamma(n - x + 1)
	return math.Exp(a - b - c + x*math.Log(p) + (n-x)*math.Log1p(-p))
}
