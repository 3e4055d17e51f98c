package sizing

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rateOf returns the rate for the given columns, using the formula.
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
	for r := 1; r <= MaxColumns; r++ {
		for _, n := range []uint64{0, 1, 1000} {
			columns, ok := RibbonColumns(math.Ldexp(1, -r), n)
			require.True(t, ok)
			require.EqualValues(t, r*columnUnits, columns, "powers of two are whole: r = %d, n = %d", r, n)
		}
	}
}

func TestRibbonColumnsHaveALimit(t *testing.T) {
	for _, eps := range []float64{0, 1, -1, 2, math.NaN(), math.Ldexp(0.99, -32), 1e-300} {
		_, ok := RibbonColumns(eps, 0)
		require.False(t, ok, eps)
	}
	for _, n := range []uint64{0, 1 << 20, 1 << 40} {
		_, ok := RibbonColumns(RibbonFloor(n)*1.0001, n)
		require.True(t, ok)
		_, ok = RibbonColumns(RibbonFloor(n)*0.999, n)
		require.False(t, ok)
	}
}

// When equal digests have a noticeable rate, the ribbon needs a lower rate.
func TestRibbonColumnsIncludeEqualDigests(t *testing.T) {
	for _, n := range []uint64{1, 1 << 60, 1 << 62, 1 << 63, math.MaxUint64} {
		for _, eps := range []float64{0.9, 0.5, 0.45, 0.001} {
			units, ok := RibbonColumns(eps, n)
			require.Equal(t, DigestRate(n) < eps, ok, "n = %d, eps = %g: %d", n, eps, units)
			if ok {
				require.LessOrEqual(t, RibbonRate(units, n), eps*(1+1e-9))
				require.Greater(t, RibbonRate(units-1, n), eps)
			}
		}
	}
}

// exactly returns log2 C(r+s, r), using the binomial coefficient.
func exactly(r, s int64) float64 {
	c := new(big.Float).SetInt(new(big.Int).Binomial(r+s, r))
	mantissa := new(big.Float)
	exponent := c.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return float64(exponent) + math.Log2(m)
}

func TestExactBoundIsALogBinomial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.OneOf(rapid.Int64Range(0, 3000), rapid.Int64Range(fewKeys-2, fewKeys+3)).Draw(t, "r")
		s := rapid.OneOf(rapid.Int64Range(0, 3000), rapid.Int64Range(0, 1<<40)).Draw(t, "s")
		want := exactly(r, s)
		require.InDelta(t, want, ExactBound(uint64(r), uint64(s)), 1e-12*(1+want), "%d and %d keys", r, s)
		require.Equal(t, ExactBound(uint64(r), uint64(s)), ExactBound(uint64(s), uint64(r)))
	})
}

// The bound is the least number of bits over all rates from 0 to eps. The test
// computes this number for rates in steps, so it may be higher by an amount
// that follows from the second derivative. If any rate is allowed, the bound is
// close to ExactBound.
func TestListsBoundIsTheLeastOverDensities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Uint64Range(1, 1e7).Draw(t, "r")
		s := rapid.Uint64Range(0, 1e9).Draw(t, "s")
		eps := math.Exp2(-rapid.Float64Range(0.01, 30).Draw(t, "log"))
		const step = math.Ln2 / 100
		a, b := float64(r), float64(s)
		least := math.Inf(1)
		for i := range 4000 {
			p := eps * math.Exp(-float64(i)*step)
			least = min(least, a*math.Log2(1/p)-b*math.Log1p(-p)*math.Log2E)
		}
		beside := 1e-9 * least
		if a/(a+b) < eps {
			beside += a * (a + b) / b * step * step / 2 * math.Log2E
		}
		require.LessOrEqual(t, ListsBound(r, s, eps), least*(1+1e-9))
		require.InDelta(t, least, ListsBound(r, s, eps), beside)
		require.InDelta(t, ExactBound(r, s), ListsBound(r, s, 1), 40)
		require.Equal(t, float64(r)*LowerBound(eps), ListsBound(r, 0, eps))
	})
	require.Zero(t, ListsBound(0, 0, 0.1))
	require.Zero(t, ListsBound(0, 9, 0.1))
	require.Zero(t, ListsBound(9, 0, 1))
}

// The results are in bits per rare key. They include the numbers in
// docs/theory.md, and huge classes, for which logarithms of factorials would be
// wrong by thousands of bits.
func TestExactBoundPerRareKey(t *testing.T) {
	r, s := 1e9, 1e18 // the product of (s+i)/i: s^r/r!, times e^(r^2/2s)
	huge := r*math.Log2(s/r) + (r+r*r/s/2)*math.Log2E - math.Log2(2*math.Pi*r)/2
	for _, c := range []struct{ r, s, want, delta float64 }{
		{1e6, 1e6, 2.000, 0.0006}, {1e6, 5e6, 3.900, 0.0006}, {1e5, 5e6, 7.101, 0.0006}, {1e4, 1e7, 11.408, 0.0006},
		{18_147, 19_717, 2.083, 0.0006}, {8_335, 538_906, 7.468, 0.0006},
		{1, 0, 0, 0}, {1, 7, 3, 1e-15}, {1, 1 << 63, 63, 1e-12}, {2, 1 << 62, 123. / 2, 1e-12},
		{r, s, huge / r, 1e-13}, {1 << 63, 1 << 63, 2, 1e-12},
	} {
		require.InDelta(t, c.want, ExactBound(uint64(c.r), uint64(c.s))/c.r, c.delta, "%g and %g keys", c.r, c.s)
	}
	require.Zero(t, ExactBound(0, 0))
}
