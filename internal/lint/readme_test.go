package lint

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block matches a fenced block of a document: its language and its text.
var block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// isProgram reports whether code is a whole program, which
// TestProgramsInDocumentsRun builds and runs.
func isProgram(code string) bool { return strings.HasPrefix(code, "package main\n") }

// The programs in the documents compile against this module, and print what the
// next block shows. That block has no language.
func TestProgramsInDocumentsRun(t *testing.T) {
	programs := map[string]int{}
	for _, document := range files(t, ".md") {
		name := filepath.Base(document)
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		blocks := block.FindAllStringSubmatch(string(text), -1)
		for i, b := range blocks {
			if b[1] != "go" || !isProgram(b[2]) {
				continue
			}
			require.Less(t, i+1, len(blocks), "%s: no output is shown", document)
			formatted, err := format.Source([]byte(b[2]))
			require.NoError(t, err, document)
			require.Equal(t, string(formatted), b[2], "%s: gofmt", document)
			programs[name]++
			t.Run(fmt.Sprint(name, " ", programs[name]), func(t *testing.T) {
				t.Parallel() // most of the time goes to the linker
				assert.Equal(t, []string{"", output(t, b[2])}, blocks[i+1][1:])
			})
		}
	}
	require.NotZero(t, programs["README.md"])
	require.NotZero(t, programs["recipes.md"])
}

// output runs a program in the module and returns what it prints.
func output(t *testing.T, code string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
	cmd := exec.Command("go", "run", file)
	cmd.Dir = root                                // the program uses its go.mod and go.sum
	cmd.Env = append(os.Environ(), "TMPDIR="+dir) // and leaves its files there
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// The README begins with the commands that a reader tries first, and names the
// Go version of go.mod.
func TestTheReadmeOpensWithTwoCommands(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	first := regexp.MustCompile(`(?m)^(?:    |`+"```"+`).*`).FindAllString(string(text), 2)
	require.Len(t, first, 2)
	require.Regexp(t, `^    go run -C internal/compare \.( |$)`, first[0])
	require.Regexp(t, `^    go test \./\.\.\.( |$)`, first[1])

	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	require.NotNil(t, version)
	require.Contains(t, string(text), "Go "+string(version[1])+" or later")
}
