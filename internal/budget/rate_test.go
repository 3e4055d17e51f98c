package budget

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

var errs = &fault.Maker{Package: "pkg"}

// The rate must be above capacity/2^64, the rate of equal digests.
func TestRatesMustBePossible(t *testing.T) {
	require.NoError(t, checkRate(errs, math.SmallestNonzeroFloat64, 0))
	require.NoError(t, checkRate(errs, math.Nextafter(1, 0), 1000))
	require.NoError(t, checkRate(errs, math.Nextafter(0x1p-20, 1), 1<<44))
	for _, rate := range []float64{0, -0.5, 1, 1.5, math.NaN(), math.Inf(1)} {
		err := checkRate(errs, rate, 1)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, "want above 0 and below 1; 0.05 is 5%", "%v", rate)
	}
	err := checkRate(errs, 0x1p-20, 1<<44)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.EqualError(t, err, "pkg: invalid parameters: Config.FPRate = 9.5367431640625e-07, "+
		"want above Capacity/2^64 = 9.54e-07, the floor of 64-bit digests")
}
