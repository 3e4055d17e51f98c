package lint

import (
	"cmp"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// public lists the packages whose exported names all need a use.
var public = []string{
	"bloom", "bloom/static", "counting", "cuckoo", "countmin", "hashfam", "hashfam/perfect", "hashfam/sharded",
	"bloom/pebblefilter", "hashfam/filterbeam", "hashfam/filterbeam/parts",
}

// programs lists the folders of programs that use the library, which are not
// written for its names.
var programs = []string{"hashfam/cmd/", "hashfam/filterbeam/", "bloom/pebblefilter/", "internal/compare/", "internal/advice/", "hashfam/journal/"}

const whatCounts = `%s has no use. A use is a program (hashfam/cmd, hashfam/filterbeam, bloom/pebblefilter, internal/compare, internal/advice, hashfam/journal),
an Example, or a section of a document (*.md) that contains the name and its package's or type's name in code.
A form (String, Digest, All) of a used name, a method of a standard interface, a name that structures have in
common, and a type in the declaration of a used name are used, too. Otherwise remove the name. An Example should be a step of a real program.`

// Every exported name is needed by a known use, since a released name stays.
func TestEveryNameHasAUse(t *testing.T) {
	defer func(enabled bool) { build.Default.CgoEnabled = enabled }(build.Default.CgoEnabled)
	build.Default.CgoEnabled = false // the packages net and os/user are then pure Go
	u := typed()
	for _, dir := range public {
		u.declare(t, dir)
	}
	for _, dir := range u.dirs(t) {
		u.countPrograms(dir)
		u.countExamples(dir)
	}
	u.countDocuments(t)
	u.countDeclarations()
	for _, n := range u.names {
		assert.True(t, u.isUsed(n), whatCounts, n)
	}
	require.Greater(t, len(u.names), 500)
}

// A name is an exported name of a package, or of a type.
type name struct{ dir, typ, id string }

func (n name) String() string { return strings.ReplaceAll(n.dir+"."+n.typ+"."+n.id, "..", ".") }

// uses collects the names that the library declares, and those that are used.
// It type-checks from source. Packages of other modules may be missing, so they
// are treated as empty, and what they declare has no type.
type uses struct {
	set      *token.FileSet
	standard types.Importer
	parsed   map[string]*ast.File
	packages map[string]*types.Package
	infos    map[string]*types.Info

	names   []name
	objects map[name]types.Object
	places  map[token.Pos][]name // where names are declared
	used    map[name]bool
}

// typed returns a value that all tests share, because creating it also
// type-checks the standard library.
var typed = sync.OnceValue(newUses)

func newUses() *uses {
	debug.SetGCPercent(400) // little of what follows becomes garbage
	u := &uses{
		set: token.NewFileSet(), parsed: map[string]*ast.File{}, packages: map[string]*types.Package{}, infos: map[string]*types.Info{},
		objects: map[name]types.Object{}, places: map[token.Pos][]name{}, used: map[name]bool{},
	}
	u.standard = importer.ForCompiler(u.set, "source", nil)
	return u
}

// Import returns a package without its tests.
func (u *uses) Import(path string) (*types.Package, error) {
	if p := u.packages[path]; p != nil {
		return p, nil
	}
	dir, ours := strings.CutPrefix(path, module+"/")
	if !ours && !strings.Contains(strings.Split(path, "/")[0], ".") {
		return u.standard.Import(path)
	}
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	if ours {
		u.infos[path] = newInfo()
		p = u.check(path, dir, u.folder(dir).GoFiles, u.infos[path])
	}
	u.packages[path] = p
	return p, nil
}

func newInfo() *types.Info {
	return &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
}

// folder lists the files of a folder that are built on amd64.
func (u *uses) folder(dir string) *build.Package {
	platform := build.Default
	platform.GOOS, platform.GOARCH = "linux", "amd64"
	p, err := platform.ImportDir(filepath.Join(root, dir), 0)
	if err != nil {
		return &build.Package{} // only tests of another platform
	}
	return p
}

// check type-checks files as far as their imports are there.
func (u *uses) check(path, dir string, files []string, info *types.Info) *types.Package {
	var parsed []*ast.File
	for _, name := range files {
		parsed = append(parsed, u.parse(filepath.Join(root, dir, name)))
	}
	c := types.Config{Importer: u, Error: func(error) {}}
	p, _ := c.Check(path, u.set, parsed, info)
	return p
}

// parse parses a file once, so that its declarations keep their places.
func (u *uses) parse(file string) *ast.File {
	f := u.parsed[file]
	if f == nil {
		f, _ = parser.ParseFile(u.set, file, nil, parser.SkipObjectResolution)
		u.parsed[file] = f
	}
	return f
}

// declare adds the names of a package.
func (u *uses) declare(t *testing.T, dir string) {
	p, err := u.Import(module + "/" + dir)
	require.NoError(t, err)
	for _, id := range p.Scope().Names() {
		o := p.Scope().Lookup(id)
		u.add(name{dir, "", id}, o)
		named, isNamed := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !isNamed || !o.Exported() {
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(named))
		for i := range methods.Len() {
			m := methods.At(i).Obj()
			u.add(name{dir, id, m.Name()}, m)
		}
		if fields, isStruct := named.Underlying().(*types.Struct); isStruct {
			for i := range fields.NumFields() {
				u.add(name{dir, id, fields.Field(i).Name()}, fields.Field(i))
			}
		}
	}
}

func (u *uses) add(n name, o types.Object) {
	if o.Exported() {
		u.names = append(u.names, n)
		u.objects[n] = o
		u.places[o.Pos()] = append(u.places[o.Pos()], n)
	}
}

// dirs returns all folders with Go files.
func (u *uses) dirs(t *testing.T) (dirs []string) {
	for _, file := range files(t, ".go") {
		dirs = append(dirs, path.Dir(file))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// countPrograms counts the uses in dir if it belongs to a program.
func (u *uses) countPrograms(dir string) {
	if slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(dir+"/", p) }) {
		p := module + "/" + dir
		pkg, _ := u.Import(p)
		u.count(u.infos[p], dir, func(token.Pos) bool { return true })
		for _, id := range pkg.Scope().Names() {
			u.countInterface(pkg.Scope().Lookup(id))
		}
	}
}

// countInterface counts the methods of an interface that a program declares,
// since it calls them on structures that it does not know.
func (u *uses) countInterface(o types.Object) {
	i, isInterface := o.Type().Underlying().(*types.Interface)
	if _, isType := o.(*types.TypeName); !isType || !isInterface || i.NumMethods() == 0 {
		return
	}
	for _, n := range u.names {
		if n.typ == "" && types.Implements(types.NewPointer(u.objects[n].Type()), i) {
			for j := range i.NumMethods() {
				u.used[name{n.dir, n.id, i.Method(j).Name()}] = true
			}
		}
	}
}

// countExamples counts the uses in the Examples of dir, and in functions that
// files of Examples contain for them.
func (u *uses) countExamples(dir string) {
	f := u.folder(dir)
	for _, files := range [][]string{slices.Concat(f.GoFiles, f.TestGoFiles), f.XTestGoFiles} {
		var examples []ast.Node
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				examples = append(examples, u.examples(filepath.Join(root, dir, file))...)
			}
		}
		if examples == nil {
			continue
		}
		info := newInfo()
		u.check(module+"/"+dir+"_test", dir, files, info)
		u.count(info, "", func(at token.Pos) bool {
			return slices.ContainsFunc(examples, func(e ast.Node) bool { return e.Pos() <= at && at < e.End() })
		})
	}
}

var test = regexp.MustCompile(`^(Test|Benchmark|Fuzz)`)

func (u *uses) examples(file string) (found []ast.Node) {
	all := strings.HasPrefix(filepath.Base(file), "example")
	for _, d := range u.parse(file).Decls {
		f, isFunc := d.(*ast.FuncDecl)
		if isFunc && (strings.HasPrefix(f.Name.Name, "Example") || all && !test.MatchString(f.Name.Name)) {
			found = append(found, d)
		}
	}
	return found
}

// count counts the uses of names from other packages than own that are in the
// given places.
func (u *uses) count(info *types.Info, own string, within func(token.Pos) bool) {
	selected := map[*ast.Ident]bool{}
	for s, selection := range info.Selections {
		if n, ours := nameOf(selection); ours {
			selected[s.Sel] = true
			u.used[n] = u.used[n] || n.dir != own && within(s.Pos())
		}
	}
	for id, o := range info.Uses {
		if !selected[id] && within(id.Pos()) {
			for _, n := range u.places[o.Pos()] {
				u.used[n] = u.used[n] || n.dir != own
			}
		}
	}
}

// nameOf returns the name of a method or field, and reports whether its type is
// one of the module. A promoted method belongs to the type that it is called
// on.
func nameOf(s *types.Selection) (name, bool) {
	typ := s.Recv()
	if p, isPointer := typ.(*types.Pointer); isPointer {
		typ = p.Elem()
	}
	named, isNamed := types.Unalias(typ).(*types.Named)
	if !isNamed || named.Obj().Pkg() == nil {
		return name{}, false
	}
	dir, ours := strings.CutPrefix(strings.TrimSuffix(named.Obj().Pkg().Path(), "_test"), module+"/")
	return name{dir, named.Obj().Name(), s.Obj().Name()}, ours && slices.Contains(public, dir)
}

var (
	heading = regexp.MustCompile(`(?m)^#+ `)
	code    = regexp.MustCompile("(?s)```.*?```|`[^`]+`")
	word    = regexp.MustCompile(`\w+`)
)

// countDocuments counts a name that a section of a document contains in code,
// if the section also contains the package's name or, for the further types of
// a package, the type's name.
func (u *uses) countDocuments(t *testing.T) {
	for _, document := range files(t, ".md") {
		for _, section := range heading.Split(read(t, document), -1) {
			words := map[string]bool{}
			for _, text := range code.FindAllString(section, -1) {
				for _, w := range word.FindAllString(text, -1) {
					words[w] = true
				}
			}
			for _, n := range u.names {
				about := path.Base(n.dir)
				if n.typ != "" && !slices.Contains([]string{"Filter", "Sketch", "Function", "Config", "Params"}, n.typ) {
					about = n.typ
				}
				u.used[n] = u.used[n] || words[n.id] && words[about]
			}
		}
	}
}

// declared matches a type of the module in a declaration.
var declared = regexp.MustCompile(regexp.QuoteMeta(module) + `/([\w/]+)\.(\w+)`)

// countDeclarations counts the types in the declarations of used names.
func (u *uses) countDeclarations() {
	for _, n := range u.names {
		if !u.isUsed(n) {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(types.TypeString(u.objects[n].Type(), nil), -1) {
			u.used[name{m[1], "", m[2]}] = true
		}
	}
}

// standard lists the methods of standard interfaces, and of the one of Pebble
// that package pebblefilter implements.
var standard = []string{
	"String", "Format", "LogValue", "Error", "Unwrap", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary",
	"AppendBinary", "WriteTo", "ReadFrom", "GobEncode", "Name", "MayContain", "NewWriter",
}

// common lists the names that structures have in common, so that a program can
// replace one by another. A use of one is a use of all.
var common = []string{
	"Clone", "Equal", "Reset", "Params", "Config", "Family", "SizeBytes", "FillRatio", "FalsePositiveRate", "EstimatedLen", "Len", "Verify",
	"ReadParams", "RateAt", "CapacityAt",
}

// isUsed reports whether n or another form of it is used, or a standard
// interface contains it.
func (u *uses) isUsed(n name) bool {
	if n.typ != "" && slices.Contains(standard, n.id) {
		return true
	}
	shared := slices.Contains(common, n.id)
	return slices.ContainsFunc(u.names, func(m name) bool {
		same := m.dir == n.dir && m.typ == n.typ || shared && (m.typ == "") == (n.typ == "")
		return same && u.used[m] && formOf(m.id) == formOf(n.id)
	})
}

// formOf returns the name without what the forms of a query add.
func formOf(id string) string {
	short := strings.TrimSuffix(strings.TrimSuffix(id, "Strings"), "String")
	short = strings.TrimSuffix(strings.TrimSuffix(short, "Digest"), "All")
	return cmp.Or(short, id)
}
