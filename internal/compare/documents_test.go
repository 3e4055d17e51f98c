package main

import (
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

// shape returns a document without its numbers.
func shape(name, text string) string {
	switch filepath.Ext(name) {
	case ".png":
		return ""
	case ".svg":
		if filepath.Base(name) == "smaller.svg" { // is computed, not measured
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
	written := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join(docsDir, name))
		require.NoError(t, err)
		assert.Equal(t, shape(name, string(want)), shape(name, string(got)), name)
		written++
		return nil
	}))
	assert.Equal(t, 6, written)
}

// Each line of output in the README must be from the recorded run.
func TestReadmeShowsTheRecordedRun(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	run, err := os.ReadFile(filepath.Join(docsDir, "figures", "run.txt"))
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(readme), "```text\n")
	require.True(t, found)
	shown, _, found = strings.Cut(shown, "```")
	require.True(t, found)
	lines := 0
	for line := range strings.Lines(shown) {
		if strings.TrimSpace(line) != "" {
			require.Contains(t, string(run), "\n"+line)
			lines++
		}
	}
	assert.Greater(t, lines, 4)
	assert.LessOrEqual(t, strings.Count(string(readme), "\n"), 120)
}

// The tables in docs/security.md are the same in each run. On other processors,
// rounding may change a filter's size by one bit.
func TestSecurityDocumentQuotesTheTables(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("attacks for three seconds, on amd64")
	}
	code, stdout, stderr := compare(t, "-attack", "-format", "markdown")
	require.Equal(t, exitOK, code, stderr)
	text, err := os.ReadFile(filepath.Join(docsDir, "security.md"))
	require.NoError(t, err)
	tables := 0
	for part := range strings.SplitSeq(stdout, "\n\n") {
		if strings.HasPrefix(part, "| attack |") {
			tables++
			assert.True(t, strings.Contains(string(text), part+"\n"), "it has not:\n%s", part)
		}
	}
	assert.Equal(t, len(attack.Battles), tables)
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "Libraries: ") {
			assert.True(t, strings.Contains(strings.Join(strings.Fields(string(text)), " "), strings.TrimSpace(line)), "it has not: %s", line)
		}
	}
}
