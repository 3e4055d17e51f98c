package main

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

func TestJSONHasItsFieldsAndTheyAgree(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "3000", "-fpr", "0.05,0.01", "-format", "json",
		"-structures", "map,bloom,bloom-partitioned,bloom-blocked,counting,cuckoo,cuckoo-compact,static,perfect,bits-and-blooms,boom-counting")
	require.Equal(t, exitOK, code, stderr)
	var doc struct {
		Machine         map[string]any
		Rows, Frequency []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	assert.NotContains(t, stdout, "interrupted")
	require.Len(t, doc.Frequency, 1, "of the map")
	require.Len(t, doc.Rows, 1+2*10)
	for _, name := range []string{"go", "goos", "goarch", "cpu", "date", "command"} {
		assert.NotEmpty(t, doc.Machine[name], name)
	}
	assert.Positive(t, doc.Machine["cores"])
	assert.Regexp(t, `^go run -C internal/compare \. .*-n 3000 -fpr 0\.05,0\.01`, doc.Machine["command"])

	names := []string{"structure", "target_fpr", "n", "bytes", "bits_per_key", "bound_ratio", "fpr", "fpr_low", "fpr_high",
		"false_negatives", "add_ns", "hit_ns", "miss_ns", "delete_ns", "refused", "foreign_rate", "against", "against_fpr", "bits_ratio",
		"add_ratio", "hit_ratio", "miss_ratio", "delete_ratio"}
	for i, r := range doc.Rows {
		require.ElementsMatch(t, names, slices.Collect(maps.Keys(r)))
		checkNumbers(t, r)
		if i == 0 {
			assert.Equal(t, "map", r["structure"])
			assert.Nil(t, r["bound_ratio"])
			assert.Zero(t, r["target_fpr"])
			assert.Zero(t, r["fpr"])
			assert.Greater(t, r["bytes"], 16.0*3000, "the bytes of the keys count")
		} else {
			checkRates(t, r)
		}
	}
}

// checkNumbers checks a row.
func checkNumbers(t *testing.T, r map[string]any) {
	t.Helper()
	assert.Equal(t, 3000.0, r["n"])
	assert.InDelta(t, 8*r["bytes"].(float64)/3000, r["bits_per_key"], 1e-9)
	assert.LessOrEqual(t, r["fpr_low"], r["fpr"])
	assert.LessOrEqual(t, r["fpr"], r["fpr_high"])
	assert.Zero(t, r["false_negatives"])
	for _, name := range []string{"add_ns", "hit_ns", "miss_ns"} {
		assert.Positive(t, r[name])
	}
	switch r["structure"] {
	case "map", "counting", "cuckoo", "cuckoo-compact", "perfect", "boom-counting":
		assert.Positive(t, r["delete_ns"])
	default:
		assert.Nil(t, r["delete_ns"], r["structure"])
	}
}

// checkRates checks the rates of a row.
func checkRates(t *testing.T, r map[string]any) {
	t.Helper()
	target := r["target_fpr"].(float64)
	assert.InDelta(t, r["bits_per_key"].(float64)/math.Log2(1/target), r["bound_ratio"], 1e-9)
	assert.Greater(t, r["bound_ratio"], 1.0)
	if r["structure"] != "bits-and-blooms" && r["structure"] != "boom-counting" {
		assert.LessOrEqual(t, r["fpr_low"], target, r["structure"])
	}
	if !strings.HasPrefix(r["structure"].(string), "cuckoo") && r["structure"] != "perfect" { // whose fingerprints are of whole bits
		assert.InEpsilon(t, target, r["fpr"], 0.15, r["structure"])
	}
}

// A static peer of a fixed rate stands beside our static filter of that rate.
// The one that knows the absent keys has no errors on them, and a bound of its
// own.
func TestStaticRows(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "20000", "-fpr", "0.01", "-format", "json", "-structures", "static-exact,static,perfect,xor8,fuse8")
	require.Equal(t, exitOK, code, stderr)
	var doc struct{ Rows []measure.Row }
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	var names []string
	for _, r := range doc.Rows {
		names = append(names, r.Structure)
		assert.Zero(t, r.FalseNegatives, r.Structure)
	}
	require.Equal(t, "static-exact static perfect static xor8 fuse8", strings.Join(names, " "))
	exact, static, beside, fuse := doc.Rows[0], doc.Rows[1], doc.Rows[3], doc.Rows[5]
	assert.Zero(t, exact.FPR)
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
// What they take is what the documents say.
func TestGrowingRows(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "30000", "-fpr", "0.01", "-format", "json", "-structures",
		"bloom,bloom-scalable,bloom-scalable-3x,bloom-scalable-30x,cuckoo,cuckoo-scalable,cuckoo-scalable-3x,cuckoo-scalable-30x")
	require.Equal(t, exitOK, code, stderr)
	var doc struct{ Rows []measure.Row }
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
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

func TestCSVHasAllNumbersOfBothKinds(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.01", "-format", "csv")
	require.Equal(t, exitOK, code, stderr)
	records, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 1+2+14+5)
	assert.Equal(t, "structure,target_fpr,n,bytes,bits_per_key,bound_ratio,fpr,fpr_low,fpr_high,false_negatives,add_ns,hit_ns,miss_ns,delete_ns,"+
		"refused,foreign_rate,against,against_fpr,bits_ratio,add_ratio,hit_ratio,miss_ratio,delete_ratio,"+
		"setting,distinct,total,mean_error,max_error,error_bound,above_bound,below_truth,wanted,missed,extra,table",
		strings.Join(records[0], ","))
	at := func(record []string, name string) string { return record[slices.Index(records[0], name)] }
	assert.Empty(t, at(records[1], "bound_ratio"), "a map has no bound")
	for _, record := range records[3:] {
		counts := at(record, "table") == "counts"
		for _, name := range []string{"fpr", "n", "false_negatives", "hit_ns", "refused"} {
			assert.Equal(t, counts, at(record, name) == "", name)
		}
		for _, name := range []string{"total", "wanted", "mean_error", "above_bound"} {
			assert.Equal(t, !counts, at(record, name) == "", name)
		}
		_, err := strconv.ParseFloat(at(record, "bits_per_key"), 64)
		assert.NoError(t, err)
	}
	assert.Equal(t, "filters", at(records[16], "table"))
	assert.Equal(t, "counts", at(records[17], "table"))
}

func TestTextFitsInto100Columns(t *testing.T) {
	code, stdout, stderr := compare(t, "-peers", "-n", "2000", "-fpr", "0.03,0.000001")
	require.Equal(t, exitOK, code, stderr)
	for line := range strings.Lines(stdout) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
	assert.Contains(t, stdout, "Members: 2,000 random keys of 16 bytes.")
	assert.Contains(t, stdout, "How to read it")
}

func TestRatiosAreShownWithPeersOnly(t *testing.T) {
	for _, form := range []string{"text", "markdown"} {
		code, stdout, stderr := compare(t, "-structures", "bloom,holiman", "-n", "1000", "-fpr", "0.1", "-format", form)
		require.Equal(t, exitOK, code, stderr)
		assert.Contains(t, stdout, "Against ours")
		assert.Contains(t, stdout, "bloom 10%")
		code, stdout, _ = compare(t, "-structures", "map,bloom", "-n", "1000", "-fpr", "0.1", "-format", form)
		require.Equal(t, exitOK, code)
		assert.NotContains(t, stdout, "against")
	}
}

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
			assert.LessOrEqual(t, x["above_bound"], measure.SketchDelta, name)
			assert.LessOrEqual(t, x["mean_error"], bound, name)
		}
	}
	plain, conservative := doc.Frequency[1], doc.Frequency[2]
	assert.Equal(t, plain["bytes"], conservative["bytes"])
	assert.Less(t, conservative["mean_error"], plain["mean_error"])
	assert.LessOrEqual(t, doc.Frequency[3]["bytes"], float64(16<<10))
	assert.LessOrEqual(t, doc.Frequency[4]["bytes"], float64(64<<10))
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
