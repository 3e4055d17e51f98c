package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected fill ratios do not use the estimators.
func TestEstimatorsInvertTheExpectedFill(t *testing.T) {
	for name, f := range map[string]struct {
		estimate func(m uint64, k int, x uint64) float64
		expected func(m, k, n float64) float64
	}{
		"classic":     {ClassicLen, func(m, k, n float64) float64 { return 1 - math.Pow(1-1/m, k*n) }},
		"partitioned": {PartitionedLen, func(m, k, n float64) float64 { return 1 - math.Pow(1-k/m, n) }},
		"blocked": {BlockedLen, func(m, k, n float64) float64 {
			return 1 - math.Pow(1-(1-math.Pow(1-1/512.0, k))*512/m, n)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			const m = 1 << 24
			for _, k := range []int{1, 3, 7, 20} {
				for _, perBit := range []float64{0.001, 0.1, math.Ln2, 2, 5} {
					n := perBit * m / float64(k)
					x := math.Round(m * f.expected(m, float64(k), n))
					// x is rounded, and almost constant when only few bits are
					// zero.
					require.InEpsilon(t, n, f.estimate(m, k, uint64(x)), 1/(n*float64(k)*math.Exp(-perBit))+1e-9)
				}
			}
			for _, m := range []uint64{1, 8, 512, 1 << 40} {
				require.Zero(t, f.estimate(m, 3, 0))
				require.Equal(t, math.Inf(1), f.estimate(m, 3, m))
			}
			for x := uint64(1); x < 1024; x++ {
				require.Greater(t, f.estimate(1024, 5, x), f.estimate(1024, 5, x-1))
			}
		})
	}
	require.InEpsilon(t, ClassicLen(512, 7, 99), BlockedLen(512, 7, 99), 1e-12, "one block is a classic filter")
}

func TestEstimatorsArePreciseAtTheLastBit(t *testing.T) {
	const m = 200_000_000_000_008 // a plain 1-x/m has two correct digits here
	require.InEpsilon(t, m*math.Log(m), ClassicLen(m, 1, m-1), 1e-13)
	require.InEpsilon(t, 1.0, ClassicLen(m, 1, 1), 1e-13)
}
