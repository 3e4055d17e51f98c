package measure

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestInterruptKeepsRows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := NewExperiment(SyntheticData(1000), Structures[:2], []float64{0.01}, nil)
	require.NoError(t, err)
	done := 0
	r, err := e.Run(ctx, func() {
		if done++; done == 5 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, r.Interrupted)
	require.Len(t, r.Rows, 2)
	assert.Equal(t, 5, r.Rows[0].Rounds+r.Rows[1].Rounds)
	assert.Equal(t, 1000, r.Effort.Rounds)
}

// blind returns a Build function for a filter that finds no key.
func blind(add func(key []byte) error) Build {
	return func(uint64, float64, hashfam.Family) (*Filter, error) {
		return &Filter{Add: add, Contains: func([]byte) bool { return false }, SizeBytes: fixed(1)}, nil
	}
}

// An incomplete round's queries would look like lost keys.
func TestInterruptedRoundIsDropped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	c := &cell{Structure: Structure{Peer: true, Build: blind(func([]byte) error {
		if asked++; asked > 1500 {
			cancel()
		}
		return nil
	})}}
	err := c.attempt(func() error {
		return c.measure(ctx, SyntheticData(1000), Effort{Rounds: 5, queries: 1000, repeats: 20}, 0)
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, c.failure, "an interrupt is not a peer's failure")
	require.Empty(t, c.done)
}

func TestRefusedKeysOfRepeatsAreCounted(t *testing.T) {
	c := &cell{Structure: Structure{Peer: true, Build: blind(func([]byte) error { return errFull })}}
	d := &Dataset{Members: newKeySet("a", "b").Keys, Absent: newKeySet("c").Keys}
	require.NoError(t, c.measure(t.Context(), d, Effort{Rounds: 5, queries: 1, repeats: 10_000}, 0))
	assert.Equal(t, result{queries: 1, given: 20_000, refused: 20_000, ns: c.done[0].ns}, c.done[0])
}

// The documents promise that no key was lost.
func TestLostKeyFailsTheDocuments(t *testing.T) {
	before := Structures
	t.Cleanup(func() { Structures = before })
	Structures = []Structure{{Name: "forgetful", Build: blind(func([]byte) error { return nil })}}
	s := Sweep{Accuracy: []int{100}, Rates: []float64{0.1}, rounds: 1, most: 1}
	_, err := s.measureAccuracy(func() {})
	require.ErrorContains(t, err, "forgetful at 0.1")
	_, err = s.run(Source{Synthetic: 100}, s.Rates, false, func() {})
	require.ErrorContains(t, err, "forgetful at 0.1")
}

func TestStructuresFindTheirKeys(t *testing.T) {
	keys, seen := newKeySet("a", "b", "c", "d").Keys, make(map[string]bool)
	for i, s := range Structures {
		assert.False(t, seen[s.Name], "%s twice", s.Name)
		seen[s.Name] = true
		assert.Regexp(t, "^[a-z0-9]+(-[a-z0-9]+)*$", s.Name)
		assert.Equal(t, i >= len(Structures)-len(Peers), s.Peer && s.Against != "", s.Name)
		f, err := (&cell{Structure: s, rate: 0.01, absent: &newKeySet("e").Keys}).build(&keys, true)
		require.NoError(t, err, s.Name)
		found, _ := f.count(&keys, 2, 10)
		assert.EqualValues(t, 10, found, s.Name)
		assert.Equal(t, s.Heap, f.SizeBytes == nil, s.Name)
		assert.True(t, f.Delete == nil || f.Delete(keys.At(0)), s.Name)
	}
	_, err := newBoomCuckoo(1<<31, 0.01, hashfam.Family{})
	require.ErrorContains(t, err, "GiB")
	one := &Filter{Contains: func(key []byte) bool { return string(key) == "a" }}
	found, _ := one.count(&keys, 2, 6)
	assert.EqualValues(t, 1, found, "c d a b c d")
}

// keysOf returns keys of the given length.
func keysOf(number, bytes int) Keys {
	k := Keys{bytes: make([]byte, number*bytes), ends: make([]int, number)}
	for i := range k.ends {
		k.ends[i] = (i + 1) * bytes
	}
	return k
}

// Few absent keys should not need a million builds, since building a large
// filter is slow.
func TestRoundsFollowKeyCounts(t *testing.T) {
	for _, c := range []struct{ members, absent, rounds, queries, repeats int }{
		{100_000, 1, 50, 1, 1}, {100_000, 1000, 50, 1000, 1}, {1, 1, 10_000, 1, 10}, {1_000_000, 10, 5, 10, 1},
		{1, 1_000_000, 10_000, 100, 6}, {1000, 1_000_000, 1000, 1000, 1}, {1_000_000, 1_000_000, 5, 1_000_000, 1},
	} {
		d := &Dataset{Members: keysOf(c.members, 16), Absent: keysOf(c.absent, 16)}
		assert.Equal(t, Effort{c.rounds, c.queries, c.repeats}, newEffort(d), "%+v", c)
	}
}

// The running time is proportional to the bytes that are hashed, so long keys
// should be hashed less often.
func TestLongKeysGetFewRounds(t *testing.T) {
	for _, c := range []struct{ members, memberBytes, absent, absentBytes int }{
		{1, 3 << 20, 100_000, 72}, {1, 100 << 10, 100_000, 72}, {1, 16 << 20, 1, 16 << 20}, {100, 10, 1, 3 << 20},
		{10, 100 << 10, 10, 100 << 10},
	} {
		d := &Dataset{Members: keysOf(c.members, c.memberBytes), Absent: keysOf(c.absent, c.absentBytes)}
		p := newEffort(d)
		round := p.repeats * (c.members*c.memberBytes + p.queries*c.absentBytes)
		assert.LessOrEqual(t, p.Rounds*round, max(5*round, 100_000_000), "%+v", c)
		assert.GreaterOrEqual(t, p.Rounds, 5)
	}
	// The product of rounds and keys is above 2^31, which can overflow an int.
	c, absent := &cell{}, keysOf(1_000_000, 0)
	c.tell(&absent, 10_000)
	assert.Equal(t, 1999, c.skipped)
}

func TestRatioIsMedianOverRounds(t *testing.T) {
	type times = [operations]float64
	ours := func(rate float64) *cell {
		return &cell{Structure: Structure{Name: "bloom"}, rate: rate, bytes: 100,
			done: []result{{ns: times{1, 2, 4}}, {ns: times{10, 2, 4}}, {ns: times{100, 2, 4}}}}
	}
	theirs := &cell{Structure: Structure{Name: "peer", Peer: true, Against: "bloom"}, rate: 0.01, bytes: 150,
		done: []result{{ns: times{2, 8, 1, 9}}, {ns: times{30, 8, 1, 9}}, {ns: times{100, 8, 0, 9}}}}
	r := ratiosOf(theirs, []*cell{ours(0.1), ours(0.01), theirs})
	assert.Equal(t, "bloom", r.Against)
	assert.Equal(t, 0.01, *r.Rate)
	assert.Equal(t, 1.5, *r.Bits)
	assert.Equal(t, [3]float64{2, 4, 0.25}, [3]float64{*r.Add, *r.Hit, *r.Miss})
	assert.Nil(t, r.Delete, "our structure cannot delete")

	theirs.done, theirs.skipped = theirs.done[:2], 1
	assert.Equal(t, (2+0.3)/2, *ratiosOf(theirs, []*cell{ours(0.01)}).Add, "the mean over our rounds 0 and 2")

	for rate, nearest := range map[float64]float64{0: 0.001, 1e-6: 0.001, 0.0039: 0.01, 0.9: 0.1} {
		theirs.rate = rate
		assert.Equal(t, nearest, *ratiosOf(theirs, []*cell{ours(0.1), ours(0.01), ours(0.001)}).Rate, rate)
	}
	assert.Zero(t, ratiosOf(theirs, []*cell{theirs}), "there are no ratios if our row is missing")
}

func TestWilsonMatchesPublishedIntervals(t *testing.T) {
	// The intervals are from Newcombe (1998), Statistics in Medicine 17, table
	// I, method 3, with four decimals. If yes is 0 or total, they follow from
	// the closed form z^2/(n+z^2).
	for _, c := range []struct {
		yes, total uint64
		low, high  float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {29, 29, 0.8830, 1},
		{0, 0, 0, 1}, // without queries, the rate is unknown
	} {
		low, high := wilson(c.yes, c.total)
		assert.InDelta(t, c.low, low, 0.00005, "%d of %d", c.yes, c.total)
		assert.InDelta(t, c.high, high, 0.00005, "%d of %d", c.yes, c.total)
	}
}

func TestMedianKeepsItsArgument(t *testing.T) {
	values := []float64{9, 1, 5}
	assert.Equal(t, 5.0, Median(values))
	assert.Equal(t, []float64{9, 1, 5}, values, "the argument is unchanged")
	assert.Equal(t, 3.0, Median([]float64{5, 1}))
	assert.Zero(t, Median(nil))
}

func TestCounterErrorsAreMeasured(t *testing.T) {
	s := streamOf(newKeySet("a", "b", "a", "c", "a"), "keys")
	// build returns a counter whose counts are multiplied and then increased.
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
	assert.Equal(t, 3, exact.Wanted)
	assert.Zero(t, *exact.MeanError+exact.Missed+exact.Extra)

	assert.EqualValues(t, 3*frequencyRounds, short.BelowTruth)
	assert.InDelta(t, 3, short.Missed, 1e-9)
	assert.ErrorContains(t, (&Results{Frequency: found[:2]}).Broken(), "short: 15 times")

	assert.InDelta(t, 5.0/3, *double.MeanError, 1e-9)
	assert.Equal(t, 3.0, *double.MaxError)
	assert.InDelta(t, 1.0/3, double.AboveBound, 1e-9, "a's error is 3, the bound 1")
	assert.Equal(t, 3, found[3].Wanted, "there are fewer than a hundred keys")
}

func TestAnyKeyOfATieMayBeReported(t *testing.T) {
	set := newKeySet()
	for i := range 150 { // once each
		set.add([]byte{byte(i)})
	}
	s := streamOf(set, "keys")
	assert.Len(t, Tally{top: true}.wanted(s), 150)
	found, err := countFrequencies(t.Context(), s, []Tally{Tallies[4]}, func() {})
	require.NoError(t, err)
	assert.Equal(t, "top-k", found[0].Structure)
	assert.Equal(t, topK, found[0].Wanted)
	assert.Zero(t, found[0].Missed)
}

func TestInterruptKeepsTallies(t *testing.T) {
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
