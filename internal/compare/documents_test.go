package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/attack"
)

const docsDir = "../../docs"

var (
	svgText = regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)
	numbers = regexp.MustCompile(`[0-9][0-9,.]*[kM%]?`)
	spaces  = regexp.MustCompile(`[ -]+`)
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// computed lists the figures that contain no measurements.
var computed = []string{"smaller.svg", "absent.svg"}

// shape returns a document without its numbers.
func shape(name, text string) string {
	switch filepath.Ext(name) {
	case ".svg":
		if slices.Contains(computed, filepath.Base(name)) {
			return text
		}
		var words []string
		for _, m := range svgText.FindAllStringSubmatch(text, -1) {
			if word := numbers.ReplaceAllString(m[1], ""); strings.TrimSpace(word) != "" {
				words = append(words, m[1])
			}
		}
		slices.Sort(words) // names are in the order of the measurements
		return strings.Join(words, "\n")
	}
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "Measured on ") || strings.HasPrefix(line, "Note:") {
			continue // differs between machines and runs
		}
		lines = append(lines, spaces.ReplaceAllString(numbers.ReplaceAllString(line, "#"), " "))
	}
	if filepath.Ext(name) == ".txt" { // where a line breaks depends on its numbers
		return strings.Join(strings.Fields(strings.Join(lines, "")), " ")
	}
	return strings.Join(lines, "")
}

func TestDocumentsAreGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	dir := t.TempDir()
	code, _, stderr := compare(t, "-docs", dir, "-quick")
	require.Equal(t, exitOK, code, stderr)
	for _, name := range []string{
		"accuracy.md", "benchmarks.md", "figures/run.txt", "figures/smaller.svg", "figures/absent.svg", "figures/time-by-n.svg", "figures/count-error.svg",
	} {
		assert.Equal(t, shape(name, read(t, filepath.Join(docsDir, name))), shape(name, read(t, filepath.Join(dir, name))), name)
	}
	assert.NotContains(t, read(t, filepath.Join(dir, "benchmarks.md")), "| 0.0 |", "every time is measured")
}

// Each line of output in the README must be from the recorded run.
func TestReadmeShowsTheRecordedRun(t *testing.T) {
	readme, run := read(t, "../../README.md"), read(t, filepath.Join(docsDir, "figures", "run.txt"))
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatch(readme)
	require.NotNil(t, shown)
	assert.Greater(t, len(strings.Fields(shown[1])), 30)
	for line := range strings.Lines(shown[1]) {
		require.True(t, strings.TrimSpace(line) == "" || strings.Contains(run, "\n"+line), line)
	}
	assert.LessOrEqual(t, strings.Count(readme, "\n"), 120)
}

// choosing.md quotes two times from benchmarks.md.
func TestChoosingQuotesTheBenchmarks(t *testing.T) {
	benchmarks := read(t, filepath.Join(docsDir, "benchmarks.md"))
	_, table, _ := strings.Cut(benchmarks, "## By the number of keys")
	row := func(structure string) string {
		of10000 := regexp.MustCompile(`\| ` + structure + ` \| ([\d.]+) \|`).FindStringSubmatch(table)
		require.NotNil(t, of10000, structure)
		return of10000[1]
	}
	quote := fmt.Sprintf("needs %s ns instead of %s", row("bloom-blocked-maphash"), row("bloom-blocked"))
	choosing := strings.Join(strings.Fields(read(t, filepath.Join(docsDir, "choosing.md"))), " ")
	assert.Contains(t, choosing, quote)
}

// benchmarks.md compares batches with single calls in its table for 10^7 keys.
func TestBatchesAreComparedAsMeasured(t *testing.T) {
	text := read(t, filepath.Join(docsDir, "benchmarks.md"))
	_, table, _ := strings.Cut(text, "10,000,000 keys, five rounds:")
	table, _, _ = strings.Cut(table, "100,000,000 keys")
	filters := regexp.MustCompile(`\n\| (?:bloom|counting|cuckoo|static).*`).FindAllString(table, -1)
	require.Len(t, filters, 7)
	var adds, lookups []float64 // the percentages
	for _, row := range filters {
		cells := strings.Split(row, "|")[3:] // after the structure and its size
		for i, list := range []*[]float64{&adds, &lookups, &lookups} {
			var single, batch float64
			if n, _ := fmt.Sscan(cells[3*i]+" "+cells[3*i+2], &single, new(string), &batch); n == 3 { // a static filter has no Add
				*list = append(*list, 100*batch/single)
			}
		}
	}
	assert.Len(t, adds, 6)
	assert.Contains(t, strings.Join(strings.Fields(text), " "), fmt.Sprintf("need %.0f%% to %.0f%% of the time of single calls, and adds need %.0f%% to %.0f%%",
		slices.Min(lookups), slices.Max(lookups), slices.Min(adds), slices.Max(adds)))
}

// The tables in docs/attacks.md are the same in each run. On other processors,
// rounding may change a filter's size by one bit.
func TestSecurityDocumentQuotesTheTables(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("attacks for three seconds, on amd64")
	}
	code, stdout, stderr := compare(t, "-attack", "-format", "markdown")
	require.Equal(t, exitOK, code, stderr)
	text := read(t, filepath.Join(docsDir, "attacks.md"))
	tables := 0
	for part := range strings.SplitSeq(stdout, "\n\n") {
		if strings.HasPrefix(part, "| attack |") {
			tables++
			assert.True(t, strings.Contains(text, part+"\n"), "it has not:\n%s", part)
		}
	}
	assert.Equal(t, len(attack.Battles), tables)
	libraries := regexp.MustCompile("(?m)^Libraries: .*").FindString(stdout)
	assert.True(t, strings.Contains(strings.Join(strings.Fields(text), " "), libraries), "it has not: %s", libraries)
}
