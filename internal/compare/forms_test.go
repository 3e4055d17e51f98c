package main

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// A document is the decoded JSON output.
type document struct {
	Machine   report.Machine
	Rows      []measure.Row
	Frequency []measure.FrequencyRow
	Failed    []measure.Failure
	Attacks   []attack.Finding
}

// decoded runs the program and decodes its output. It also returns the notes.
func decoded(t *testing.T, args ...string) (doc document, notes string) {
	t.Helper()
	code, stdout, notes := compare(t, append([]string{"-format", "json"}, args...)...)
	require.Equal(t, exitOK, code, notes)
	assert.NotContains(t, stdout, "interrupted")
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	return doc, notes
}

func TestJSONHasItsFields(t *testing.T) {
	_, stdout, _ := compare(t, "-n", "10", "-fpr", "0.05", "-structures", "map", "-format", "json")
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	first := func(list string) map[string]any { return doc[list].([]any)[0].(map[string]any) }
	for want, got := range map[string]map[string]any{
		"add_ns add_ratio against against_fpr bits_per_key bits_ratio bound_ratio bytes delete_ns delete_ratio false_negatives " +
			"foreign_rate fpr fpr_high fpr_low hash hit_ns hit_ratio miss_ns miss_ratio n refused structure target_fpr": first("rows"),
		"above_bound add_ns below_truth bits_per_key bytes distinct error_bound error_quantile extra max_error mean_error missed setting " +
			"structure total wanted": first("frequency"),
		"command cores cpu date go goarch goos": doc["machine"].(map[string]any),
	} {
		assert.Equal(t, want, strings.Join(slices.Sorted(maps.Keys(got)), " "))
	}
}

func TestRowsAreConsistent(t *testing.T) {
	doc, _ := decoded(t, "-n", "3000", "-fpr", "0.01",
		"-structures", "map,bloom,bloom-partitioned,bloom-blocked,counting,cuckoo,cuckoo-compact,static,perfect,bits-and-blooms,boom-counting")
	require.Len(t, doc.Frequency, 1, "of the map")
	require.Len(t, doc.Rows, 1+10)
	assert.NotContains(t, []string{doc.Machine.Go, doc.Machine.GOOS, doc.Machine.GOARCH, doc.Machine.CPU, doc.Machine.Date}, "")
	assert.Regexp(t, `^go run -C internal/compare \. .*-n 3000 -fpr 0\.01`, doc.Machine.Command)
	for i, r := range doc.Rows {
		assert.Equal(t, 3000, r.N)
		assert.InDelta(t, 8*float64(r.Bytes)/3000, r.BitsPerKey, 1e-9)
		assert.LessOrEqual(t, r.FPRLow, r.FPR)
		assert.LessOrEqual(t, r.FPR, r.FPRHigh)
		assert.Zero(t, r.FalseNegatives)
		assert.Positive(t, min(r.AddNS, r.HitNS, r.MissNS))
		deletes := strings.Contains(" map counting cuckoo cuckoo-compact boom-counting ", " "+r.Structure+" ")
		assert.Equal(t, deletes, r.DeleteNS != nil && *r.DeleteNS > 0, r.Structure)
		if i == 0 {
			continue
		}
		bound := math.Log2(1 / r.TargetFPR)
		if deletes {
			bound += math.Log2E
		}
		assert.InDelta(t, r.BitsPerKey/bound, *r.BoundRatio, 1e-9)
		assert.Greater(t, *r.BoundRatio, 1.0)
		if !strings.Contains(" bits-and-blooms boom-counting ", " "+r.Structure+" ") {
			assert.LessOrEqual(t, r.FPRLow, r.TargetFPR, r.Structure)
		}
		if !strings.HasPrefix(r.Structure, "cuckoo") && r.Structure != "perfect" { // whose fingerprints are of whole bits
			assert.InEpsilon(t, r.TargetFPR, r.FPR, 0.15, r.Structure)
		}
	}
	exact := doc.Rows[0]
	assert.Equal(t, measure.Row{Structure: "map", FPRHigh: exact.FPRHigh}, measure.Row{Structure: exact.Structure, TargetFPR: exact.TargetFPR,
		FPR: exact.FPR, FPRHigh: exact.FPRHigh, BoundRatio: exact.BoundRatio})
	assert.Greater(t, exact.Bytes, uint64(16*3000), "the bytes of the keys count")
}

// A static peer with a fixed rate is preceded by our static filter with the
// same rate. A filter that knows the absent keys makes no errors on them, and
// has a bound for both lists.
func TestStaticPeersHaveOursBeside(t *testing.T) {
	doc, _ := decoded(t, "-n", "20000", "-fpr", "0.01", "-structures", "static-exact,static,perfect,static-absent,xor8,fuse8")
	var names []string
	for _, r := range doc.Rows {
		names = append(names, r.Structure)
		assert.Zero(t, r.FalseNegatives, r.Structure)
	}
	require.Equal(t, "static-exact static perfect static-absent static xor8 fuse8", strings.Join(names, " "))
	exact, static, absent, beside, fuse := doc.Rows[0], doc.Rows[1], doc.Rows[3], doc.Rows[4], doc.Rows[6]
	assert.Zero(t, exact.FPR+absent.FPR)
	assert.InDelta(t, 1.05, *absent.BoundRatio, 0.03, "50 absent keys for each member")
	assert.InDelta(t, 0.01, *absent.ForeignRate, 5*math.Sqrt(0.01/50_000))
	assert.Equal(t, "static", absent.Against)
	assert.InDelta(t, 1.06, *exact.BoundRatio, 0.06, "50 absent keys for each member")
	assert.InDelta(t, 1.0/64, *exact.ForeignRate, 5*math.Sqrt(1.0/64/50_000), "five columns, and a bit")
	assert.Nil(t, static.ForeignRate)
	assert.Less(t, *static.BoundRatio, 1.035)
	assert.Equal(t, fuse.TargetFPR, beside.TargetFPR)
	assert.Empty(t, beside.Against)
	assert.Equal(t, "static", fuse.Against)
	assert.Positive(t, *fuse.Hit)
}

// Filters that get more keys than they expect keep their rate and their keys.
// Their sizes are used in the documents.
func TestGrowingFiltersKeepTheirRate(t *testing.T) {
	doc, _ := decoded(t, "-n", "30000", "-fpr", "0.01", "-structures",
		"bloom,bloom-scalable,bloom-scalable-3x,bloom-scalable-30x,cuckoo,cuckoo-scalable,cuckoo-scalable-3x,cuckoo-scalable-30x")
	bits := map[string]float64{}
	for _, r := range doc.Rows {
		bits[r.Structure] = r.BitsPerKey
		if !strings.Contains(r.Structure, "scalable") {
			continue
		}
		assert.Zero(t, r.FalseNegatives, r.Structure)
		assert.Less(t, r.FPRHigh, 0.01, r.Structure)
		plain, _, _ := strings.Cut(r.Structure, "-")
		assert.Equal(t, plain, r.Against)
		assert.Positive(t, *r.Miss)
		assert.Equal(t, plain == "cuckoo", r.DeleteNS != nil)
	}
	assert.InDelta(t, 11.04, bits["bloom-scalable"], 0.02)
	assert.InDelta(t, 12.71, bits["bloom-scalable-3x"], 0.02)
	assert.InDelta(t, 15.6, bits["bloom-scalable-30x"], 0.2)
	for _, name := range []string{"cuckoo-scalable", "cuckoo-scalable-3x", "cuckoo-scalable-30x"} {
		assert.Greater(t, bits[name], bits["cuckoo"])
		assert.Less(t, bits[name], 29.0)
	}
}

func TestOurCountersMissNothing(t *testing.T) {
	doc, _ := decoded(t, "-structures", "map,count-min,count-min-conservative,heavy-hitters,top-k,boom-count-min,boom-top-k")
	require.Len(t, doc.Frequency, 7)
	for _, x := range doc.Frequency {
		assert.Equal(t, 219_047, x.Total)
		assert.Equal(t, 16_956, x.Distinct)
		assert.InDelta(t, 8*float64(x.Bytes)/16_956, x.BitsPerKey, 1e-9)
		assert.Positive(t, x.AddNS)
		if !strings.HasPrefix(x.Structure, "boom") {
			assert.Zero(t, x.BelowTruth, x.Structure)
			assert.Zero(t, x.Missed, x.Structure)
		}
		if x.ErrorBound != nil {
			assert.InDelta(t, 219.047, *x.ErrorBound, 1e-9)
			assert.LessOrEqual(t, x.AboveBound, measure.SketchDelta, x.Structure)
			assert.LessOrEqual(t, *x.MeanError, *x.ErrorBound, x.Structure)
			if strings.HasPrefix(x.Structure, "count-min") {
				assert.Less(t, *x.Quantile, *x.ErrorBound/4, x.Structure)
			}
		}
	}
	plain, conservative := doc.Frequency[1], doc.Frequency[2]
	assert.Equal(t, plain.Bytes, conservative.Bytes)
	assert.Less(t, *conservative.MeanError, *plain.MeanError)
	assert.LessOrEqual(t, doc.Frequency[3].Bytes, uint64(16<<10))
	assert.LessOrEqual(t, doc.Frequency[4].Bytes, uint64(64<<10))
}

func TestAttacksAreEncoded(t *testing.T) {
	before := attack.Battles
	t.Cleanup(func() { attack.Battles = before })
	attack.Battles = attack.Battles[1:2]
	doc, _ := decoded(t, "-attack", "-quick")
	assert.Len(t, doc.Attacks, attack.Duels(attack.Battles))
	for _, f := range doc.Attacks {
		assert.Equal(t, f.Module != "", f.Version != "", "this program knows the versions of its libraries")
	}
}

func peerNames() string {
	var names []string
	for _, s := range measure.Peers {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// A wrong adapter would lose keys, or have a wrong rate or size. Peers may
// round sizes up to a power of two. Cuckoo filters are filled at random, so
// they may refuse or lose keys.
func TestEveryPeerIsMeasured(t *testing.T) {
	doc, _ := decoded(t, "-n", "1000", "-fpr", "0.01", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Empty(t, doc.Failed)
	var measured []string
	for _, r := range doc.Rows {
		if !slices.ContainsFunc(measure.Peers, func(s measure.Structure) bool { return s.Name == r.Structure }) {
			continue
		}
		measured = append(measured, r.Structure)
		assert.Positive(t, r.AddNS, r.Structure)
		least, most := math.Log2(1/r.TargetFPR), 6*1.45*math.Log2(1/r.TargetFPR)
		switch r.Structure {
		case "sorted": // a string and its bytes, within the noise of the heap
			least, most = 8.0*(16+16)*0.8, 8.0*(16+16)*1.3
		case "boom-cuckoo":
			most = math.Inf(1)
		}
		assert.Greater(t, r.BitsPerKey, least, r.Structure)
		assert.Less(t, r.BitsPerKey, most, r.Structure)
		// fuse16 has about 15 false positives per million keys. The probability
		// of more than 60 is below 1e-15.
		assert.Less(t, r.FPR, max(1.3*r.TargetFPR, 60e-6), r.Structure)
		if !strings.HasSuffix(r.Structure, "-cuckoo") {
			assert.Zero(t, r.FalseNegatives+r.Refused, r.Structure)
		}
	}
	assert.ElementsMatch(t, strings.Fields(peerNames()), measured)

	doc, _ = decoded(t, "-n", "1", "-fpr", "0.1,0.000001", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Len(t, doc.Rows, 1+2*7+4-len(doc.Failed), "one key is enough")
	for _, f := range doc.Failed {
		assert.Equal(t, "boom-cuckoo", f.Structure, "it divides by its number of buckets, which is 0: %s", f.Error)
	}
}

// newPart builds a filter that refuses two of three keys and loses the first.
func newPart(uint64, float64, hashfam.Family) (*measure.Filter, error) {
	keys, added := map[string]bool{}, 0
	contains := func(key []byte) bool { return keys[string(key)] }
	return &measure.Filter{
		Contains: contains, SizeBytes: func() uint64 { return 1 },
		Add: func(key []byte) error {
			if added++; added%3 != 1 {
				return errors.New("full")
			}
			keys[string(key)] = added > 1
			return nil
		},
		Delete: func(key []byte) bool {
			defer delete(keys, string(key))
			return contains(key)
		},
	}, nil
}

// panicking builds a filter that panics when it is queried.
func panicking(n uint64, rate float64, family hashfam.Family) (*measure.Filter, error) {
	f, err := building(nil)(n, rate, family)
	f.Contains = func([]byte) bool { panic("out of order") }
	return f, err
}

func TestBrokenPeersAreNoted(t *testing.T) {
	never := func(uint64, float64, hashfam.Family) (*measure.Filter, error) { return nil, errors.New("not today") }
	withStructures(t, measure.Named("bloom"), measure.Structure{Name: "broken", Peer: true, Build: panicking},
		measure.Structure{Name: "never", Peer: true, Exact: true, Build: never},
		measure.Structure{Name: "sound", Peer: true, Against: "bloom", Build: measure.Named("bits-and-blooms").Build},
		measure.Structure{Name: "part", Peer: true, Against: "bloom", Build: newPart})
	doc, notes := decoded(t, "-n", "300", "-fpr", "0.1", "-structures", "bloom,broken,never,sound,part")
	assert.Equal(t, []measure.Failure{
		{Structure: "never", Error: "not today"}, {Structure: "broken", TargetFPR: 0.1, Error: "panic: out of order"},
	}, doc.Failed)
	require.Len(t, doc.Rows, 3)
	assert.Equal(t, "sound", doc.Rows[1].Structure)
	const builds = 3334 // with 300 absent keys each, a million in all
	part := doc.Rows[2]
	assert.EqualValues(t, 200*builds, part.Refused)
	assert.EqualValues(t, 2*builds, part.FalseNegatives, "a lookup and a delete each notice the lost key")
	assert.Equal(t, "bloom", part.Against)
	for _, note := range []string{
		"Note: part at 10% refused 666,800 of 1,000,200 keys", "Note: never could not be measured: not today.",
		"Note: broken at 10% could not be measured: panic: out of order.",
	} {
		assert.Contains(t, notes, note)
	}

	withStructures(t, measure.Structure{Name: "broken", Build: panicking})
	assert.Panics(t, func() { compare(t, "-structures", "broken", "-n", "100", "-fpr", "0.1") }, "a panic of ours is not hidden")
}
