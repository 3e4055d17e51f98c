package measure

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// A heap can be too small to be seen to grow.
func TestASizeOfZeroHasAJSONForm(t *testing.T) {
	ours := &cell{Structure: Structure{Name: "map"}, done: []result{{add: 1}}}
	theirs := &cell{Structure: Structure{Name: "static-exact", Against: "map"}, bytes: 8, done: []result{{add: 1}}}
	_, err := json.Marshal(ratiosOf(theirs, []*cell{ours, theirs}))
	require.NoError(t, err)
}
