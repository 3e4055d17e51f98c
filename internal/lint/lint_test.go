// Package lint checks rules that would otherwise need a linter.
package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
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

const (
	root   = "../.."
	module = "github.com/filterfam/filterfam"
)

// goOutput returns the output of the go command.
func goOutput(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func TestTheModuleRequiresThreeOthersDirectly(t *testing.T) {
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	require.Len(t, direct, 3)
	for i, path := range []string{"github.com/dchest/siphash", "github.com/stretchr/testify", "pgregory.net/rapid"} {
		require.Equal(t, path, direct[i][1])
	}
}

// Besides the standard library, users of the library need only SipHash.
func TestPackagesImportOnlyLowerOnes(t *testing.T) {
	below := func(more ...string) []string {
		return append(more, "hashfam", "internal/batch", "internal/cpu", "internal/fault", "internal/frame", "internal/sizing")
	}
	allowed := map[string][]string{
		"internal/cpu":              nil,
		"internal/merge":            {"hashfam", "internal/fault"},
		"internal/ring":             below(),
		"internal/nibbles":          nil,
		"internal/cli":              {"hashfam"},
		"internal/lines":            {"internal/frame"},
		"internal/memory":           {"internal/sizing"},
		"internal/replace":          nil,
		"internal/sizing":           nil,
		"internal/data":             nil,
		"hashfam":                   {"internal/cpu", "internal/replace", "github.com/dchest/siphash"},
		"hashfam/sharded":           {"hashfam"},
		"internal/fault":            {"hashfam", "internal/sizing"},
		"internal/budget":           {"hashfam", "internal/fault", "internal/sizing"},
		"internal/frame":            {"hashfam", "internal/fault", "internal/sizing"},
		"internal/block":            {"hashfam", "internal/fault", "internal/frame"},
		"hashfam/journal":           {"hashfam", "hashfam/sharded", "internal/block", "internal/fault", "internal/frame", "internal/replace"},
		"internal/batch":            {"hashfam", "internal/cpu"},
		"internal/ribbon":           {"hashfam", "internal/cpu", "internal/fault", "internal/frame", "internal/batch"},
		"hashfam/perfect":           below("internal/ribbon"),
		"bloom":                     below("internal/budget", "internal/merge", "internal/ring"),
		"bloom/static":              below("internal/budget", "internal/ribbon"),
		"countmin":                  below("countmin/internal/tracker", "internal/merge", "internal/ring"),
		"countmin/internal/tracker": below("internal/ring"),
		"cuckoo":                    below("internal/budget", "internal/merge", "cuckoo/internal/pages", "cuckoo/internal/table"),
		"cuckoo/internal/pages":     below("cuckoo/internal/table"),
		"cuckoo/internal/table":     below(),
		"internal/advice":           {"bloom", "bloom/static", "counting", "countmin", "cuckoo", "hashfam", "hashfam/perfect", "internal/sizing"},
		// The only import between structures: counting filters are sent as
		// Bloom filters.
		"counting": below("bloom", "internal/budget", "internal/merge", "internal/nibbles"),
	}
	list := goOutput(t, "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module+"/")
		lower, listed := allowed[pkg]
		for _, dep := range fields[1:] {
			dep, ours := strings.CutPrefix(dep, module+"/")
			if listed && (ours || strings.Contains(dep, ".")) {
				assert.Contains(t, lower, dep, "%s imports %s", pkg, dep)
			}
		}
		delete(allowed, pkg)
	}
	require.Empty(t, allowed, "packages that are gone")
}

func TestOnlyThreeFilesUseUnsafe(t *testing.T) {
	var found []string
	for _, file := range files(t, ".go") {
		text := read(t, file)
		if strings.Contains(text, "import \"unsafe\"") || strings.Contains(text, "\t\"unsafe\"\n") {
			found = append(found, filepath.Base(file))
		}
	}
	slices.Sort(found)
	require.Equal(t, []string{"memory_windows.go", "numbers_unsafe.go", "string_unsafe.go"}, found)
}

// maxLines limits the number of lines in a function's body.
const maxLines = 40

func TestFunctionsAreShort(t *testing.T) {
	functions := 0
	for _, path := range files(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				functions++
				lines := max(0, set.Position(fn.End()).Line-set.Position(fn.Pos()).Line-1)
				assert.LessOrEqual(t, lines, maxLines, "lines of %s in %s", fn.Name.Name, path)
			}
		}
	}
	require.Greater(t, functions, 500)
}

// files returns the module's files with this ending, as paths from the root. It
// skips documents that were copied with a data set.
func files(t *testing.T, ending string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ending) && !strings.HasPrefix(d.Name(), "public-domain") {
			found = append(found, filepath.ToSlash(path[len(root)+1:]))
		}
		return err
	})
	require.NoError(t, err)
	slices.Sort(found)
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}
