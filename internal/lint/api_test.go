package lint

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the list of exported names")

const apiList = "internal/lint/testdata/api.txt"

// The list contains all exported names of packages that users can import, with
// their signatures. Promoted methods and nested modules are included. Since a
// released name must stay in version 1, changes need to be reviewed. -update
// writes the list.
func TestExportedNamesMatchTheList(t *testing.T) {
	var dirs, names []string
	for _, file := range files(t, ".go") {
		dirs = append(dirs, path.Dir(file))
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		names = append(names, exported(t, dir)...)
	}
	slices.Sort(names)
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join(root, apiList), []byte(strings.Join(names, "\n")+"\n"), 0o644))
	}
	listed := strings.Split(strings.TrimSpace(read(t, apiList)), "\n")
	isIn := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	const meant = "if you mean it: go test ./internal/lint -run ExportedNames -update"
	require.Empty(t, slices.DeleteFunc(slices.Clone(listed), isIn(names)), "names that are gone or changed; %s", meant)
	require.Empty(t, slices.DeleteFunc(names, isIn(listed)), "names that are new; %s", meant)
}

// exported returns a line for each exported name in dir, if users can import
// it.
func exported(t *testing.T, dir string) (lines []string) {
	platform := build.Default
	platform.GOOS, platform.GOARCH = "linux", "amd64"
	pkg, err := platform.ImportDir(filepath.Join(root, dir), 0)
	if err != nil || pkg.Name == "main" || strings.Contains("/"+dir+"/", "/internal/") {
		return nil // only tests, a command, or internal
	}
	set, parsed := token.NewFileSet(), []*ast.File(nil)
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(root, dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		parsed = append(parsed, file)
	}
	// Methods that are promoted through several types need all declarations.
	p, err := doc.NewFromFiles(set, parsed, dir, doc.AllDecls)
	require.NoError(t, err)

	add := func(name, text string, node any) {
		var b bytes.Buffer
		require.NoError(t, printer.Fprint(&b, set, node))
		if token.IsExported(name) {
			lines = append(lines, strings.Join(strings.Fields(dir+": "+text+b.String()), " "))
		}
	}
	values, funcs := slices.Concat(p.Consts, p.Vars), p.Funcs
	for _, typ := range p.Types {
		values, funcs = slices.Concat(values, typ.Consts, typ.Vars), slices.Concat(funcs, typ.Funcs)
		if !token.IsExported(typ.Name) {
			continue
		}
		funcs = slices.Concat(funcs, typ.Methods)
		spec := *typ.Decl.Specs[0].(*ast.TypeSpec)
		if s, isStruct := spec.Type.(*ast.StructType); isStruct {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					add(name.Name, "type "+typ.Name+" struct, "+name.Name+" ", field.Type)
				}
			}
			spec.Type = ast.NewIdent("struct")
		}
		spec.Doc, spec.Comment = nil, nil
		add(typ.Name, "type ", &spec)
	}
	for _, f := range funcs {
		add(f.Name, "", &ast.FuncDecl{Recv: f.Decl.Recv, Name: f.Decl.Name, Type: f.Decl.Type})
	}
	for _, v := range values {
		for _, name := range v.Names {
			add(name, v.Decl.Tok.String()+" ", ast.NewIdent(name))
		}
	}
	return lines
}
