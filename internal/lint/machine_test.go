package lint

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
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

// stubs are programs for .ci/machines that do nothing, but tests for the
// processor FAILING fail.
var stubs = map[string]string{
	"go": `case "$1 $2" in
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo amd64 ;;
"test "*) [ "${GOARCH:-amd64}" != "$FAILING" ] ;;
esac`,
	"qemu-arm-static": "", "qemu-aarch64-static": "", "qemu-s390x-static": "", "node": "",
}

// If the system runs no programs of 32 bits, arm under qemu takes their place.
func TestA32BitProcessorIsAlwaysThere(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for name, text := range stubs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	}
	for failing, arm := range map[string]bool{"none": false, "386": true} {
		cmd := exec.Command("bash", filepath.Join(root, ".ci/machines"))
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FAILING="+failing, "GOARCH=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "-- 386\n")
		require.Equal(t, arm, strings.Contains(string(out), "-- arm\n"), "%s", out)
	}
}
