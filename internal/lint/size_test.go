package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every exported name has to earn its place with a use. These are the largest
// numbers of exported functions and methods, promoted ones included.
var maxNames = map[string]int{
	"bloom": 170, "bloom/static": 83, "counting": 75, "cuckoo": 115, "countmin": 170,
	"hashfam": 40, "hashfam/perfect": 95, "hashfam/sharded": 10,
}

func TestPackagesHaveFewNames(t *testing.T) {
	for dir, most := range maxNames {
		cmd := exec.Command("go", "doc", "-all", "./"+dir)
		cmd.Dir = root
		text, err := cmd.Output()
		require.NoError(t, err)
		assert.LessOrEqual(t, strings.Count(string(text), "\nfunc "), most, "exported functions and methods of %s", dir)
	}
}

// The largest number of lines of a function, from its signature to its last
// brace.
const maxLines = 30

// long lists the functions that may have more, and how many.
var long = map[string]int{
	"countmin/internal/tracker/codec.go decodeLog": 40, // each check beside the field that it is about
}

func TestFunctionsAreShort(t *testing.T) {
	functions := 0
	for _, file := range files(t, ".go") {
		path, err := filepath.Rel(root, file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				functions++
				name := filepath.ToSlash(path) + " " + fn.Name.Name
				lines := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
				assert.LessOrEqual(t, lines, max(maxLines, long[name]), "lines of %s", name)
			}
		}
	}
	require.Greater(t, functions, 500)
}
