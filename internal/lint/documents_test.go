package lint

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// block matches a fenced block: its language and its text.
	block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	link  = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
)

// clause is the first line of a program.
const clause = "package main\n"

// Go code in documents must not be longer than a screen. Programs are run, and
// must print the next block, which has no language. Other code must be part of
// a test, for example an Example.
func TestCodeInDocumentsRuns(t *testing.T) {
	tested, programs, outputs := tests(t), []string(nil), []string(nil)
	for _, document := range files(t, ".md") {
		blocks := block.FindAllStringSubmatch(read(t, document), -1)
		for i, b := range blocks {
			if b[1] != "go" {
				continue
			}
			assert.LessOrEqual(t, strings.Count(b[2], "\n"), 25, "lines of %s: %s", document, b[2])
			if !strings.HasPrefix(b[2], clause) {
				assert.True(t, strings.Contains(tested, unindent(b[2])), "%s: not in a test: %s", document, b[2])
				continue
			}
			formatted, err := format.Source([]byte(b[2]))
			require.NoError(t, err, document)
			assert.Equal(t, string(formatted), b[2], "%s: gofmt", document)
			require.True(t, i+1 < len(blocks) && blocks[i+1][1] == "", "%s: no output is shown for %s", document, b[2])
			programs, outputs = append(programs, b[2]), append(outputs, blocks[i+1][2])
		}
	}
	require.GreaterOrEqual(t, len(programs), 8)
	all := buildAll(t, programs)
	for i, want := range outputs {
		out, err := exec.Command(all, fmt.Sprint("p", i)).CombinedOutput()
		assert.NoError(t, err, programs[i])
		assert.Equal(t, want, string(out), programs[i])
	}
}

// tests returns all test files, without indentation.
func tests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range files(t, "_test.go") {
		all.WriteString(unindent(read(t, file)))
	}
	return all.String()
}

func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, " \t")
	}
	return strings.Join(lines, "\n")
}

// buildAll builds the programs in a new module, which is created as in the
// README, but uses the current library instead of a published version. Since
// linking is slow, the programs become packages p0, p1 and so on of a single
// program, which runs the package that its argument names.
func buildAll(t *testing.T, programs []string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	imports, calls := "\"os\"\n", ""
	for i, code := range programs {
		name := fmt.Sprint("p", i)
		imports += fmt.Sprintf("%q\n", "example.org/try/"+name)
		calls += fmt.Sprintf("%q: %s.Main,\n", name, name)
		code = strings.Replace(code, clause, "package "+name+"\n", 1)
		write(name+"/main.go", strings.Replace(code, "\nfunc main() {\n", "\nfunc Main() {\n", 1))
	}
	write("main.go", clause+"import (\n"+imports+")\nfunc main() { map[string]func(){\n"+calls+"}[os.Args[1]]() }\n")
	write("go.sum", read(t, "go.sum"))
	here, err := filepath.Abs(root)
	require.NoError(t, err)
	get := regexp.MustCompile("`go (get [^`]*)`").FindStringSubmatch(read(t, "README.md"))
	require.NotNil(t, get)
	cache := "file://" + filepath.ToSlash(strings.TrimSpace(goOutput(t, "env", "GOMODCACHE"))) + "/cache/download"
	for _, args := range [][]string{
		{"mod", "init", "example.org/try"}, {"mod", "edit", "-replace", module + "=" + here},
		strings.Fields(get[1]), {"build", "-ldflags=-w", "-o", "all", "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOSUMDB=off", "GOPROXY="+cache)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", args, out)
	}
	return filepath.Join(dir, "all")
}

var (
	paragraphs = regexp.MustCompile(`\n\n+`)
	// command matches the start of a shell command that has an argument.
	command = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*(?:go|bash|filterbuild) \S`)
	span    = regexp.MustCompile("`([^`]+)`")
	runs    = regexp.MustCompile(`^(?:FILTERFAM_LONG=1 )?go test (?:-C (\S+) )?.*-run '?([A-Za-z|]+)'?`)
)

// commandsOf returns the shell commands in a paragraph: lines of an indented
// block, or code spans.
func commandsOf(paragraph string) []string {
	var all []string
	if strings.HasPrefix(paragraph, "    ") {
		for line := range strings.Lines(paragraph) {
			all = append(all, strings.TrimSpace(strings.Split(line, "  # ")[0]))
		}
	}
	for _, m := range span.FindAllStringSubmatch(paragraph, -1) {
		all = append(all, strings.Join(strings.Fields(m[1]), " "))
	}
	return slices.DeleteFunc(all, func(c string) bool { return !command.MatchString(c) })
}

// Shell commands in these documents must be run exactly as printed. This can be
// done by .ci/run, by a test that the command names, by the test of filterbuild
// (blocks marked as sh), or by the next test. Otherwise the paragraph must
// contain "not run by the tests: " and the reason.
func TestCommandsInDocumentsAreRun(t *testing.T) {
	ci := "\n" + read(t, ".ci/run")
	all := tests(t)
	found := 0
	for _, name := range []string{"README.md", "docs/distributed.md", "docs/recipes.md", "docs/contributing.md"} {
		text := read(t, name)
		for _, b := range block.FindAllStringSubmatch(text, -1) {
			require.True(t, b[1] != "sh" || name == "docs/distributed.md", "%s: which test runs %s", name, b[2])
			text = strings.Replace(text, b[0], "", 1)
		}
		for _, paragraph := range paragraphs.Split(text, -1) {
			for _, c := range commandsOf(paragraph) {
				found++
				named := runs.FindStringSubmatch(c)
				run := strings.Contains(ci, "\n"+c+"\n") || c == "bash .ci/run" || strings.HasPrefix(c, "go get ") ||
					named != nil && regexp.MustCompile(`\nfunc Test\w*(?:`+named[2]+`)\w*\(`).MatchString(all)
				reason := strings.Contains(strings.Join(strings.Fields(paragraph), " "), "not run by the tests: ")
				assert.True(t, run || reason, "%s: nothing runs %q, and no reason is given", name, c)
			}
		}
	}
	require.Greater(t, found, 8)
}

func TestLinksInDocumentsResolve(t *testing.T) {
	for _, file := range files(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if !strings.Contains(m[1], "://") {
				require.FileExists(t, filepath.Join(root, filepath.Dir(file), m[1]), "in %s", file)
			}
		}
	}
}
