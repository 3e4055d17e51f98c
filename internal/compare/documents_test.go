package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestTheDocumentsAreWhatTheProgramWrites(t *testing.T) {
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
	assert.Equal(t, 9, written)
}

// The run is interrupted from the start, so that it ends where it would begin
// to measure.
func TestAnUnusableDirectoryIsFoundBeforeTheDocumentsAreMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "figures"), nil, 0o600))
	for _, dir := range []string{dir, unwritable(t)} {
		var out, errs bytes.Buffer
		assert.Equal(t, exitFailed, run(ctx, []string{"-docs", dir, "-quick"}, nil, &out, &errs))
		assert.Contains(t, errs.String(), "compare: -docs: ")
		assert.Contains(t, errs.String(), dir)
	}
}

func TestAnInterruptWritesNoDocument(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	assert.Equal(t, exitInterrupted, run(ctx, []string{"-docs", dir, "-quick"}, nil, &out, &errs))
	assert.Equal(t, "compare: -docs: interrupted, nothing was written\n", errs.String())
	assert.Equal(t, []string{"figures"}, files(t, dir))
	assert.Empty(t, files(t, filepath.Join(dir, "figures")))
}

// Every line of output in the README is from the recorded run.
func TestTheReadmeShowsTheRecordedRun(t *testing.T) {
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
