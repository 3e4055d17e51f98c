package lint

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// block matches a fenced block: its language and its text.
	block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	// link matches a link's file and anchor.
	link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]+)?\)`)
	// fence matches a line that begins or ends a block.
	fence = regexp.MustCompile("^ *(```|~~~)")
)

// The tests find only these blocks, which must not be indented.
var fences = []string{"```go", "```sh", "```js", "```python", "```text", "```"}

func TestBlocksHaveAKnownLanguage(t *testing.T) {
	for _, document := range files(t, ".md") {
		inside := false
		for line := range strings.Lines(read(t, document)) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case fence.MatchString(line):
				assert.Contains(t, fences, line, document)
				assert.True(t, !inside || line == "```", "%s: %s in a block", document, line)
				inside = !inside
			case strings.HasPrefix(line, "    ") && !inside:
				assert.Regexp(t, command, strings.TrimSpace(line), "%s: a block without a fence that is not a command", document)
			}
		}
		assert.False(t, inside, "%s: a block has no end", document)
	}
}

// separator matches the second line of a table.
var separator = regexp.MustCompile(`^\|(?: *:?-+:? *\|)+$`)

// columns returns the number of cells in a line of a table, since a | in a cell
// must be escaped even within a code span.
func columns(line string) int { return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1 }

// A blank line would end a table, and its other rows would be shown as text.
func TestTablesAreWellFormed(t *testing.T) {
	tables := 0
	for _, document := range files(t, ".md") {
		lines := strings.Split(block.ReplaceAllString(read(t, document), ""), "\n")
		want := 0 // the columns of the current table
		for i, line := range lines {
			switch {
			case !strings.HasPrefix(line, "|"):
				want = 0
			case want == 0:
				tables++
				want = columns(line)
				require.Less(t, i+1, len(lines), document)
				assert.Regexp(t, separator, lines[i+1], "%s: a table that begins with %s", document, line)
			default:
				assert.Equal(t, want, columns(line), "%s: the number of cells in %s", document, line)
			}
		}
	}
	require.Greater(t, tables, 20)
}

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
func tests(t *testing.T) string { return testsIn(t, "") }

// testsIn returns the test files in a folder and below.
func testsIn(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range files(t, "_test.go") {
		if strings.HasPrefix(file, dir) {
			all.WriteString(unindent(read(t, file)))
		}
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
	command = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*(?:go (?:get|install|run|test) |bash |filterbuild |git clone )\S`)
	span    = regexp.MustCompile("`([^`]+)`")
	script  = regexp.MustCompile(`^bash (\.ci/[a-z]+)`)
	// named matches a command that runs the tests with some names.
	named = regexp.MustCompile(`^(?:FILTERFAM_LONG=1 )?go test .*-run '?([A-Za-z|]+)'?`)
	// packageDir matches the arguments that select packages.
	packageDir = regexp.MustCompile(` (?:-C )?(\.?/?[a-z]+(?:/[a-z]+)+|\./[a-z]+)(?:/\.\.\.)?\b`)
)

// shellTests maps documents to the folder whose tests run their sh blocks.
var shellTests = map[string]string{
	"README.md":           "hashfam/cmd/filterfam",
	"docs/command.md":     "hashfam/cmd/filterfam",
	"docs/distributed.md": "hashfam/filterbeam/filterbuild",
}

// commandTests maps commands to tests that run them, with a smaller number of
// keys or with a certain file.
var commandTests = map[string]string{
	"go run -C internal/compare . -attack":                  "TestSecurityDocumentQuotesTheTables",
	"go run -C internal/compare . -docs ../../docs":         "TestDocumentsAreGenerated",
	"go run -C internal/compare . -keys /path/to/your/keys": "TestFilesAreWritten",
}

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

// runs reports whether the tests or .ci/run run a command.
func runs(t *testing.T, c string) bool {
	t.Helper()
	ci := "\n" + unindent(read(t, ".ci/run"))
	if test := commandTests[c]; test != "" {
		return strings.Contains(tests(t), "\nfunc "+test+"(")
	}
	if m := script.FindStringSubmatch(c); m != nil {
		return m[1] == ".ci/run" || strings.Contains(ci, "\nbash "+m[1]+" -n ")
	}
	if m := named.FindStringSubmatch(c); m != nil {
		test := regexp.MustCompile(`\nfunc Test\w*(?:` + m[1] + `)\w*\(`)
		dirs := packageDir.FindAllStringSubmatch(c, -1)
		return len(dirs) > 0 && !slices.ContainsFunc(dirs, func(dir []string) bool {
			return !test.MatchString(testsIn(t, strings.TrimPrefix(dir[1], "./")))
		})
	}
	return strings.HasPrefix(c, "go get ") || strings.HasPrefix(c, "git clone ") || strings.Contains(ci, "\n"+c+"\n")
}

// Shell commands in documents must be run exactly as printed. This can be done
// by .ci/run or by a test. Otherwise the paragraph, or the one after a block,
// must contain "not run by the tests: " and the reason.
func TestCommandsInDocumentsAreRun(t *testing.T) {
	found := 0
	for _, name := range files(t, ".md") {
		text := read(t, name)
		for _, b := range block.FindAllStringSubmatch(text, -1) {
			if b[1] == "sh" {
				dir := shellTests[name]
				require.True(t, dir != "" && strings.Contains(testsIn(t, dir), name), "%s: which test runs %s", name, b[2])
			}
			text = strings.Replace(text, b[0], "", 1)
		}
		all := append(paragraphs.Split(text, -1), "")
		for i, paragraph := range all[:len(all)-1] {
			around := paragraph
			if strings.HasPrefix(paragraph, "    ") {
				around += " " + all[i+1]
			}
			excused := strings.Contains(strings.Join(strings.Fields(around), " "), "not run by the tests: ")
			for _, c := range commandsOf(paragraph) {
				found++
				assert.True(t, excused || runs(t, c), "%s: nothing runs %q, and no reason is given", name, c)
			}
		}
	}
	require.Greater(t, found, 20)
}

// anchors returns the anchors of a document's headings, as GitHub derives them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(block.ReplaceAllString(text, "")) {
		if title, heading := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); heading && line[0] == '#' {
			var anchor strings.Builder
			for _, r := range strings.ToLower(strings.TrimSpace(title)) {
				switch {
				case r == ' ':
					anchor.WriteByte('-')
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					anchor.WriteRune(r)
				}
			}
			found["#"+anchor.String()] = true
		}
	}
	return found
}

func TestLinksInDocumentsResolve(t *testing.T) {
	withAnchor := 0
	for _, file := range files(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := file
			if m[1] != "" {
				target = path.Join(path.Dir(file), m[1])
			}
			require.FileExists(t, filepath.Join(root, target), "in %s", file)
			if m[2] != "" {
				withAnchor++
				assert.True(t, anchors(read(t, target))[m[2]], "%s: %s has no heading for %s", file, target, m[2])
			}
		}
	}
	require.Greater(t, withAnchor, 10)
}
