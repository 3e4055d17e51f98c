package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/filterfam/filterfam/internal/lint/mutation/point"
)

// A pkg is the package under test.
type pkg struct {
	path, dir string
	name      string // path within the module
	set       *token.FileSet
	sources   []*source
	types     *types.Package
	info      *types.Info
	importer  types.Importer
	mutants   []*mutant
	equal     map[string]int // equal lines with equal operators
	temp      string         // folder of what is compiled
	tests     string         // the test binary
}

// load parses and checks a package without its tests and numbers its mutants.
// Files whose base names match skip have none.
func load(ctx context.Context, pattern, tags string, skip *regexp.Regexp) (*pkg, error) {
	listed, err := list(ctx, tags, "-json=Dir,ImportPath,GoFiles,Module", pattern)
	if err != nil {
		return nil, err
	}
	var of struct {
		Dir, ImportPath string
		GoFiles         []string
		Module          struct{ Path string }
	}
	if err := json.Unmarshal(listed, &of); err != nil {
		return nil, fmt.Errorf("%s: want one package: %w", pattern, err)
	}
	p := &pkg{path: of.ImportPath, dir: of.Dir, set: token.NewFileSet(), equal: map[string]int{}}
	p.name = strings.TrimPrefix(strings.TrimPrefix(p.path, of.Module.Path), "/")
	for _, name := range of.GoFiles {
		if err := p.parse(filepath.Join(of.Dir, name)); err != nil {
			return nil, err
		}
	}
	if p.importer, err = exports(ctx, p.set, tags, pattern); err != nil {
		return nil, err
	}
	if err := p.check(skip); err != nil {
		return nil, err
	}
	return p, nil
}

// list runs go list.
func list(ctx context.Context, tags string, args ...string) ([]byte, error) {
	return run(exec.CommandContext(ctx, "go", append([]string{"list", "-tags", tags}, args...)...))
}

// run runs a command and returns what it prints. Its errors are in the error.
func run(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, exit.Stderr)
	}
	return out, err
}

func (p *pkg) parse(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(p.set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err == nil {
		p.sources = append(p.sources, &source{path: path, text: text, file: file})
	}
	return err
}

// exports returns an importer of the packages that a package depends on.
func exports(ctx context.Context, set *token.FileSet, tags, pattern string) (types.Importer, error) {
	out, err := list(ctx, tags, "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", pattern, pointPath)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), nil
}

// typecheck checks files and returns all errors.
func (p *pkg) typecheck(set *token.FileSet, files []*ast.File, info *types.Info) (*types.Package, []types.Error) {
	var errs []types.Error
	config := types.Config{
		Importer: p.importer,
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if e := (types.Error{}); errors.As(err, &e) {
				errs = append(errs, e)
			}
		},
	}
	checked, _ := config.Check(p.path, set, files, info)
	return checked, errs
}

// check finds the sites and drops those that do not compile.
func (p *pkg) check(skip *regexp.Regexp) error {
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var files []*ast.File
	for _, s := range p.sources {
		files = append(files, s.file)
	}
	var errs []types.Error
	if p.types, errs = p.typecheck(p.set, files, p.info); len(errs) > 0 {
		return errs[0]
	}
	var kept []*source
	for _, s := range p.sources {
		if !ast.IsGenerated(s.file) && !skip.MatchString(filepath.Base(s.path)) {
			kept = append(kept, s)
		}
	}
	all := p.sources
	p.sources = kept
	p.find()
	p.sources = all
	if len(p.mutants) > point.Size {
		return fmt.Errorf("%s: %d mutants, want at most %d", p.path, len(p.mutants), point.Size)
	}
	p.dropConstants()
	p.dropInexact()
	return p.dropErrors()
}

// dropConstants drops what declares constants and lengths of arrays.
func (p *pkg) dropConstants() {
	for _, s := range p.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				if n.Tok == token.CONST {
					s.dropWithin(n)
				}
			case *ast.ArrayType:
				if n.Len != nil {
					s.dropWithin(n.Len)
				}
			}
			return true
		})
	}
}

// dropWithin drops the sites within a node.
func (s *source) dropWithin(n ast.Node) {
	for _, site := range s.sites {
		if n.Pos() <= site.node.Pos() && site.node.End() <= n.End() {
			site.drop()
		}
	}
}

// dropInexact drops divisions of integer constants whose quotient becomes a
// float: a call would not round it.
func (p *pkg) dropInexact() {
	for _, s := range p.sources {
		for _, site := range s.sites {
			n, ok := site.node.(*ast.BinaryExpr)
			if !ok || n.Op != token.QUO {
				continue
			}
			tv := p.info.Types[n]
			basic, ok := tv.Type.Underlying().(*types.Basic)
			if ok && tv.Value != nil && tv.Value.Kind() == constant.Int && basic.Info()&types.IsFloat != 0 {
				site.drop()
			}
		}
	}
}

// drop leaves the operator in its original form.
func (s *site) drop() {
	s.dead = true
	for _, m := range s.mutants {
		m.verdict = notViable
	}
}

// dropErrors drops the innermost site around every error of the instrumented
// package, until there is none. These are operators on strings, on types
// without a name, and on constants that must stay constant.
func (p *pkg) dropErrors() error {
	for {
		set := token.NewFileSet()
		var files []*ast.File
		byName := map[string]*source{}
		for _, s := range p.sources {
			file, err := parser.ParseFile(set, s.path, p.rewritten(s), parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files, byName[s.path] = append(files, file), s
		}
		_, errs := p.typecheck(set, files, nil)
		if len(errs) == 0 {
			return nil
		}
		dropped := 0
		for _, e := range errs {
			at := set.Position(e.Pos)
			dropped += byName[at.Filename].dropAt(at.Offset, at.Line)
		}
		if dropped == 0 {
			return fmt.Errorf("instrumented: %w", errs[0])
		}
	}
}

// dropAt drops the innermost site at an offset of the instrumented text, or all
// sites of the line if there is none. It returns how many it dropped.
func (s *source) dropAt(offset, line int) (n int) {
	var inner *site
	for _, site := range s.sites {
		if !site.dead && site.begin <= offset && offset < site.end && (inner == nil || site.begin >= inner.begin) {
			inner = site
		}
	}
	for _, site := range s.sites {
		if site == inner || inner == nil && !site.dead && site.mutants[0].line == line {
			site.drop()
			n++
		}
	}
	return n
}

// overlay writes the instrumented files to dir, and the file that makes the go
// command compile them. It returns the latter's path.
func (p *pkg) overlay(dir string) (string, error) {
	replace := map[string]string{}
	for _, s := range p.sources {
		to := filepath.Join(dir, filepath.Base(s.path))
		if err := os.WriteFile(to, p.rewritten(s), 0o600); err != nil {
			return "", err
		}
		replace[s.path] = to
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, encoded, 0o600)
}

// compile compiles the package's tests against the instrumented package. The
// test binary is at p.tests; there is none without test files.
func (p *pkg) compile(ctx context.Context, tags, pattern string) (err error) {
	if p.temp, err = os.MkdirTemp("", "mutation"); err != nil {
		return err
	}
	overlay, err := p.overlay(p.temp)
	if err != nil {
		return err
	}
	p.tests = filepath.Join(p.temp, "tests")
	_, err = run(exec.CommandContext(ctx, "go", "test", "-c", "-tags", tags, "-overlay", overlay, "-o", p.tests, pattern))
	if _, missing := os.Stat(p.tests); missing != nil {
		p.tests = ""
	}
	return err
}
