package budget_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/fault"
)

// The rate must be above capacity/2^64, the rate of equal digests.
func TestRatesMustBePossible(t *testing.T) {
	plan := func(n uint64, rate float64) error {
		_, err := budget.Plan(&fault.Maker{Package: "pkg"}, n, rate, 0,
			func(uint64, float64) (p bloom.Params, err error) { return p, nil }, nil)
		return err
	}
	require.NoError(t, plan(1, math.Nextafter(0x1p-64, 1)))
	require.NoError(t, plan(1000, math.Nextafter(1, 0)))
	require.NoError(t, plan(1<<44, math.Nextafter(0x1p-20, 1)))
	for _, rate := range []float64{-0.5, 1, 1.5, math.NaN(), math.Inf(1)} {
		err := plan(1, rate)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, "want above 0 and below 1; 0.05 is 5%", "%v", rate)
	}
	require.ErrorContains(t, plan(1, 0), "want above 0 and below 1, or MemoryBytes")
	err := plan(1<<44, 0x1p-20)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.EqualError(t, err, "pkg: invalid parameters: Config.FPRate = 9.5367431640625e-07, "+
		"want above Capacity/2^64 = 9.54e-07, the floor of 64-bit digests")
}
