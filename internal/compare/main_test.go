package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compare runs the program without figures unless args say otherwise.
func compare(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"-o", ""}, args...), strings.NewReader("one\ntwo\n"), &out, &errs)
	return code, out.String(), errs.String()
}

func TestMistakesOnTheCommandLineAreExplained(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"-fpr", "0.01,1"}, []string{"-fpr", `"1"`, "want a rate above 0 and below 1"}},
		{[]string{"-fpr", "0"}, []string{"-fpr", `"0"`}},
		{[]string{"-fpr", "NaN"}, []string{"-fpr", `"NaN"`}},
		{[]string{"-fpr", "1%"}, []string{"-fpr", `"1%"`}},
		{[]string{"-fpr", ""}, []string{"-fpr", `""`}},
		{[]string{"-fpr", "1e-300"}, []string{"-fpr 1e-300", "bloom"}},
		{[]string{"-structures", "bloom,blom"}, []string{"-structures", `"blom"`, "bloom-blocked"}},
		{[]string{"-structures", ""}, []string{"-structures", `""`, "map"}},
		{[]string{"-format", "xml"}, []string{"-format", `"xml"`, "text, markdown, json, csv"}},
		{[]string{"-n", "0"}, []string{"-n", `"0"`, "from 1 to"}},
		{[]string{"-n", "-5"}, []string{"-n", `"-5"`}},
		{[]string{"-n", "many"}, []string{"-n", `"many"`, "1e6"}},
		{[]string{"-n", "1e10"}, []string{"-n", "1,000,000,000"}},
		{[]string{"-quick"}, []string{"-quick", "-docs", "-attack"}},
		{[]string{"-attack", "-n", "5"}, []string{"-attack and -n"}},
		{[]string{"-attack", "-docs", "x"}, []string{"-attack and -docs"}},
		{[]string{"-attack", "-peers"}, []string{"-attack and -peers"}},
		{[]string{"-attack", "-o", "x"}, []string{"-attack and -o", "no files"}},
		{[]string{"-docs", ""}, []string{"-docs", `""`, "directory"}},
		{[]string{"-docs", "x", "-n", "5"}, []string{"-docs and -n"}},
		{[]string{"-docs", "x", "-fpr", "0.1"}, []string{"-docs and -fpr"}},
		{[]string{"-docs", "x", "-format", "json"}, []string{"-docs and -format"}},
		{[]string{"-docs", "x", "-peers"}, []string{"-docs and -peers"}},
		{[]string{"-docs", "x", "-structures", "bloom"}, []string{"-docs and -structures"}},
		{[]string{"-docs", "x", "-o", "y"}, []string{"-docs and -o"}},
		{[]string{"-docs", "x", "-keys", "y"}, []string{"-docs and -keys"}},
		{[]string{"-docs", "x", "-absent", "y"}, []string{"-docs and -absent"}},
		{[]string{"-peers=maybe"}, []string{"-peers", `"maybe"`, "true or false"}},
		{[]string{"-n", "5", "-keys", "x"}, []string{"-n and -keys"}},
		{[]string{"-n", "5", "-absent", "x"}, []string{"-n and -absent"}},
		{[]string{"-keys", ""}, []string{"-keys", `""`}},
		{[]string{"-keys", "-", "-absent", "-"}, []string{"-keys - and -absent -", "only one"}},
		{[]string{"-unknown"}, []string{"-unknown", "-help"}},
		{[]string{"stray"}, []string{`"stray"`}},
	} {
		code, stdout, stderr := compare(t, c.args...)
		assert.Equal(t, exitUsage, code, c.args)
		assert.Empty(t, stdout, c.args)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "%v: one line, not %q", c.args, stderr)
		for _, want := range c.want {
			assert.Contains(t, stderr, want, c.args)
		}
	}
}

func TestAMissingFileEndsWithOne(t *testing.T) {
	code, _, stderr := compare(t, "-keys", "no/such.txt")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "-keys no/such.txt")
}

func TestHelpListsTheFlags(t *testing.T) {
	code, _, stderr := compare(t, "-help")
	assert.Equal(t, exitOK, code)
	for _, flag := range []string{"-keys", "-absent", "-n ", "-fpr", "-structures", "-format", "-o ", "-peers", "-attack", "-version"} {
		assert.Contains(t, stderr, flag)
	}
	assert.Contains(t, stderr, "a third-party library in it needs no -peers")
	assert.Equal(t, 2, strings.Count(stderr, "- for standard input"), "of -keys and -absent")
}

// failing takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, assert.AnError }

func TestTheVersionNamesGoAndThePlatform(t *testing.T) {
	code, stdout, _ := compare(t, "-version")
	assert.Equal(t, exitOK, code)
	assert.Regexp(t, `^compare .*go1\.\d+\S* \w+/\w+\n$`, stdout)

	var stderr bytes.Buffer
	assert.Equal(t, exitFailed, run(t.Context(), []string{"-version"}, nil, failing{}, &stderr))
	assert.Equal(t, "compare: -version: "+assert.AnError.Error()+"\n", stderr.String())
}

func TestTheNumberOfKeysMayHaveAnExponentOrSeparators(t *testing.T) {
	for _, text := range []string{"1000000", "1e6", "1_000_000", "1,000,000"} {
		o, err := parse([]string{"-n", text}, io.Discard)
		require.NoError(t, err, text)
		assert.Equal(t, 1_000_000, o.synthetic, text)
	}
}

const ownNames = "map bloom bloom-partitioned bloom-blocked bloom-scalable bloom-scalable-3x bloom-scalable-30x counting " +
	"cuckoo cuckoo-compact cuckoo-scalable cuckoo-scalable-3x cuckoo-scalable-30x static perfect static-exact"

func TestStructuresKeepTheirOrderAndPeersAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ownNames},
		{[]string{"-peers"}, ownNames + " " + peerNames()},
		{[]string{"-structures", "bloom-blocked, bloom"}, "bloom bloom-blocked"},
		{[]string{"-structures", "bloom", "-peers"}, "bloom " + peerNames()},
		{[]string{"-structures", "bits-and-blooms"}, "bits-and-blooms"},
	} {
		o, err := parse(c.args, &bytes.Buffer{})
		require.NoError(t, err, c.args)
		var names []string
		filters, _ := o.chosen()
		for _, s := range filters {
			names = append(names, s.name)
		}
		assert.Equal(t, c.want, strings.Join(names, " "), c.args)
	}
}

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
	var doc struct{ Rows []row }
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
	var doc struct{ Rows []row }
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
	for _, record := range records[3:17] {
		assert.Equal(t, "filters", at(record, "table"))
		for _, name := range []string{"target_fpr", "n", "bytes", "bits_per_key", "bound_ratio", "fpr", "fpr_low", "fpr_high",
			"false_negatives", "add_ns", "hit_ns", "miss_ns", "refused"} {
			_, err := strconv.ParseFloat(at(record, name), 64)
			assert.NoError(t, err, name)
		}
		for _, name := range []string{"total", "wanted"} {
			assert.Empty(t, at(record, name), name)
		}
		compared := record[0] == "static" || record[0] == "perfect" || strings.Contains(record[0], "scalable")
		assert.Equal(t, compared, at(record, "against") != "")
		assert.Equal(t, compared, at(record, "add_ratio") != "")
		assert.Equal(t, strings.HasPrefix(record[0], "bloom") || record[0] == "static", at(record, "delete_ns") == "",
			"nothing is deleted from a Bloom filter")
	}
	for _, record := range records[17:] {
		assert.Equal(t, "counts", at(record, "table"))
		assert.Equal(t, "1000000", at(record, "total"))
		for _, name := range []string{"bytes", "bits_per_key", "add_ns", "distinct", "mean_error", "max_error", "above_bound", "wanted"} {
			_, err := strconv.ParseFloat(at(record, name), 64)
			assert.NoError(t, err, name)
		}
		assert.Empty(t, at(record, "fpr"))
	}
}

func TestTextFitsInto100Columns(t *testing.T) {
	code, stdout, stderr := compare(t, "-peers", "-n", "2000", "-fpr", "0.03,0.000001")
	require.Equal(t, exitOK, code, stderr)
	for line := range strings.Lines(stdout) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
	assert.Contains(t, stdout, "Members: 2,000 random keys of 16 bytes.")
	assert.Contains(t, stdout, "How to read it")
	for line := range strings.Lines(spaceTable([]row{widest()}).text(100)) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
}

// widest is a row with long cells.
func widest() row {
	ns := 1234.0
	return row{
		Structure: "bloom-partitioned", TargetFPR: 0.0001, BitsPerKey: 123.45, BoundRatio: new(float64), FPR: 0.00011,
		FPRLow: 0.00009, FPRHigh: 0.00013, FalseNegatives: 999, AddNS: 1234, HitNS: 1234, MissNS: 1234, DeleteNS: &ns,
		structure: structure{also: "count merge"},
	}
}

func TestMarkdownIsATable(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.01", "-format", "markdown")
	require.Equal(t, exitOK, code, stderr)
	var tables [][]string
	inside := false
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		if !inside {
			tables, inside = append(tables, nil), true
		}
		table := &tables[len(tables)-1]
		*table = append(*table, line)
		assert.Equal(t, strings.Count((*table)[0], "|"), strings.Count(line, "|"), line)
	}
	require.Len(t, tables, 2)
	assert.Len(t, tables[0], 2+2+14)
	assert.Len(t, tables[1], 2+5)
}

func TestFiguresAreWrittenToTheirDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "figures")
	code, stdout, stderr := compare(t, "-keys", "-", "-fpr", "0.1", "-structures", "bloom", "-o", dir)
	require.Equal(t, exitOK, code, stderr)
	assert.Len(t, files(t, dir), 3)
	for name, start := range map[string]string{"bits-per-key.svg": "<?xml", "bits-per-key.png": "\x89PNG"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.True(t, bytes.HasPrefix(content, []byte(start)), name)
		assert.Contains(t, stdout, name)
	}
}

// files returns the names in a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A document on standard output has nothing after it.
func TestTheListOfFilesIsNoPartOfMarkdown(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "100", "-fpr", "0.1", "-structures", "bloom", "-format", "markdown", "-o", t.TempDir())
	require.Equal(t, exitOK, code, stderr)
	assert.NotContains(t, stdout, "Written:")
	assert.Contains(t, stderr, "Written:")
}

// unwritable returns a directory in which no file can be made.
func unwritable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	if file, err := os.CreateTemp(dir, ""); err == nil { // the user may do everything
		require.NoError(t, file.Close())
		dir = "/proc/self"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no such directory on this system")
	}
	return dir
}

func TestAnUnusableDirectoryIsFoundBeforeMeasuring(t *testing.T) {
	for _, dir := range []string{filepath.Join(write(t, "a file"), "below"), unwritable(t)} {
		code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.1", "-o", dir)
		assert.Equal(t, exitFailed, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "-o")
		assert.Contains(t, stderr, filepath.Dir(dir))
	}
}

func TestAFigureThatCannotBeWrittenIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, ending := range []string{".png", ".svg"} {
		name := filepath.Join(dir, "bits-per-key"+ending)
		require.NoError(t, os.RemoveAll(name))
		require.NoError(t, os.Mkdir(name, 0o755))
		_, err := costChart([]row{widest()}).save(dir)
		require.Error(t, err)
		assert.Equal(t, 1, strings.Count(err.Error(), name), err)
		require.NoError(t, os.Remove(name))
	}
}

func TestARateThatOneStructureCannotHaveIsNoted(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "1e-12", "-structures", "bloom,cuckoo")
	require.Equal(t, exitOK, code, stderr)
	assert.Regexp(t, `(?m)^bloom +1e-10%`, stdout)
	assert.NotRegexp(t, `(?m)^cuckoo +1e-10%`, stdout)
	assert.Contains(t, stdout, "Config.FPRate")

	code, _, stderr = compare(t, "-n", "1000", "-fpr", "1e-12", "-structures", "cuckoo")
	require.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "Config.FPRate")
}

func TestOneKeyIsEnough(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "1", "-fpr", "0.1", "-structures", "bloom", "-format", "json")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, `"n": 1`)
}

func TestAnInterruptShowsTheRowsSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := newExperiment(ctx, syntheticData(1000), structures[:2], []float64{0.01}, nil)
	require.NoError(t, err)
	done := 0
	r, err := e.run(ctx, func() {
		if done++; done == 5 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, r.rows, 2)
	assert.Equal(t, 5, r.rows[0].rounds+r.rows[1].rounds)
	assert.Contains(t, r.text(100), "Interrupted: 1,000 rounds were planned")

	var out, errs bytes.Buffer
	code := run(ctx, []string{"-n", "1000", "-o", "", "-format", "json"}, nil, &out, &errs)
	assert.Equal(t, exitInterrupted, code)
	assert.Regexp(t, `"rows": \[\],\s*"frequency": \[\],\s*"interrupted": true`, out.String())
}

// forgetful loses every key.
type forgetful struct{}

func (forgetful) Add([]byte) error     { return nil }
func (forgetful) Contains([]byte) bool { return false }
func (forgetful) SizeBytes() uint64    { return 1 }

// compareForgetful leaves a structure that loses every key as the only one.
func compareForgetful(t *testing.T) {
	t.Helper()
	before := structures
	t.Cleanup(func() { structures = before })
	structures = append(structures[:0:0], structure{name: "forgetful", build: func(uint64, float64, hashfam.Family) (filter, error) {
		return forgetful{}, nil
	}})
}

func TestALostKeyFailsTheProgramAndNamesItsStructure(t *testing.T) {
	compareForgetful(t)
	code, stdout, stderr := compare(t, "-n", "100", "-fpr", "0.1")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout, "forgetful")
	assert.Contains(t, stderr, "forgetful at 0.1")
}

// full takes no key.
type full struct{ forgetful }

func (full) Add([]byte) error { return errors.New("full") }

func TestAStructureThatRefusesAKeyFailsTheProgram(t *testing.T) {
	before := structures
	t.Cleanup(func() { structures = before })
	structures = append(structures[:0:0], structure{name: "full", build: func(uint64, float64, hashfam.Family) (filter, error) {
		return full{}, nil
	}})
	code, _, stderr := compare(t, "-n", "100", "-fpr", "0.1")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "full at 0.1: adding key 1 of 100: full")
}
