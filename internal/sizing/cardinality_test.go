package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing/oracle"
)

// fills are the expected fill ratios after n keys, written independently of the
// estimators.
var fills = []struct {
	name     string
	estimate func(m uint64, k int, x uint64) float64
	expected func(m, k, n float64) float64
}{
	{"classic", ClassicLen, func(m, k, n float64) float64 { return 1 - math.Pow(1-1/m, k*n) }},
	{"partitioned", PartitionedLen, func(m, k, n float64) float64 { return 1 - math.Pow(1-k/m, n) }},
	{"blocked", BlockedLen, func(m, k, n float64) float64 {
		return 1 - math.Pow(1-(1-math.Pow(1-1/512.0, k))*512/m, n)
	}},
	{"Swamidass-Baldi", oracle.SwamidassBaldiLen, func(m, k, n float64) float64 { return 1 - math.Exp(-k*n/m) }},
}

func TestEstimatorsInvertTheExpectedFill(t *testing.T) {
	const m = 1 << 24
	for _, f := range fills {
		t.Run(f.name, func(t *testing.T) {
			for _, k := range []int{1, 3, 7, 20} {
				for _, perBit := range []float64{0.001, 0.1, math.Ln2, 2, 5} {
					n := perBit * m / float64(k)
					x := math.Round(m * f.expected(m, float64(k), n))
					// x is rounded to a whole bit, and changes little with n if
					// few zeros are left.
					require.InEpsilon(t, n, f.estimate(m, k, uint64(x)), 1/(n*float64(k)*math.Exp(-perBit))+1e-9)
				}
			}
		})
		t.Run(f.name+" is 0 for an empty filter and infinite for a full one", func(t *testing.T) {
			for _, m := range []uint64{1, 8, 512, 1 << 40} {
				require.Zero(t, f.estimate(m, 3, 0))
				require.Equal(t, math.Inf(1), f.estimate(m, 3, m))
			}
		})
		t.Run(f.name+" increases with the fill ratio", func(t *testing.T) {
			for x := uint64(1); x < 1024; x++ {
				require.Greater(t, f.estimate(1024, 5, x), f.estimate(1024, 5, x-1))
			}
		})
	}
}

func TestEstimatorsAreConsistent(t *testing.T) {
	for x := uint64(1); x < 4096; x += 13 {
		require.GreaterOrEqual(t, oracle.SwamidassBaldiLen(4096, 7, x), ClassicLen(4096, 7, x))
		require.InEpsilon(t, oracle.SwamidassBaldiLen(4096, 7, x), ClassicLen(4096, 7, x), 1.3e-4) // 1/2m
		require.InEpsilon(t, ClassicLen(512, 7, x/8+1), BlockedLen(512, 7, x/8+1), 1e-12, "one block is a classic filter")
	}
}

func TestEstimatorsArePreciseAtTheLastBit(t *testing.T) {
	const m = 200_000_000_000_008 // a plain 1-x/m has two correct digits here
	require.InEpsilon(t, m*math.Log(m), ClassicLen(m, 1, m-1), 1e-13)
	require.InEpsilon(t, 1.0, ClassicLen(m, 1, 1), 1e-13)
}
