package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A function of a file that is not a test.
type function struct {
	name  string // Type.Method, or the name of a function
	path  string // of the file, from the root
	lines int
	decl  *ast.FuncDecl
}

// functions returns the functions of all files except tests.
func functions(t *testing.T) []function {
	t.Helper()
	var all []function
	for _, file := range files(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		path, err := filepath.Rel(root, file)
		require.NoError(t, err)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				name := typeOf(fn) + fn.Name.Name
				lines := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
				all = append(all, function{name, filepath.ToSlash(path), lines, fn})
			}
		}
	}
	require.Greater(t, len(all), 500)
	return all
}

// typeOf returns the name of a method's type and a dot, or nothing for a
// function.
func typeOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

// The largest number of lines of a function, from its signature to its last
// brace.
const (
	maxLines        = 30
	maxCompareLines = 50 // internal/compare
	maxLongLines    = 40 // the functions in long
)

// long lists the decoders and the main loops of merges.
var long = map[string]bool{
	"countmin/internal/tracker/codec.go Tracker.decodeLog": true,
}

func TestFunctionsAreShort(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range functions(t) {
		limit, name := maxLines, f.path+" "+f.name
		switch {
		case strings.HasPrefix(f.path, "internal/conformance/"):
			continue // tests of other packages
		case strings.HasPrefix(f.path, "internal/compare/"):
			limit = maxCompareLines
		case long[name]:
			limit, seen[name] = maxLongLines, f.lines > maxLines
		}
		assert.LessOrEqual(t, f.lines, limit, "lines of %s", name)
	}
	for name := range long {
		assert.True(t, seen[name], "%s is not long: remove it from the list", name)
	}
}

var (
	// A comment states a cost if it names an order, or a time.
	cost = regexp.MustCompile(`O\(|[Nn]o allocation|seconds`)
	// A comment refers to another if it is "X is [Y] for strings", "It is like
	// [Y]", "It calls [Y]".
	refers = regexp.MustCompile(`(is|like|calls|prints|returns) \[[A-Z]`)
)

// These methods are constant-time, and named by the interface they implement.
var constantTime = map[string]bool{"String": true, "Format": true, "Error": true, "Unwrap": true}

// costsOf lists the packages whose exported functions state their cost.
var costsOf = []string{"bloom/", "counting/", "countmin/", "cuckoo/", "hashfam/"}

func TestExportedFunctionsStateTheirCost(t *testing.T) {
	checked := 0
	for _, f := range functions(t) {
		exported := ast.IsExported(f.decl.Name.Name) && (f.decl.Recv == nil || ast.IsExported(f.name))
		inScope := false
		for _, dir := range costsOf {
			inScope = inScope || strings.HasPrefix(f.path, dir)
		}
		if !exported || !inScope || strings.Contains(f.path, "/internal/") || constantTime[f.decl.Name.Name] {
			continue
		}
		checked++
		text := flowing(f.decl.Doc.Text())
		assert.True(t, cost.MatchString(text) || refers.MatchString(text), "%s %s: no cost in %q", f.path, f.name, text)
	}
	require.Greater(t, checked, 100)
}
