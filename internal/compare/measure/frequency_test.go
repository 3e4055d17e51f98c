package measure

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestWhatIsMeasuredOfACounterIsTrue(t *testing.T) {
	s := streamOf(newKeySet("a", "b", "a", "c", "a"), "keys")
	// A counter that counts some times a count, and some more, and lists no
	// keys or does not list.
	build := func(times, more uint64, lists bool) BuildCounter {
		return func(s *Stream, family hashfam.Family) (Counter, error) {
			c, err := newTallyMap(s, family)
			count := c.Count
			c.Count = func(key []byte) uint64 { return times*count(key) + more }
			if lists {
				c.Report = func() []string { return nil }
			}
			return c, err
		}
	}
	found, err := countFrequencies(t.Context(), s, []Tally{
		{Name: "exact", Build: newTallyMap},
		{Name: "short", Build: build(1, ^uint64(0), true)},
		{Name: "double", bound: func(total float64) float64 { return total / 5 }, Build: build(2, 0, false)},
		{Name: "top", top: true, Build: newTallyMap},
	}, func() {})
	require.NoError(t, err)

	exact, short, double := found[0], found[1], found[2]
	assert.Zero(t, *exact.MeanError)
	assert.Equal(t, 3, exact.Wanted)
	assert.Zero(t, exact.Missed)
	assert.Zero(t, exact.Extra)

	assert.EqualValues(t, 3*frequencyRounds, short.BelowTruth)
	assert.InDelta(t, 3, short.Missed, 1e-9)
	assert.ErrorContains(t, (&Results{Frequency: found[:2]}).Broken(), "short: 15 times")

	assert.InDelta(t, 5.0/3, *double.MeanError, 1e-9)
	assert.Equal(t, 3.0, *double.MaxError)
	assert.InDelta(t, 1.0/3, double.AboveBound, 1e-9, "a's error is 3, the bound 1")
	assert.Equal(t, 3, found[3].Wanted, "there are no hundred")
}

func TestTiesForTheLastPlaceOfTheTopMayAnyOfThemBeReported(t *testing.T) {
	var keys []string
	for i := range 150 {
		keys = append(keys, strings.Repeat("k", i+1)) // 150 keys, once each
	}
	s := streamOf(newKeySet(keys...), "keys")
	truth := make([]uint64, len(keys))
	for i := range truth {
		truth[i] = 1
	}
	assert.Len(t, Tally{top: true}.wanted(s, truth), 150)
	found, err := countFrequencies(t.Context(), s, []Tally{Tallies[4]}, func() {})
	require.NoError(t, err)
	assert.Equal(t, "top-k", found[0].Structure)
	assert.Equal(t, topK, found[0].Wanted)
	assert.Zero(t, found[0].Missed)
}

func TestAnInterruptKeepsTheTalliesSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rounds := 0
	found, err := countFrequencies(ctx, streamOf(newKeySet("a", "a"), "keys"), Tallies[:3], func() {
		if rounds++; rounds == frequencyRounds {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, found, 1)
}
