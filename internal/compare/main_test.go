package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// compare runs the program, without files unless args include -o.
func compare(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"-o", ""}, args...), strings.NewReader("one\ntwo\n"), &out, &errs)
	return code, out.String(), errs.String()
}

func TestBadFlagsAreExplained(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"-fpr", "0.01,1"}, []string{"-fpr", `"1"`, "want a rate above 0 and below 1"}},
		{[]string{"-fpr", "1e-300"}, []string{"-fpr 1e-300", "bloom", "Config.FPRate"}},
		{[]string{"-structures", "bloom,blom"}, []string{"-structures", `"blom"`, "bloom-blocked"}},
		{[]string{"-structures", ""}, []string{"-structures", `""`, "map"}},
		{[]string{"-format", "xml"}, []string{"-format", `"xml"`, "text, markdown, json"}},
		{[]string{"-n", "0"}, []string{"-n", `"0"`, "from 1 to"}},
		{[]string{"-n", "1e10"}, []string{"-n", "1,000,000,000"}},
		{[]string{"-quick"}, []string{"-quick", "-docs", "-attack"}},
		{[]string{"-attack", "-n", "5"}, []string{"-attack and -n"}},
		{[]string{"-attack", "-docs", "x"}, []string{"-attack and -docs"}},
		{[]string{"-attack", "-o", "x"}, []string{"-attack and -o", "no files"}},
		{[]string{"-docs", ""}, []string{"-docs", `""`, "directory"}},
		{[]string{"-n", "5", "-keys", "x"}, []string{"-n and -keys"}},
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

func TestHelpListsTheFlags(t *testing.T) {
	code, _, stderr := compare(t, "-help")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, 11, strings.Count(stderr, "\n  -"), stderr)
	assert.True(t, strings.HasPrefix(stderr, usage), stderr)
}

// failing returns an error from each Write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, assert.AnError }

func TestUnwritableResultFails(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"-n", "10", "-fpr", "0.1", "-structures", "bloom", "-o", ""}, nil, failing{}, &stderr)
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, "compare: writing the result: "+assert.AnError.Error()+"\n", stderr.String())
}

const ownNames = "map bloom bloom-partitioned bloom-blocked bloom-scalable bloom-scalable-3x bloom-scalable-30x counting " +
	"cuckoo cuckoo-compact cuckoo-scalable cuckoo-scalable-3x cuckoo-scalable-30x static perfect static-absent static-exact"

const maphashNames = " bloom-maphash bloom-blocked-maphash cuckoo-maphash "

func TestStructuresKeepTheirOrder(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ownNames},
		{[]string{"-peers"}, ownNames + maphashNames + peerNames()},
		{[]string{"-structures", "bloom-blocked, bloom"}, "bloom bloom-blocked"},
		{[]string{"-structures", "bloom", "-peers"}, "bloom" + maphashNames + peerNames()},
		{[]string{"-structures", "bits-and-blooms"}, "bits-and-blooms"},
	} {
		o, err := parse(c.args, &bytes.Buffer{})
		require.NoError(t, err, c.args)
		var names []string
		for _, s := range o.filters() {
			names = append(names, s.Name)
		}
		assert.Equal(t, c.want, strings.Join(names, " "), c.args)
	}
}

// Outside the repository, the page's calculator cannot be compiled.
func TestFilesAreWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join("new", "figures")
	code, stdout, stderr := compare(t, "-keys", "-", "-fpr", "0.1", "-structures", "bloom", "-format", "markdown", "-o", dir)
	require.Equal(t, exitOK, code, stderr)
	assert.NotContains(t, stdout, "Written:", "a document on standard output has nothing after it")
	assert.Regexp(t, `^compare: warning: report\.html has no calculator.*: go build: `, stderr)
	for name, start := range map[string]string{"bits-per-key.svg": "<?xml", "report.html": "<!DOCTYPE html>"} {
		assert.True(t, strings.HasPrefix(read(t, filepath.Join(dir, name)), start), name)
		assert.Contains(t, stderr, name)
	}
	drawing := filepath.Join(dir, "bits-per-key.svg")
	require.NoError(t, errors.Join(os.Remove(drawing), os.Mkdir(drawing, 0o755)))
	code, _, stderr = compare(t, "-keys", "-", "-fpr", "0.1", "-structures", "bloom", "-o", dir)
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, 1, strings.Count(stderr, drawing), "the error names the file once: %s", stderr)
}

// Measuring for the documents would take minutes.
func TestUnusablePathIsFoundEarly(t *testing.T) {
	noFigures, unwritable := t.TempDir(), "/proc/self"
	require.NoError(t, os.WriteFile(filepath.Join(noFigures, "figures"), nil, 0o600))
	if _, err := os.Stat(unwritable); err != nil {
		t.Skip("this system has no such directory")
	}
	for _, c := range [][2]string{
		{"-o", filepath.Join(noFigures, "figures", "below")}, {"-o", unwritable}, {"-docs", noFigures}, {"-docs", unwritable},
		{"-keys", filepath.Join(noFigures, "figures", "below")},
	} {
		code, stdout, stderr := compare(t, c[0], c[1])
		assert.Equal(t, exitFailed, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "compare: "+c[0])
		assert.Contains(t, stderr, filepath.Dir(c[1]))
	}
}

func TestImpossibleRateIsNoted(t *testing.T) {
	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "1e-12", "-structures", "bloom,cuckoo")
	require.Equal(t, exitOK, code, stderr)
	assert.Regexp(t, `(?m)^bloom +1e-10%`, stdout)
	assert.NotRegexp(t, `(?m)^cuckoo +1e-10%`, stdout)
	assert.Contains(t, stdout, "Config.FPRate")
}

// building returns a filter that finds no keys and whose Add returns err.
func building(err error) measure.Build {
	return func(uint64, float64, hashfam.Family) (*measure.Filter, error) {
		return &measure.Filter{
			Contains: func([]byte) bool { return false }, SizeBytes: func() uint64 { return 1 }, Add: func([]byte) error { return err },
		}, nil
	}
}

func withStructures(t *testing.T, list ...measure.Structure) {
	t.Helper()
	before := measure.Structures
	t.Cleanup(func() { measure.Structures = before })
	measure.Structures = list
}

func TestBrokenStructureFailsTheProgram(t *testing.T) {
	for message, err := range map[string]error{"toy at 0.1: ": nil, "toy at 0.1: adding key 1 of 100: full": errors.New("full")} {
		withStructures(t, measure.Structure{Name: "toy", Build: building(err)})
		code, stdout, stderr := compare(t, "-n", "100", "-fpr", "0.1")
		assert.Equal(t, exitFailed, code)
		assert.Equal(t, err == nil, strings.Contains(stdout, "toy"))
		assert.Contains(t, stderr, message)
	}
}

func TestEarlyInterruptGivesEmptyReport(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	assert.Equal(t, exitInterrupted, run(ctx, []string{"-n", "1000", "-o", "", "-format", "json"}, nil, &out, &errs))
	assert.Regexp(t, `"rows": \[\],\s*"frequency": \[\],\s*"interrupted": true`, out.String())
}
