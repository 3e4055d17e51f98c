package main

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func peerNames() string {
	var names []string
	for _, s := range peers {
		names = append(names, s.name)
	}
	return strings.Join(names, " ")
}

func TestNamesAreUniqueAndComparedWithOurs(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range structures {
		assert.False(t, seen[s.name], s.name)
		assert.Regexp(t, "^[a-z0-9]+(-[a-z0-9]+)*$", s.name)
		assert.False(t, s.exact && s.fixed > 0, "%s: an exact set has no rate", s.name)
		seen[s.name] = true
	}
	for _, s := range peers {
		assert.True(t, s.peer, s.name)
		assert.NotEmpty(t, s.against, s.name)
	}
}

// document is the JSON form as a reader of it sees it.
type document struct {
	Rows []struct {
		Structure      string   `json:"structure"`
		TargetFPR      float64  `json:"target_fpr"`
		BitsPerKey     float64  `json:"bits_per_key"`
		FPR            float64  `json:"fpr"`
		FalseNegatives uint64   `json:"false_negatives"`
		AddNS          float64  `json:"add_ns"`
		DeleteNS       *float64 `json:"delete_ns"`
		Refused        uint64   `json:"refused"`
		Against        string   `json:"against"`
		AddRatio       *float64 `json:"add_ratio"`
		HitRatio       *float64 `json:"hit_ratio"`
		MissRatio      *float64 `json:"miss_ratio"`
		DeleteRatio    *float64 `json:"delete_ratio"`
	} `json:"rows"`
	Failed []failure `json:"failed"`
}

func comparePeers(t *testing.T, args ...string) document {
	t.Helper()
	code, stdout, stderr := compare(t, append([]string{"-format", "json"}, args...)...)
	require.Equal(t, exitOK, code, stderr)
	var doc document
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	return doc
}

func TestEveryPeerIsMeasured(t *testing.T) {
	// What an adapter hands on wrongly shows as lost keys or as a rate or a
	// size far off. That of a sound peer may be off by its rounding to powers
	// of two, which errs on the side of more bits; the tables of cuckoo filters
	// are filled at random, and are no more full than the rate is made for.
	doc := comparePeers(t, "-n", "1000", "-fpr", "0.01", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Empty(t, doc.Failed)
	var measured []string
	for _, r := range doc.Rows {
		if !slices.ContainsFunc(peers, func(s structure) bool { return s.name == r.Structure }) {
			assert.Zero(t, r.Refused, r.Structure)
			continue
		}
		measured = append(measured, r.Structure)
		assert.Positive(t, r.AddNS, r.Structure)
		if r.Structure == "sorted" {
			assert.Zero(t, r.FPR)
			assert.Greater(t, r.BitsPerKey, 8.0*(16+16)*0.8, "a string and its bytes, give or take what else the heap does")
			assert.Less(t, r.BitsPerKey, 8.0*(16+16)*1.3)
			assert.Zero(t, r.FalseNegatives)
			continue
		}
		// fuse16 errs about 15 times in
		// a million, and more than 60 times with a chance below 1e-15.
		assert.Less(t, r.FPR, max(1.3*r.TargetFPR, 60e-6), r.Structure)
		assert.Greater(t, r.BitsPerKey, math.Log2(1/r.TargetFPR), r.Structure)
		if r.Structure != "boom-cuckoo" {
			assert.Less(t, r.BitsPerKey, 6*1.45*math.Log2(1/r.TargetFPR), r.Structure)
		}
		if !strings.HasSuffix(r.Structure, "-cuckoo") {
			assert.Zero(t, r.FalseNegatives, r.Structure)
			assert.Zero(t, r.Refused, r.Structure)
		}
	}
	assert.ElementsMatch(t, strings.Fields(peerNames()), measured)
}

func TestOneKeyIsEnoughForPeers(t *testing.T) {
	doc := comparePeers(t, "-n", "1", "-fpr", "0.1,0.000001", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Len(t, doc.Rows, 1+2*7+4-len(doc.Failed))
	for _, f := range doc.Failed { // one that divides by the number of its buckets, which is 0
		assert.Equal(t, "boom-cuckoo", f.Structure, f.Error)
	}
	for _, r := range doc.Rows {
		assert.Zero(t, r.FalseNegatives, r.Structure)
	}
}

// part takes one key of three and refuses the others, and has lost its first.
type part struct {
	exact
	added int
}

func newPart(uint64, float64, hashfam.Family) (filter, error) {
	return &part{exact: exact{keys: map[string]struct{}{}}}, nil
}

func (p *part) Add(key []byte) error {
	if p.added++; p.added%3 != 1 {
		return errors.New("full")
	}
	if p.added > 1 {
		p.keys[string(key)] = struct{}{}
	}
	return nil
}

// broken panics when it is queried.
type broken struct{ forgetful }

func (broken) Contains([]byte) bool { panic("out of order") }

func withPeers(t *testing.T, list ...structure) {
	t.Helper()
	before := structures
	t.Cleanup(func() { structures = before })
	structures = append(slices.Clone(structures[:2]), list...)
}

func TestAPeerThatRefusesOrLosesKeysIsShown(t *testing.T) {
	withPeers(t, structure{name: "part", peer: true, against: "bloom", build: newPart})
	d := syntheticData(300)
	p := newPlan(d)
	repeats := uint64(max(1, timedOps*minRounds/(300*p.rounds)))
	builds := uint64(p.rounds) * repeats

	doc := comparePeers(t, "-n", "300", "-fpr", "0.1", "-structures", "bloom,part")
	part := doc.Rows[len(doc.Rows)-1]
	require.Equal(t, "part", part.Structure)
	assert.Equal(t, 200*builds, part.Refused)
	assert.Equal(t, 2*builds, part.FalseNegatives, "one key is lost, which a lookup and a delete each notice")
	assert.Equal(t, "bloom", part.Against)

	code, stdout, stderr := compare(t, "-n", "300", "-fpr", "0.1", "-structures", "bloom,part")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "Note: part at 10% refused "+thousands(int(200*builds))+" of the "+thousands(int(300*builds))+" keys")
}

func TestAPeerThatPanicsOrCannotBeBuiltIsNotedAndTheRestGoesOn(t *testing.T) {
	withPeers(t,
		structure{name: "broken", peer: true, build: func(uint64, float64, hashfam.Family) (filter, error) { return broken{}, nil }},
		structure{name: "never", peer: true, exact: true, build: func(uint64, float64, hashfam.Family) (filter, error) {
			return nil, errors.New("not today")
		}},
		structure{name: "sound", peer: true, against: "bloom", build: newHoliman})
	doc := comparePeers(t, "-n", "1000", "-fpr", "0.1", "-structures", "map,bloom,broken,never,sound")
	require.Len(t, doc.Failed, 2)
	assert.Equal(t, failure{Structure: "never", Error: "not today"}, doc.Failed[0])
	assert.Equal(t, failure{Structure: "broken", TargetFPR: 0.1, Error: "panic: out of order"}, doc.Failed[1])
	require.Len(t, doc.Rows, 3)
	assert.Equal(t, "sound", doc.Rows[2].Structure)

	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.1", "-structures", "broken,never,sound")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "Note: broken at 10% could not be measured: panic: out of order.")
	assert.Contains(t, stdout, "Note: never could not be measured: not today.")
}

func TestAPanicOfOursIsNotHidden(t *testing.T) {
	withPeers(t, structure{name: "broken", build: func(uint64, float64, hashfam.Family) (filter, error) { return broken{}, nil }})
	assert.Panics(t, func() { compare(t, "-structures", "broken", "-n", "100", "-fpr", "0.1") })
}

func TestPeersKeepToTheirMemory(t *testing.T) {
	_, err := newBoomCuckoo(mostPeerBytes, 0.01, hashfam.Family{})
	require.ErrorContains(t, err, "GiB")
	require.NoError(t, checkPeerBytes(mostPeerBytes))
}

func TestTheLibrariesOfTheRowsAreNamed(t *testing.T) {
	var list []row
	for _, s := range peers {
		assert.Equal(t, s.name == "sorted", s.module == "", s.name)
		list = append(list, row{Structure: s.name, structure: s})
	}
	names := modulesOf(list)
	require.Len(t, names, 7)
	assert.Contains(t, names[4], "boom-bloom, boom-counting, boom-cuckoo of github.com/tylertreat/BoomFilters")
	assert.Empty(t, modulesOf([]row{{Structure: "bloom"}}))
}

func TestRatiosAreMediansOverRounds(t *testing.T) {
	ours := func(rate float64) *cell {
		return &cell{structure: structure{name: "bloom"}, rate: rate, rounds: 3, bytes: 100,
			add: []float64{1, 10, 100}, hit: []float64{2, 2, 2}, miss: []float64{4, 4, 4}}
	}
	theirs := &cell{structure: structure{name: "peer", peer: true, against: "bloom"}, rate: 0.01, rounds: 3, bytes: 150,
		add: []float64{2, 30, 100}, hit: []float64{8, 8, 8}, miss: []float64{1, 1}, del: []float64{9, 9, 9}}
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
	assert.Equal(t, []string{"", "90%", "-", "-", "-", "-", "-", "-"},
		row{TargetFPR: 0.9, BoundRatio: new(float64), FPRHigh: 1}.ratioCells())
}

func TestTheTableOfRatiosFitsAndIsShownWithPeersOnly(t *testing.T) {
	for _, form := range []string{"text", "markdown"} {
		code, stdout, stderr := compare(t, "-structures", "bloom,holiman", "-n", "1000", "-fpr", "0.1", "-format", form)
		require.Equal(t, exitOK, code, stderr)
		assert.Contains(t, stdout, "Against ours")
		assert.Contains(t, stdout, "bloom 10%")
		code, stdout, _ = compare(t, "-structures", "map,bloom", "-n", "1000", "-fpr", "0.1", "-format", form)
		require.Equal(t, exitOK, code)
		assert.NotContains(t, stdout, "against")
	}
	ratio, rate := 12345.0, 0.00001526
	wide := []row{{
		Structure: "bloom-partitioned", TargetFPR: 0.00001526, BoundRatio: &ratio, FPRHigh: 1,
		ratios:    ratios{Against: "bloom-partitioned", Rate: &rate, Bits: &ratio, Add: &ratio, Hit: &ratio, Miss: &ratio, Delete: &ratio},
		structure: structure{against: "bloom", peer: true},
	}}
	for line := range strings.Lines(ratioTable(wide).text(100)) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
}

func TestLargeCountsAreShort(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 10_000: "10k", 123_456: "123k", 2_600_000: "3M"} {
		assert.Equal(t, want, brief(n))
	}
}

func TestAMissedRateIsCalledOut(t *testing.T) {
	ratio := 1.44
	list := []row{
		{Structure: "good", TargetFPR: 0.01, FPR: 0.0112, FPRLow: 0.0109, FPRHigh: 0.0115, BoundRatio: &ratio},
		{Structure: "bad", TargetFPR: 0.01, FPR: 0.025, FPRLow: 0.024, FPRHigh: 0.026, BoundRatio: &ratio},
	}
	assert.Equal(t, []string{"Note: bad at 1% errs 2.5 times as often as requested."}, peerRemarks(list, nil))
}
