package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// migrated maps sections of docs/migrating.md to the packages that they are
// about, if this module requires them.
var migrated = map[string]string{
	"bits-and-blooms/bloom":  "github.com/bits-and-blooms/bloom/v3",
	"tylertreat/BoomFilters": "github.com/tylertreat/BoomFilters",
	"FastFilter/xorfilter":   "github.com/FastFilter/xorfilter",
	"seiflotfy/cuckoofilter": "github.com/seiflotfy/cuckoofilter",
	"holiman/bloomfilter":    "github.com/holiman/bloomfilter/v2",
	"ipfs/bbloom":            "github.com/ipfs/bbloom",
	"dgraph-io/ristretto":    "github.com/dgraph-io/ristretto/v2/z",
}

// The first column of a table has names of the other library.
func TestMigratingNamesWhatOtherLibrariesHave(t *testing.T) {
	span, name := regexp.MustCompile("`([^`]+)`"), regexp.MustCompile(`\b[A-Z]\w+`)
	sections := 0
	for section := range strings.SplitSeq(read(t, filepath.Join(docsDir, "migrating.md")), "\n## ") {
		title, rows, _ := strings.Cut(section, "\n")
		path := migrated[title]
		if path == "" {
			continue
		}
		sections++
		names := exported(t, path)
		for line := range strings.Lines(rows) {
			if !strings.HasPrefix(line, "| `") {
				continue
			}
			there, _, _ := strings.Cut(line[2:], " | ")
			for _, code := range span.FindAllStringSubmatch(there, -1) {
				for _, id := range name.FindAllString(code[1], -1) {
					assert.True(t, names[id], "%s has no %s: %s", title, id, line)
				}
			}
		}
	}
	require.Len(t, migrated, sections)
}

// exported returns the names that a package declares, including methods and
// fields.
func exported(t *testing.T, path string) map[string]bool {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	require.NoError(t, err, path)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.TypeSpec:
				names[d.Name.Name] = true
			case *ast.Field:
				for _, field := range d.Names {
					names[field.Name] = true
				}
			}
			return true
		})
	}
	return names
}
