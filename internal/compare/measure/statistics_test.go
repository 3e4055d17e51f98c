package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWilsonMatchesKnownIntervals(t *testing.T) {
	// Newcombe (1998), Statistics in Medicine 17, table I, method 3, which
	// gives four decimals; and the closed forms z^2/(n+z^2) at the ends.
	for _, c := range []struct {
		yes, total uint64
		low, high  float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{29, 29, 0.8830, 1},
	} {
		low, high := wilson(c.yes, c.total)
		assert.InDelta(t, c.low, low, 0.00005, "%d of %d", c.yes, c.total)
		assert.InDelta(t, c.high, high, 0.00005, "%d of %d", c.yes, c.total)
	}
	low, high := wilson(0, 0)
	assert.Equal(t, [2]float64{0, 1}, [2]float64{low, high}, "no queries, no knowledge")
}

func TestWilsonHoldsTheProportion(t *testing.T) {
	for total := uint64(1); total <= 60; total++ {
		for yes := uint64(0); yes <= total; yes++ {
			low, high := wilson(yes, total)
			p := float64(yes) / float64(total)
			assert.True(t, 0 <= low && low <= p && p <= high && high <= 1 && low < high, "%d of %d: %g to %g", yes, total, low, high)
		}
	}
}

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 5}
	assert.Equal(t, 5.0, Median(values))
	assert.Equal(t, []float64{9, 1, 5}, values, "the argument is unchanged")
	assert.Equal(t, 3.0, Median([]float64{5, 1}))
	assert.Zero(t, Median(nil))
}
