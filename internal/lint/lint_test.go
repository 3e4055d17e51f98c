// Package lint checks the rules of the module that a linter would check.
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
	for _, pkg := range []string{"./hashfam", "./hashfam/perfect", "./bloom", "./bloom/static", "./counting", "./cuckoo", "./countmin"} {
		deps := goCommand(t, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg)
		for _, dep := range deps {
			ours := strings.HasPrefix(dep, module+"/")
			require.True(t, ours || dep == "github.com/dchest/siphash", "%s depends on %s", pkg, dep)
		}
	}
}

func TestPackagesImportOnlyLowerOnes(t *testing.T) {
	below := func(more ...string) []string {
		return append(more, "hashfam", "internal/batch", "internal/cpu", "internal/fault", "internal/frame", "internal/lanes", "internal/prefetch", "internal/sizing")
	}
	allowed := map[string][]string{
		"internal/cpu":              nil,
		"internal/fault":            nil,
		"internal/sizing":           nil,
		"internal/sizing/oracle":    nil, // for tests only
		"internal/data":             nil,
		"hashfam":                   {"internal/cpu", "internal/fault"},
		"internal/batch":            {"hashfam"},
		"internal/frame":            {"hashfam", "internal/fault", "internal/sizing"},
		"internal/lanes":            {"hashfam", "internal/cpu"},
		"internal/prefetch":         {"hashfam"},
		"internal/ribbon":           {"hashfam", "internal/cpu", "internal/fault", "internal/frame"},
		"hashfam/perfect":           below("internal/ribbon"),
		"bloom":                     below(),
		"bloom/static":              below("internal/ribbon"),
		"countmin":                  below("countmin/internal/tracker"),
		"countmin/internal/tracker": below(),
		"cuckoo":                    below(),
		// The only import between structures: counting filters are sent as
		// Bloom filters.
		"counting": below("bloom"),
	}
	for pkg, lower := range allowed {
		for _, dep := range goCommand(t, "list", "-f", `{{join .Imports "\n"}}`, "./"+pkg) {
			if inner, ours := strings.CutPrefix(dep, module+"/"); ours {
				require.Contains(t, lower, inner, "%s imports %s", pkg, inner)
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
			require.Equal(t, module+"/hashfam", path, file)
		}
	}
}

func TestOnlyTwoFilesUseUnsafe(t *testing.T) {
	var found []string
	for _, file := range files(t, ".go") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "import \"unsafe\"") || strings.Contains(string(text), "\t\"unsafe\"\n") {
			found = append(found, filepath.Base(file))
		}
	}
	slices.Sort(found)
	require.Equal(t, []string{"numbers_unsafe.go", "string_unsafe.go"}, found)
}

var (
	fence = regexp.MustCompile("(?s)```go\n(.*?)```")
	link  = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
)

// Go code in the documents is part of an Example, where it is compiled and run,
// or a whole program, which TestProgramsInDocumentsRun builds.
func TestCodeInDocumentsIsCompiled(t *testing.T) {
	var tested strings.Builder
	for _, file := range files(t, "_test.go") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tested.WriteString(unindent(string(text)))
	}
	blocks := 0
	for _, file := range files(t, ".md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
			blocks++
			if !isProgram(m[1]) {
				require.Contains(t, tested.String(), unindent(m[1]), file)
			}
		}
	}
	require.NotZero(t, blocks)
}

// Every exported function and method of a package that users import has an
// Example of its own, or is called in a related one: the forms for strings and
// digests are called in that for bytes.
func TestEveryEntryPointIsInAnExample(t *testing.T) {
	printing := []string{"String", "GoString", "Format", "Error", "Unwrap"} // other packages call them
	for _, dir := range []string{"hashfam", "hashfam/perfect", "hashfam/filterbeam", "bloom", "bloom/static", "counting", "cuckoo", "countmin"} {
		shown, wanted := map[string]bool{}, map[string]string{}
		sources, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		require.NoError(t, err)
		for _, source := range sources {
			f, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
			require.NoError(t, err)
			for _, d := range f.Decls {
				fn, isFunc := d.(*ast.FuncDecl)
				switch {
				case !isFunc:
				case strings.HasSuffix(source, "_test.go"):
					if !strings.HasPrefix(fn.Name.Name, "Example") {
						continue
					}
					shown[fn.Name.Name] = true
					ast.Inspect(fn.Body, func(n ast.Node) bool {
						if s, ok := n.(*ast.SelectorExpr); ok {
							shown[s.Sel.Name] = true
						}
						return true
					})
				case fn.Name.IsExported() && !slices.Contains(printing, fn.Name.Name) && receiver(fn) != "-":
					wanted["Example"+receiver(fn)+fn.Name.Name] = fn.Name.Name
				}
			}
		}
		require.NotEmpty(t, wanted)
		for example, name := range wanted {
			assert.True(t, shown[example] || shown[name], "%s: no %s", dir, example)
		}
	}
}

// receiver returns the name of a method's type and an underscore, nothing for a
// function, and a dash for a type that is not exported.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	if name := t.(*ast.Ident); name.IsExported() {
		return name.Name + "_"
	}
	return "-"
}

func TestLinksInDocumentsResolve(t *testing.T) {
	for _, file := range files(t, ".md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], "://") {
				require.FileExists(t, filepath.Join(filepath.Dir(file), m[1]), "in %s", file)
			}
		}
	}
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

// unindent drops the white space at the beginning of every line.
func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, " \t")
	}
	return strings.Join(lines, "\n")
}
