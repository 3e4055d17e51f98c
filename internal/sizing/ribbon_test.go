package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rateOf is the rate of a ribbon with a number of columns, by the formula.
func rateOf(columns uint32) float64 {
	r := math.Ceil(float64(columns) / columnUnits)
	return math.Exp2(-r) * (1 + r - float64(columns)/columnUnits)
}

func TestRibbonColumnsMeetTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := math.Exp2(-rapid.Float64Range(0.001, 31.9).Draw(t, "log"))
		columns, ok := RibbonColumns(eps, 0)
		require.True(t, ok)
		require.LessOrEqual(t, rateOf(columns), eps*(1+1./columnUnits))
		require.Greater(t, rateOf(columns-1), eps, "fewer columns would not do")
		require.Equal(t, rateOf(columns), RibbonRate(columns, 0))
		require.InDelta(t, LowerBound(eps)+0.043, float64(columns)/columnUnits, 0.0432, "the cost of mixing")
	})
}

func TestRibbonColumnsOfPowersOfTwoAreWhole(t *testing.T) {
	for r := 1; r <= MaxColumns; r++ {
		for _, n := range []uint64{0, 1, 1000} {
			columns, ok := RibbonColumns(math.Ldexp(1, -r), n)
			require.True(t, ok)
			require.EqualValues(t, r*columnUnits, columns, "r = %d, n = %d", r, n)
		}
	}
}

func TestRibbonColumnsHaveALimit(t *testing.T) {
	for _, eps := range []float64{0, 1, -1, 2, math.NaN(), math.Ldexp(0.99, -32), 1e-300} {
		_, ok := RibbonColumns(eps, 0)
		require.False(t, ok, eps)
	}
	_, ok := RibbonColumns(0.001, math.MaxUint64)
	require.False(t, ok, "equal digests")
	for _, n := range []uint64{0, 1 << 20, 1 << 40} {
		_, ok := RibbonColumns(RibbonFloor(n)*1.0001, n)
		require.True(t, ok)
		_, ok = RibbonColumns(RibbonFloor(n)*0.999, n)
		require.False(t, ok)
	}
	columns, ok := RibbonColumns(math.Nextafter(1, 0), 1)
	require.True(t, ok)
	require.NotZero(t, columns)
}
