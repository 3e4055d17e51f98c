package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOccupancyHasTheKnownMoments(t *testing.T) {
	const m, throws = 300, 170
	var total, mean, square float64
	for x, p := range occupancy(m, throws) {
		total += p
		mean += p * float64(x)
		square += p * float64(x) * float64(x)
	}
	require.InEpsilon(t, 1, total, 1e-12)
	wantMean, wantVar := occupancyMoments(m, throws)
	require.InEpsilon(t, wantMean, mean, 1e-12)
	require.InEpsilon(t, wantVar, square-mean*mean, 1e-9)
}

// occupancyMoments returns the exact mean and variance of the number of
// occupied cells. With q = (1-1/m)^t the variance is m(m-1)(1-2/m)^t + mq - m^2
// q^2. The terms are regrouped so that none of order m^2 cancel.
func occupancyMoments(m, throws float64) (mean, variance float64) {
	q := math.Exp(throws * math.Log1p(-1/m))
	pair := math.Expm1(throws * math.Log1p(-1/((m-1)*(m-1))))
	return m * (1 - q), m*q*(1-q) + m*(m-1)*q*q*pair
}
