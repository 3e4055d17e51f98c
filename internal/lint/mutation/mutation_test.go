package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const sample = "./testdata/sample"

var none = regexp.MustCompile(`^$`)

// sampled tests the sample once.
func sampled(t *testing.T) *report {
	t.Helper()
	r, err := test(t.Context(), sample, options{workers: 2, patience: 4 * time.Second}, none)
	require.NoError(t, err)
	require.True(t, r.finished)
	return r
}

func TestEveryMutantGetsItsVerdict(t *testing.T) {
	r := sampled(t)
	got := map[string]verdict{}
	for _, m := range r.pkg.mutants {
		got[fmt.Sprintf("%s: %s for %s", m.source, m.to, m.from)] = m.verdict
	}
	low := "func Low(x float64) float64 { return -x/3 + float64(1/two) }"
	require.Equal(t, map[string]verdict{
		"const two = 1 + 1 // must stay constant: - for +":    notViable,
		"type table [2 * two]int: / for *":                    notViable,
		"if x > most {: >= for >":                             lived,
		"if x > most {: <= for >":                             killed,
		"for i := uint8(0); i != n; i++ {: == for !=":         killed,
		"for i := uint8(0); i != n; i++ {: -- for ++":         killed,
		"if a == b {: != for ==":                              timedOut,
		`return "hello " + name, 1<<40 + 2*two: - for +`:      killed, // the second +
		`return "hello " + name, 1<<40 + 2*two: / for *`:      killed,
		low + ": + for -":                                     killed,
		low + ": * for /":                                     notViable, // the second /
		low + ": - for +":                                     lived,     // + 0
		"func Unused(a, b int) int { return a * b }: / for *": notCovered,
		"func Weak(a, b int) int { return a % b }: * for %":   lived,
	}, got)
	require.Equal(t, []string{"TestBroken"}, r.failing)
	n := r.counts()
	require.Equal(t, [...]int{1, 4, 7, 1, 3, 0, 0}, n)
	require.InDelta(t, 100*8/11., r.efficacy(), 1e-9)
	checkAcceptance(t, r)
}

// Mutants that no test can kill, as every test fails by itself, are no success.
func TestAPackageWithoutATestThatPassesIsAnError(t *testing.T) {
	o := options{workers: 2, patience: 4 * time.Second, least: 95, docs: "../../../docs/mutants.md", skip: none.String()}
	passed, err := o.try(t.Context(), "./testdata/failing")
	require.False(t, passed)
	require.ErrorContains(t, err, "TestSum")
}

// checkAcceptance lists two mutants, of which one lived.
func checkAcceptance(t *testing.T, r *report) {
	path := filepath.Join(t.TempDir(), "mutants.md")
	require.NoError(t, os.WriteFile(path, []byte("# Title\n\ntext\n\n## internal/lint/mutation/testdata/sample\n\n"+
		"Both branches return\nthe same.\n\n- `sample.go` CONDITIONALS_BOUNDARY: `if x > most {`\n\n"+
		"Stale.\n\n- `sample.go` CONDITIONALS_NEGATION 1: `if x > most {`\n\n## Other\n\n- a point\n"), 0o600))
	listed, err := acceptances(path)
	require.NoError(t, err)
	require.Len(t, listed, 2)
	require.Equal(t, "Both branches return the same.", listed[0].why)
	r.stale = accept(r.pkg, listed)
	require.Equal(t, []string{"sample.go CONDITIONALS_NEGATION 1: if x > most {"}, r.stale)
	require.Equal(t, [...]int{1, 4, 7, 1, 2, 1, 0}, r.counts())
	require.InDelta(t, 80, r.efficacy(), 1e-9)
	require.InDelta(t, 100*8/11., r.strict(), 1e-9, "as if no mutant was accepted")

	var out bytes.Buffer
	r.print(&out, false)
	require.Contains(t, out.String(), "sample: 16 mutants: 7 killed, 1 timed out, 2 lived, 1 accepted, 1 not covered, 4 not viable; efficacy 80.0 %, 72.7 % with the accepted ones\n")
	require.Contains(t, out.String(), "\tLIVED internal/lint/mutation/testdata/sample/sample.go:45:36 ARITHMETIC_BASE (* for %)  func Weak")
	require.Contains(t, out.String(), "TestBroken")
	require.NotContains(t, out.String(), "Unused")
}

func TestInstrumentedCodeKeepsItsLines(t *testing.T) {
	p, err := load(t.Context(), sample, "", none)
	require.NoError(t, err)
	text := string(p.rewritten(p.sources[0]))
	require.Equal(t, strings.Count(string(p.sources[0].text), "\n"), strings.Count(text, "\n"))
	for _, want := range []string{
		"if mutationpoint.Greater[int](2, x , most) {",
		"mutationpoint.Not(4, i != n); i += mutationpoint.One[uint8](5) {",
		`"hello " + name, mutationpoint.Add[uint64](8, 1<<40 , mutationpoint.Mul[uint64](9, 2,two))`,
		"mutationpoint.Add[float64](10, mutationpoint.Quo[float64](11, mutationpoint.Neg[float64](12, x),3) , float64(1/two))",
	} {
		require.Contains(t, text, want)
	}
}

func TestSkippedFilesHaveNoMutants(t *testing.T) {
	p, err := load(t.Context(), sample, "", regexp.MustCompile("sample"))
	require.NoError(t, err)
	require.Empty(t, p.mutants)
	require.Equal(t, p.sources[0].text, p.rewritten(p.sources[0]))
}

func TestAcceptancesNeedAReason(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mutants.md")
	for _, bad := range []string{
		"## bloom\n\n- `a.go` ARITHMETIC_BASE: `x`",
		"## bloom\n\nwhy\n\n- a.go ARITHMETIC_BASE: `x`",
		"## bloom\n\nwhy\n\n- `a.go` ARITHMETIC_BASE `x`",
	} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		_, err := acceptances(path)
		require.ErrorContains(t, err, "want a reason", bad)
	}
	_, err := acceptances(filepath.Join("../../../docs/mutants.md"))
	require.NoError(t, err)
}

func TestBatchesStayBelowTheirBudget(t *testing.T) {
	quick, slow := 20*time.Millisecond, 2*time.Second
	of := []*unit{{cpu: quick}, {cpu: quick}, {cpu: slow}, {cpu: slow}}
	require.Equal(t, 2, batch(of, 50*time.Millisecond))
	require.Equal(t, 1, batch(of[2:], 50*time.Millisecond), "at least one")
	require.Equal(t, 4, batch(of, time.Hour))
}

func TestChangedLines(t *testing.T) {
	require.Equal(t, map[int]bool{3: true, 10: true, 11: true}, changed("--- a\n+++ b\n@@ -3 +3 @@ func f() {\n-x\n+y\n"+
		"@@ -8,2 +8,0 @@\n-x\n-x\n@@ -12,0 +10,2 @@\n+@@ -1 +1 @@\n+y\n"))
}

func TestOnlyMutantsOnChangedLinesAreTried(t *testing.T) {
	p, err := load(t.Context(), sample, "", none)
	require.NoError(t, err)
	n, err := p.since(t.Context(), "HEAD")
	if err != nil {
		t.Skip("not in a git repository")
	}
	require.Zero(t, n)
	r := report{pkg: p}
	require.Equal(t, len(p.mutants), r.counts()[notAsked])
}

func TestThinningLeavesTheNumberAsked(t *testing.T) {
	for _, all := range []int{0, 1, 3, 4, 10, 400} {
		p := &pkg{}
		for range all {
			p.mutants = append(p.mutants, &mutant{}, &mutant{verdict: notViable})
		}
		p.thin(4)
		left := 0
		for _, m := range p.mutants {
			if m.verdict == notCovered {
				left++
			}
		}
		require.Equal(t, min(4, all), left)
	}
}
