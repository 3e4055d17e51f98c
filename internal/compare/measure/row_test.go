package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRatiosAreMediansOverRounds(t *testing.T) {
	ours := func(rate float64) *cell {
		return &cell{Structure: Structure{Name: "bloom"}, rate: rate, bytes: 100,
			done: []result{{add: 1, hit: 2, miss: 4}, {add: 10, hit: 2, miss: 4}, {add: 100, hit: 2, miss: 4}}}
	}
	theirs := &cell{Structure: Structure{Name: "peer", Peer: true, Against: "bloom"}, rate: 0.01, bytes: 150,
		done: []result{{add: 2, hit: 8, miss: 1, del: 9}, {add: 30, hit: 8, miss: 1, del: 9}, {add: 100, hit: 8, del: 9}}}
	r := ratiosOf(theirs, []*cell{ours(0.1), ours(0.01), theirs})
	assert.Equal(t, "bloom", r.Against)
	assert.Equal(t, 0.01, *r.Rate)
	assert.Equal(t, 1.5, *r.Bits)
	assert.Equal(t, [3]float64{2, 4, 0.25}, [3]float64{*r.Add, *r.Hit, *r.Miss})
	assert.Nil(t, r.Delete, "ours deletes nothing")

	for rate, nearest := range map[float64]float64{0: 0.001, 1e-6: 0.001, 0.0039: 0.01, 0.9: 0.1} {
		theirs.rate = rate
		assert.Equal(t, nearest, *ratiosOf(theirs, []*cell{ours(0.1), ours(0.01), ours(0.001)}).Rate, rate)
	}
	assert.Zero(t, ratiosOf(theirs, []*cell{theirs}), "a row of ours that is missing is a dash")
}

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

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 5}
	assert.Equal(t, 5.0, Median(values))
	assert.Equal(t, []float64{9, 1, 5}, values, "the argument is unchanged")
	assert.Equal(t, 3.0, Median([]float64{5, 1}))
	assert.Zero(t, Median(nil))
}
