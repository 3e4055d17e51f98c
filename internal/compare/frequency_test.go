package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestFrequenciesHaveTheirFieldsAndOursMissNothing(t *testing.T) {
	code, stdout, stderr := compare(t, "-structures", "map,count-min,count-min-conservative,heavy-hitters,top-k,boom-count-min,boom-top-k", "-format", "json")
	require.Equal(t, exitOK, code, stderr)
	var doc struct{ Frequency []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	require.Len(t, doc.Frequency, 7)
	for _, x := range doc.Frequency {
		name := x["structure"]
		assert.Equal(t, 219_047.0, x["total"])
		assert.Equal(t, 16_956.0, x["distinct"])
		assert.InDelta(t, 8*x["bytes"].(float64)/16_956, x["bits_per_key"], 1e-9)
		assert.Positive(t, x["add_ns"])
		if !strings.HasPrefix(name.(string), "boom") {
			assert.Zero(t, x["below_truth"], name)
			assert.Zero(t, x["missed"], name)
		}
		if bound := x["error_bound"]; bound != nil {
			assert.InDelta(t, 219.047, bound, 1e-9)
			assert.LessOrEqual(t, x["above_bound"], sketchDelta, name)
			assert.LessOrEqual(t, x["mean_error"], bound, name)
		}
	}
	plain, conservative := doc.Frequency[1], doc.Frequency[2]
	assert.Equal(t, plain["bytes"], conservative["bytes"])
	assert.Less(t, conservative["mean_error"], plain["mean_error"])
	assert.LessOrEqual(t, doc.Frequency[3]["bytes"], float64(heavyMemory))
	assert.LessOrEqual(t, doc.Frequency[4]["bytes"], float64(topMemory))
}

func TestARepeatedLineIsCounted(t *testing.T) {
	code, stdout, stderr := compare(t, "-keys", write(t, "a\nb\na\n\na\nc\n"), "-structures", "map,heavy-hitters")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "5 lines of keys.txt, 3 of them distinct.")
	for line := range strings.Lines(stdout) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}

	code, stdout, stderr = compare(t, "-keys", write(t, "a\nb\nc\n"), "-structures", "heavy-hitters")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "words of Moby-Dick", "nothing is repeated")
}

// A short counter counts one too few of every key, and lists none.
type shortCounter struct{ *tallyMap }

func (c shortCounter) Count(key []byte) uint64 { return c.counts[string(key)] - 1 }
func (c shortCounter) Report() []string        { return nil }

func TestWhatIsMeasuredOfACounterIsTrue(t *testing.T) {
	s := streamOf([]string{"a", "b", "a", "c", "a"})
	build := func(c func(*tallyMap) counter) func(*stream, hashfam.Family) (counter, error) {
		return func(*stream, hashfam.Family) (counter, error) { return c(&tallyMap{counts: map[string]uint64{}}), nil }
	}
	found, err := countFrequencies(t.Context(), s, []tally{
		{name: "exact", build: build(func(m *tallyMap) counter { return m })},
		{name: "short", build: build(func(m *tallyMap) counter { return shortCounter{m} })},
		{name: "double", bound: func(total float64) float64 { return total / 5 }, build: build(func(m *tallyMap) counter { return doubled{m} })},
		{name: "top", top: true, build: build(func(m *tallyMap) counter { return m })},
	}, func() {})
	require.NoError(t, err)

	exact, short, double := found[0], found[1], found[2]
	assert.Zero(t, *exact.MeanError)
	assert.Equal(t, 3, exact.Wanted)
	assert.Zero(t, exact.Missed)
	assert.Zero(t, exact.Extra)

	assert.EqualValues(t, 3*frequencyRounds, short.BelowTruth)
	assert.InDelta(t, 3, short.Missed, 1e-9)
	assert.ErrorContains(t, (&report{frequency: found[:2]}).broken(), "short: 15 times")

	assert.InDelta(t, 5.0/3, *double.MeanError, 1e-9)
	assert.Equal(t, 3.0, *double.MaxError)
	assert.InDelta(t, 1.0/3, double.AboveBound, 1e-9, "a's error is 3, the bound 1")
	assert.Equal(t, 3, found[3].Wanted, "there are no hundred")
}

type doubled struct{ *tallyMap }

func (d doubled) Count(key []byte) uint64 { return 2 * d.counts[string(key)] }

func TestTiesForTheLastPlaceOfTheTopMayAnyOfThemBeReported(t *testing.T) {
	var keys []string
	for i := range 150 {
		keys = append(keys, strings.Repeat("k", i+1)) // 150 keys, once each
	}
	s := streamOf(keys)
	truth := make([]uint64, len(keys))
	for i := range truth {
		truth[i] = 1
	}
	assert.Len(t, tally{top: true}.wanted(s, truth), 150)
	found, err := countFrequencies(t.Context(), s, []tally{tallies[4]}, func() {})
	require.NoError(t, err)
	assert.Equal(t, "top-k", found[0].Structure)
	assert.Equal(t, topK, found[0].Wanted)
	assert.Zero(t, found[0].Missed)
}

func TestAnInterruptKeepsTheTalliesSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rounds := 0
	found, err := countFrequencies(ctx, streamOf([]string{"a", "a"}), tallies[:3], func() {
		if rounds++; rounds == frequencyRounds {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, found, 1)
}

func TestSyntheticStreamsFollowZipf(t *testing.T) {
	d := syntheticData(1000)
	s := zipfStream(&d.members)
	require.Len(t, s.order, 1_000_000)
	counts := make([]int, s.keys.len())
	for _, place := range s.order {
		counts[place]++
	}
	most, second := 0, 0
	for _, n := range counts {
		if n > most {
			most, second = n, most
		} else if n > second {
			second = n
		}
	}
	// The law gives the first place 2^1.1 = 2.14 times the second's share.
	assert.InDelta(t, 2.14, float64(most)/float64(second), 0.05)
}
