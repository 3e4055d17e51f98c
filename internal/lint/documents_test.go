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

var (
	// block matches a fenced block of a document: its language and its text.
	block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	link  = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
)

// isProgram reports whether code is a whole program.
func isProgram(code string) bool { return strings.HasPrefix(code, "package main\n") }

// Whole programs in the documents compile, are not longer than a screen, and
// print what the next block shows, which has no language. Other Go code is part
// of a test, mostly of an Example.
func TestCodeInDocumentsRuns(t *testing.T) {
	tested := tests(t)
	programs := map[string]int{}
	for _, document := range files(t, ".md") {
		name := filepath.Base(document)
		blocks := block.FindAllStringSubmatch(read(t, document), -1)
		for i, b := range blocks {
			switch {
			case b[1] != "go":
			case !isProgram(b[2]):
				assert.True(t, strings.Contains(tested, unindent(b[2])), "%s: not in a test: %s", document, b[2])
			default:
				programs[name]++
				require.Less(t, i+1, len(blocks), "%s: no output is shown", document)
				assert.LessOrEqual(t, strings.Count(b[2], "\n"), 25, "lines of %s: %s", document, b[2])
				formatted, err := format.Source([]byte(b[2]))
				require.NoError(t, err, document)
				assert.Equal(t, string(formatted), b[2], "%s: gofmt", document)
				t.Run(fmt.Sprint(name, " ", programs[name]), func(t *testing.T) {
					t.Parallel() // most of the time goes to the linker
					assert.Equal(t, []string{"", output(t, b[2])}, blocks[i+1][1:])
				})
			}
		}
	}
	require.NotZero(t, programs["README.md"])
	require.GreaterOrEqual(t, programs["recipes.md"], 8)
}

// tests returns the text of all test files, without indentation.
func tests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range files(t, "_test.go") {
		all.WriteString(unindent(read(t, file)))
	}
	return all.String()
}

// unindent drops the white space at the beginning of every line.
func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, " \t")
	}
	return strings.Join(lines, "\n")
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
	text := read(t, filepath.Join(root, "README.md"))
	first := regexp.MustCompile(`(?m)^(?:    |`+"```"+`).*`).FindAllString(text, 2)
	require.Len(t, first, 2)
	require.Regexp(t, `^    go run -C internal/compare \.( |$)`, first[0])
	require.Regexp(t, `^    go test \./\.\.\.( |$)`, first[1])

	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, filepath.Join(root, "go.mod")))
	require.NotNil(t, version)
	require.Contains(t, text, "Go "+version[1]+" or later")
}

func TestLinksInDocumentsResolve(t *testing.T) {
	for _, file := range files(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if !strings.Contains(m[1], "://") {
				require.FileExists(t, filepath.Join(filepath.Dir(file), m[1]), "in %s", file)
			}
		}
	}
}
