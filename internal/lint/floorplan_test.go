package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A floorPlan names the files of a package that contains a structure. All other
// files have the same names in all packages; see docs/contributing.md.
type floorPlan struct {
	algorithm string // adds and finds keys
	whole     string // constructors and the methods of a whole structure, named after the package's first type
}

var floorPlans = map[string]floorPlan{
	"bloom":           {"bloom.go", "filter.go"},
	"bloom/static":    {"static.go", "filter.go"},
	"counting":        {"counting.go", "filter.go"},
	"cuckoo":          {"cuckoo.go", "filter.go"},
	"countmin":        {"countmin.go", "sketch.go"},
	"hashfam/perfect": {"perfect.go", "function.go"},
}

// A declaration is a name at the top level of a file.
type declaration struct {
	file     string
	receiver string // the type of a method, or empty
	name     string
}

// home returns the only file in which d can be, or an empty string if there is
// no rule.
func (l floorPlan) home(d declaration) string {
	switch {
	case d.name == "errs", d.name == "FieldError", d.receiver == "" && strings.HasPrefix(d.name, "Err"):
		return "errors.go"
	case token.IsExported(d.name) && slices.Contains([]string{"Config", "Params", "Layout"}, d.receiver),
		d.receiver == "" && slices.Contains([]string{"Config", "Params", "Layout"}, d.name):
		return "config.go"
	case slices.Contains([]string{"New", "NewFromParams", "NewFromSorted", "NewReceiver"}, d.name) && d.receiver == "":
		return l.whole
	case d.name == "NewView", d.name == "FrameReader", d.receiver == "FrameReader":
		return "view.go"
	case d.name == "ReadParams":
		return "codec.go"
	case slices.Contains([]string{"AppendBinary", "MarshalBinary", "WriteTo", "UnmarshalBinary", "ReadFrom", "UnmarshalText"}, d.name):
		return l.fileOf(d.receiver, "codec.go")
	case d.name == "Merge":
		return l.fileOf(d.receiver, "merge.go")
	}
	return ""
}

// fileOf returns the file for methods of a type: of the package's first type,
// the file with this name, and of others, xcodec.go for an encoding and x.go
// for all else.
func (l floorPlan) fileOf(typ, name string) string {
	x := strings.TrimSuffix(strings.ToLower(typ), "hitters")
	switch {
	case x == strings.TrimSuffix(l.whole, ".go"):
		return name
	case name == "codec.go":
		return x + name
	}
	return x + ".go"
}

func TestDeclarationsAreInTheFilesForThem(t *testing.T) {
	for dir, l := range floorPlans {
		parsed := parse(t, dir)
		found := map[string]bool{}
		for name, file := range parsed {
			for _, d := range declarations(name, file) {
				if want := l.home(d); want != "" {
					found[want] = true
					assert.Equal(t, want, d.file, "%s: the file of %s %s", dir, d.receiver, d.name)
				}
			}
		}
		for _, name := range []string{"errors.go", "config.go", l.whole, "codec.go"} {
			assert.True(t, found[name], "%s: %s has none of its declarations", dir, name)
		}
		require.Contains(t, parsed, l.algorithm, dir)
		require.Contains(t, parsed, "doc.go", dir)
		assert.Empty(t, declarations("doc.go", parsed["doc.go"]), "%s/doc.go contains only the package comment", dir)
		for name, file := range parsed {
			assert.Equal(t, name == "doc.go", file.Doc != nil && file.Doc.Text() != "", "%s/%s: a package comment", dir, name)
		}
	}
}

// The algorithm of a package should read as in the paper, so its file contains
// neither errors nor encodings.
func TestAlgorithmsImportNoFormattingAndNoEncoding(t *testing.T) {
	for dir, l := range floorPlans {
		for _, spec := range parse(t, dir)[l.algorithm].Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			ours := strings.HasPrefix(imported, module+"/hashfam") || strings.Contains(imported, "/internal/")
			assert.True(t, ours || strings.HasPrefix(imported, "math"), "%s/%s imports %s", dir, l.algorithm, imported)
		}
	}
}

// A package comment lists the files that a reader needs, and these exist.
func TestPackageCommentsListTheFiles(t *testing.T) {
	fileName := regexp.MustCompile(`[\w/]+\.(?:go|s)\b`)
	for dir, l := range floorPlans {
		_, source, found := strings.Cut(read(t, dir+"/doc.go"), "// # Source\n")
		require.True(t, found, dir)
		for _, name := range []string{l.algorithm, "config.go", "errors.go", l.whole, "batch.go", "codec.go"} {
			_, err := os.Stat(filepath.Join(root, dir, name))
			assert.True(t, err != nil || strings.Contains(source, name), "%s/doc.go does not list %s", dir, name)
		}
		for _, name := range fileName.FindAllString(source, -1) {
			places := []string{dir + "/" + name, name, "internal/ribbon/" + name, dir + "/internal/table/" + name}
			assert.True(t, slices.ContainsFunc(places, func(place string) bool {
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(place)))
				return err == nil
			}), "%s/doc.go lists %s", dir, name)
		}
	}
}

// parse returns the package's files, without tests.
func parse(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	parsed := map[string]*ast.File{}
	for _, file := range files(t, ".go") {
		if path.Dir(file) != dir || strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		parsed[path.Base(file)] = syntax
	}
	return parsed
}

func declarations(name string, file *ast.File) (all []declaration) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			all = append(all, declaration{name, receiverOf(d), d.Name.Name})
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					all = append(all, declaration{name, "", spec.Name.Name})
				case *ast.ValueSpec:
					for _, ident := range spec.Names {
						all = append(all, declaration{name, "", ident.Name})
					}
				}
			}
		}
	}
	return all
}

// receiverOf returns the type of a method, and an empty string for a function.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, isPointer := typ.(*ast.StarExpr); isPointer {
		typ = star.X
	}
	if index, isGeneric := typ.(*ast.IndexExpr); isGeneric {
		typ = index.X
	}
	return typ.(*ast.Ident).Name
}
