// Package lint checks the rules of the module that a linter would check.
package lint

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root   = "../.."
	module = "github.com/filterfam/filterfam"
)

func goCommand(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func TestTheModuleRequiresThreeOthersDirectly(t *testing.T) {
	direct := goCommand(t, "list", "-m", "-f", "{{if not (or .Indirect .Main)}}{{.Path}}{{end}}", "all")
	require.ElementsMatch(t, []string{
		"github.com/dchest/siphash", "github.com/stretchr/testify", "pgregory.net/rapid",
	}, direct)
}

func TestPackagesDependOnlyOnSipHashAndTheStandardLibrary(t *testing.T) {
	for _, pkg := range []string{"./hashfam", "./hashfam/perfect", "./hashfam/sharded", "./bloom", "./bloom/static", "./counting", "./cuckoo", "./countmin"} {
		deps := goCommand(t, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg)
		for _, dep := range deps {
			ours := strings.HasPrefix(dep, module+"/")
			require.True(t, ours || dep == "github.com/dchest/siphash", "%s depends on %s", pkg, dep)
		}
	}
}

func TestPackagesImportOnlyLowerOnes(t *testing.T) {
	below := func(more ...string) []string {
		return append(more, "hashfam", "internal/cpu", "internal/fault", "internal/frame", "internal/lanes", "internal/prefetch", "internal/sizing")
	}
	allowed := map[string][]string{
		"internal/cpu":              nil,
		"internal/ring":             below(),
		"internal/sizing":           nil,
		"internal/sizing/oracle":    nil, // for tests only
		"internal/data":             nil,
		"hashfam":                   {"internal/cpu"},
		"hashfam/sharded":           {"hashfam"},
		"internal/fault":            {"hashfam"},
		"internal/frame":            {"hashfam", "internal/fault", "internal/sizing"},
		"internal/lanes":            {"hashfam", "internal/cpu"},
		"internal/prefetch":         {"hashfam", "internal/cpu"},
		"internal/ribbon":           {"hashfam", "internal/cpu", "internal/fault", "internal/frame", "internal/prefetch"},
		"hashfam/perfect":           below("internal/ribbon"),
		"bloom":                     below("internal/ring"),
		"bloom/static":              below("internal/ribbon"),
		"countmin":                  below("countmin/internal/tracker", "internal/ring"),
		"countmin/internal/tracker": below("internal/ring"),
		"cuckoo":                    below("cuckoo/internal/pages", "cuckoo/internal/table"),
		"cuckoo/internal/pages":     below("cuckoo/internal/table"),
		"cuckoo/internal/table":     below(),
		// The only import between structures: counting filters are sent as
		// Bloom filters.
		"counting": below("bloom"),
	}
	for pkg, lower := range allowed {
		for _, dep := range goCommand(t, "list", "-f", `{{join .Imports "\n"}}`, "./"+pkg) {
			if inner, ours := strings.CutPrefix(dep, module+"/"); ours {
				assert.Contains(t, lower, inner, "%s imports %s", pkg, inner)
			}
		}
	}
}

func TestAlgorithmsImportOnlyTheHashFamily(t *testing.T) {
	for _, file := range []string{"hashfam/perfect/perfect.go", "bloom/bloom.go", "counting/counting.go", "counting/blocked.go", "cuckoo/cuckoo.go", "countmin/countmin.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if path != "math/bits" && !strings.HasPrefix(path, module+"/"+filepath.ToSlash(filepath.Dir(file))+"/internal/") {
				require.Equal(t, module+"/hashfam", path, file)
			}
		}
	}
}

func TestOnlyTwoFilesUseUnsafe(t *testing.T) {
	var found []string
	for _, file := range files(t, ".go") {
		text := read(t, file)
		if strings.Contains(text, "import \"unsafe\"") || strings.Contains(text, "\t\"unsafe\"\n") {
			found = append(found, filepath.Base(file))
		}
	}
	slices.Sort(found)
	require.Equal(t, []string{"numbers_unsafe.go", "string_unsafe.go"}, found)
}

func TestTopLevelHasOnlyTheListedEntries(t *testing.T) {
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			require.Contains(t, strings.Fields(
				"go.mod go.sum bloom counting cuckoo countmin hashfam internal docs README.md LICENSE"), e.Name())
		}
	}
}

// files returns the module's own files with the given ending. It leaves out the
// documents that come with data sets.
func files(t *testing.T, ending string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ending) && !strings.HasPrefix(d.Name(), "public-domain") {
			found = append(found, path)
		}
		return err
	})
	require.NoError(t, err)
	slices.Sort(found)
	return found
}

// read returns the text of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
