package lint

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// listed matches a line of .ci/run list.
	listed = regexp.MustCompile(`(?m)^(\w+) +\S`)
	// called matches a call of .ci/run with arguments.
	called = regexp.MustCompile("bash \\.ci/run ([a-z ]+)")
	done   = regexp.MustCompile(`(?m)^\t(?:step|.*\|\| step|beside \w+) (?:do_)?(\w+)$`)
)

// All steps are in the list and, except for newer, in the run of all steps in
// this order. Documents and the workflow name no other steps.
func TestStepsOfTheChecks(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command("bash", append([]string{".ci/run"}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	list, err := run("list")
	require.NoError(t, err, list)
	names := all(listed, list)
	_, body, found := strings.Cut(read(t, ".ci/run"), "\nall() {\n")
	require.True(t, found)
	body, _, _ = strings.Cut(body, "\n}\n")
	require.Equal(t, names, append(all(done, body), "newer"))
	for _, name := range append(files(t, ".md"), ".github/workflows/ci.yml") {
		for _, args := range all(called, read(t, name)) {
			for _, step := range strings.Fields(args) {
				assert.Contains(t, append(names, "quick", "list"), step, "%s: bash .ci/run %s", name, args)
			}
		}
	}
	out, err := run("gofmt", "nonsense")
	require.Error(t, err)
	require.Equal(t, "no such step: nonsense; bash .ci/run list lists them\n", out)
}

// all returns what the first group of a pattern matches.
func all(pattern *regexp.Regexp, text string) (found []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}
