package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
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
// no rule. first contains the types in the algorithm's file: the package's
// first type and its parts.
func (l floorPlan) home(d declaration, first []string) string {
	switch {
	case d.name == "errs", d.receiver == "" && strings.HasPrefix(d.name, "Err"):
		return "errors.go"
	case token.IsExported(d.name) && slices.Contains([]string{"Config", "Params", "Layout"}, d.receiver),
		d.receiver == "" && slices.Contains([]string{"Config", "Params", "Layout"}, d.name):
		return "config.go"
	case d.receiver == "" && furtherConfig.MatchString(d.name):
		return wordOf(d.name) + "config.go"
	case furtherConfig.MatchString(d.receiver) && d.name != "build": // which is where X is built
		return wordOf(d.receiver) + "config.go"
	case slices.Contains([]string{"New", "NewFromParams", "NewFromSorted", "NewReceiver"}, d.name) && d.receiver == "":
		return l.whole
	case d.name == "Verify", d.name == "FrameReader", d.receiver == "FrameReader",
		d.receiver == "" && strings.HasPrefix(d.name, "New") && strings.HasSuffix(d.name, "View"):
		return "view.go"
	case d.name == "ReadParams":
		return "codec.go"
	case slices.Contains([]string{"AppendBinary", "MarshalBinary", "WriteTo", "UnmarshalBinary", "ReadFrom", "UnmarshalText"}, d.name):
		return l.fileOf(d.receiver, first, "codec.go")
	case slices.Contains([]string{"Merge", "Intersect", "InnerProduct"}, d.name):
		return l.fileOf(d.receiver, first, "merge.go")
	case slices.Contains([]string{"FillRatio", "FalsePositiveRate", "EstimatedLen", "ErrorBound", "ErrorQuantile", "Stuck"}, d.name):
		return l.fileOf(d.receiver, first, "stats.go")
	case batchName.MatchString(d.name):
		return l.fileOf(d.receiver, first, "batch.go")
	}
	return ""
}

// furtherConfig matches XConfig for another type X.
var furtherConfig = regexp.MustCompile(`^[A-Z]\w*Config$`)

// batchName matches the names of methods for many digests.
var batchName = regexp.MustCompile(`^[A-Z]\w*All$`)

// fileOf returns the file for methods of a type. For the package's first type,
// this is the file called name. For another type X, whose first word is x, it
// is xcodec.go for an encoding and x.go for all else.
func (l floorPlan) fileOf(typ string, first []string, name string) string {
	x := wordOf(typ)
	switch {
	case slices.Contains(first, typ):
		return name
	case name == "codec.go":
		return x + name
	}
	return x + ".go"
}

var firstWord = regexp.MustCompile(`^.[a-z]*`)

// wordOf returns the first word of a name, in small letters.
func wordOf(name string) string { return strings.ToLower(firstWord.FindString(name)) }

// typesIn returns the types that a file declares.
func typesIn(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		if types, ok := d.(*ast.GenDecl); ok && types.Tok == token.TYPE {
			for _, spec := range types.Specs {
				names = append(names, spec.(*ast.TypeSpec).Name.Name)
			}
		}
	}
	return names
}

func TestDeclarationsAreInTheFilesForThem(t *testing.T) {
	for dir, l := range floorPlans {
		parsed := parse(t, dir)
		found := map[string]bool{}
		require.Contains(t, parsed, l.algorithm, dir)
		first := typesIn(parsed[l.algorithm])
		for name, file := range parsed {
			for _, d := range declarations(name, file) {
				if want := l.home(d, first); want != "" {
					found[want] = true
					assert.Equal(t, want, d.file, "%s: the file of %s %s", dir, d.receiver, d.name)
				}
			}
		}
		for _, name := range []string{"errors.go", "config.go", l.whole, "codec.go"} {
			assert.True(t, found[name], "%s: %s has none of its declarations", dir, name)
		}
		require.Contains(t, parsed, "doc.go", dir)
		assert.Empty(t, declarations("doc.go", parsed["doc.go"]), "%s/doc.go contains only the package comment", dir)
		for name, file := range parsed {
			assert.Equal(t, name == "doc.go", file.Doc != nil && file.Doc.Text() != "", "%s/%s: a package comment", dir, name)
		}
	}
}

// A reader should find a package's comment in doc.go, in the file with the
// package's name or, for a command, in main.go.
func TestPackageCommentsAreInTheFilesForThem(t *testing.T) {
	commented := map[string][]string{} // by folder
	for _, file := range files(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		dir := path.Dir(file)
		if commented[dir] == nil {
			commented[dir] = []string{}
		}
		if syntax.Doc.Text() != "" {
			commented[dir] = append(commented[dir], path.Base(file))
			assert.Contains(t, []string{"doc.go", syntax.Name.Name + ".go"}, path.Base(file), "%s: the file with a package comment", dir)
		}
	}
	for dir, names := range commented {
		assert.Len(t, names, 1, "%s: files with a package comment", dir)
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
			assert.True(t, ours || imported == "math" || imported == "math/bits", "%s/%s imports %s", dir, l.algorithm, imported)
		}
	}
}

const sourceStart = "To read the code, start with "

// Where the comment of an internal package says how to read the code, it lists
// all files of the package, and no file that does not exist.
func TestPackageCommentsListTheFiles(t *testing.T) {
	listings := 0
	for _, file := range files(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		_, listing, found := strings.Cut(syntax.Doc.Text(), sourceStart)
		if !found {
			continue
		}
		listings++
		dir := path.Dir(file)
		assert.Contains(t, dir, "internal/", "a user of %s does not need its files: docs/contributing.md lists them", dir)
		assertListed(t, dir, listing)
	}
	require.GreaterOrEqual(t, listings, 4)
}

// fileName matches the name of a file, or a pattern of names.
var fileName = regexp.MustCompile(`[\w/*]+\.(?:go|s)\b`)

// assertListed asserts that a listing names every file of a package, and no
// file that does not exist. A pattern such as sip_*.go names several files.
func assertListed(t *testing.T, dir, listing string) {
	t.Helper()
	var found []string
	for _, pattern := range fileName.FindAllString(listing, -1) {
		matches, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), pattern))
		require.NoError(t, err)
		assert.NotEmpty(t, matches, "%s: the package comment lists %s", dir, pattern)
		found = append(found, matches...)
	}
	for _, file := range append(files(t, ".go"), files(t, ".s")...) {
		name := path.Base(file)
		if path.Dir(file) == dir && !strings.HasSuffix(name, "_test.go") && name != "doc.go" {
			assert.Contains(t, found, filepath.Join(root, filepath.FromSlash(file)), "the package comment does not list a file")
		}
	}
}

// row matches a row about a package in a table.
var row = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| (.*) \\|$")

func TestFilesForContributorsExist(t *testing.T) {
	named := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/contributing.md"), -1) {
		named[m[1]] = true
		names := fileName.FindAllString(m[2], -1)
		require.NotEmpty(t, names, m[1])
		for _, name := range names {
			assert.FileExists(t, filepath.Join(root, m[1], name), "docs/contributing.md")
		}
	}
	require.GreaterOrEqual(t, len(named), 6)
}

// positions contains the positions in all files that parse has returned.
var positions = token.NewFileSet()

// parse returns the package's files, without tests.
func parse(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	parsed := map[string]*ast.File{}
	for _, file := range files(t, ".go") {
		if path.Dir(file) != dir || strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(positions, filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
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
