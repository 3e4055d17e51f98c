package lint

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// marked matches the start of a test that .ci/machines finds.
	marked = regexp.MustCompile(`\nfunc Test\w+\(t \*testing\.T\) \{\n\tmachine\.Matters\(t\)\n`)
	// onMachines matches the packages that .ci/machines tests.
	onMachines = regexp.MustCompile(`\./([a-z/]+)(/\.\.\.)?[ )]`)
)

// On other machines, a package is tested only by tests that call
// machine.Matters.
func TestPackagesOnOtherMachinesHaveTests(t *testing.T) {
	found := map[string]int{} // by folder
	for _, file := range files(t, "_test.go") {
		text := read(t, file)
		n := len(marked.FindAllString(text, -1))
		found[path.Dir(file)] += n
		if path.Dir(file) != "internal/lint" {
			assert.Equal(t, strings.Count(text, "machine.Matters("), n, "%s: each call must be the first statement of a test", file)
		}
	}
	packages := 0
	for line := range strings.Lines(read(t, ".ci/machines")) {
		if !strings.HasPrefix(line, "library=(") && !strings.HasPrefix(line, "assembly=(") {
			continue
		}
		for _, m := range onMachines.FindAllStringSubmatch(line, -1) {
			for _, pkg := range strings.Fields(goOutput(t, "list", "-f", `{{if and .TestGoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}`, "./"+m[1]+m[2])) {
				packages++
				dir := strings.TrimPrefix(pkg, module+"/")
				assert.Positive(t, found[dir], "%s: no test calls machine.Matters", dir)
			}
		}
	}
	require.Greater(t, packages, 15)
}
