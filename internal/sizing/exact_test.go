package sizing

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// exactly returns log2 C(r+s, r) from the binomial coefficient itself.
func exactly(r, s int64) float64 {
	c := new(big.Float).SetInt(new(big.Int).Binomial(r+s, r))
	mantissa := new(big.Float)
	exponent := c.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return float64(exponent) + math.Log2(m)
}

func TestExactBoundOfSmallClasses(t *testing.T) {
	for _, c := range []struct {
		r, s uint64
		ways float64
	}{
		{0, 0, 1}, {0, 5, 1}, {5, 0, 1}, {1, 1, 2}, {1, 7, 8}, {2, 2, 6}, {3, 5, 56}, {5, 5, 252}, {10, 10, 184756},
		{1, math.MaxUint64, math.Exp2(64)}, {2, 1 << 62, math.Exp2(123)},
	} {
		require.InDelta(t, math.Log2(c.ways), ExactBound(c.r, c.s), 1e-12, "%d and %d keys", c.r, c.s)
	}
}

// The sizes include those on both sides of the change from products to a
// series.
func TestExactBoundIsTheLogarithmOfTheBinomialCoefficient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.OneOf(rapid.Int64Range(0, 3000), rapid.Int64Range(fewKeys-2, fewKeys+3)).Draw(t, "r")
		s := rapid.OneOf(rapid.Int64Range(0, 3000), rapid.Int64Range(0, 1<<40)).Draw(t, "s")
		want := exactly(r, s)
		require.InDelta(t, want, ExactBound(uint64(r), uint64(s)), 1e-12*(1+want), "%d and %d keys", r, s)
		require.Equal(t, ExactBound(uint64(r), uint64(s)), ExactBound(uint64(s), uint64(r)))
	})
}

// The bits per key of the rarer class that docs/theory.md quotes.
func TestExactBoundPerRareKey(t *testing.T) {
	for _, c := range []struct {
		r, s uint64
		want float64
	}{
		{1_000_000, 1_000_000, 2.000}, {1_000_000, 5_000_000, 3.900}, {100_000, 5_000_000, 7.101},
		{10_000, 10_000_000, 11.408}, {18_147, 19_717, 2.083}, {8_335, 538_906, 7.468},
	} {
		require.InDelta(t, c.want, ExactBound(c.r, c.s)/float64(c.r), 0.0006)
	}
}

// Classes of 10^9 and 10^18 keys, for which logarithms of factorials have an
// error of thousands of bits.
func TestExactBoundOfHugeClasses(t *testing.T) {
	r, s := 1e9, 1e18 // the product of (s+i)/i: s^r/r!, times e^(r^2/2s)
	want := r*math.Log2(s/r) + (r+r*r/s/2)*math.Log2E - math.Log2(2*math.Pi*r)/2
	require.InEpsilon(t, want, ExactBound(1e9, 1e18), 1e-15)
	require.InEpsilon(t, math.Exp2(64), ExactBound(1<<63, 1<<63), 1e-12)
}
