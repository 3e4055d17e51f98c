package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// pointPath is the package that instrumented code calls, and alias its name
// there.
const (
	pointPath = "github.com/filterfam/filterfam/internal/lint/mutation/point"
	alias     = "mutationpoint"
)

// A mutant is one change of one operator.
type mutant struct {
	id        int
	file      string // base name
	line, col int    // of the operator
	operator  string // ARITHMETIC_BASE and so on
	from, to  string // tokens
	source    string // the line of code, without its indentation
	nth       int    // among the equal operators on equal lines of the file, from 1
	verdict   verdict
	why       string // why it is accepted, if it lived
}

// A verdict says what became of a mutant.
type verdict int

const (
	notCovered verdict = iota
	notViable          // does not compile
	killed
	timedOut // a test ran several times as long as it should
	lived
	accepted // lived, and is listed with a reason
	notAsked // on a line that has not changed
)

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d %s (%s for %s)  %s", m.file, m.line, m.col, m.operator, m.to, m.from, m.source)
}

// A site is an operator and the edits that make it a call of package point.
type site struct {
	node       ast.Node
	edits      []edit
	mutants    []*mutant
	begin, end int // in the instrumented text
	dead       bool
}

// An edit replaces the cut bytes at an offset by text.
type edit struct {
	at, cut int
	text    string
	site    *site
	opens   bool
}

const (
	arithmetic = "ARITHMETIC_BASE"
	boundary   = "CONDITIONALS_BOUNDARY"
	negation   = "CONDITIONALS_NEGATION"
	increment  = "INCREMENT_DECREMENT"
	negative   = "INVERT_NEGATIVES"
)

// rules lists the function of package point for an operator, and what its
// mutants put in the operator's place.
var rules = map[token.Token]struct {
	function string
	changes  [][2]string // name of the operator class, token
}{
	token.ADD: {"Add", [][2]string{{arithmetic, "-"}}},
	token.SUB: {"Sub", [][2]string{{arithmetic, "+"}}},
	token.MUL: {"Mul", [][2]string{{arithmetic, "/"}}},
	token.QUO: {"Quo", [][2]string{{arithmetic, "*"}}},
	token.REM: {"Rem", [][2]string{{arithmetic, "*"}}},
	token.LSS: {"Less", [][2]string{{boundary, "<="}, {negation, ">="}}},
	token.LEQ: {"LessEqual", [][2]string{{boundary, "<"}, {negation, ">"}}},
	token.GTR: {"Greater", [][2]string{{boundary, ">="}, {negation, "<="}}},
	token.GEQ: {"GreaterEqual", [][2]string{{boundary, ">"}, {negation, "<"}}},
	token.EQL: {"Not", [][2]string{{negation, "!="}}},
	token.NEQ: {"Not", [][2]string{{negation, "=="}}},
	token.INC: {"One", [][2]string{{increment, "--"}}},
	token.DEC: {"One", [][2]string{{increment, "++"}}},
}

// A source is a file of the package under test.
type source struct {
	path  string
	text  []byte
	file  *ast.File
	sites []*site
}

// find lists the sites of all files and numbers their mutants.
func (p *pkg) find() {
	for _, s := range p.sources {
		lines := strings.Split(string(s.text), "\n")
		ast.Inspect(s.file, func(n ast.Node) bool {
			op, at := operator(n)
			if at == token.NoPos {
				return true
			}
			p.passDown(n)
			if made := p.site(s, n, op, at); made != nil {
				p.number(made, p.set.Position(at), lines)
				s.sites = append(s.sites, made)
			}
			return true
		})
	}
}

// passDown gives the type of a constant expression to its operands: package
// types records them as untyped.
func (p *pkg) passDown(n ast.Node) {
	whole, ok := n.(*ast.BinaryExpr)
	if !ok || p.info.Types[whole].Value == nil || rules[whole.Op].changes == nil || typed(whole) != whole {
		return
	}
	for _, operand := range []ast.Expr{whole.X, whole.Y} {
		operand = ast.Unparen(operand)
		if tv := p.info.Types[operand]; isUntyped(tv.Type) {
			tv.Type = p.info.Types[whole].Type
			p.info.Types[operand] = tv
		}
	}
}

func isUntyped(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsUntyped != 0
}

// operator returns the operator of a node and its position, or no position if
// the node has none.
func operator(n ast.Node) (token.Token, token.Pos) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op, n.OpPos
	case *ast.UnaryExpr:
		return n.Op, n.OpPos
	case *ast.IncDecStmt:
		return n.Tok, n.TokPos
	}
	return 0, token.NoPos
}

// site returns the edits for a node, or nil if its operator has no mutants.
func (p *pkg) site(s *source, n ast.Node, op token.Token, at token.Pos) *site {
	made, rule := &site{node: n}, rules[op]
	begin, end, operator := p.offset(n.Pos()), p.offset(n.End()), p.offset(at)
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if op != token.SUB {
			return nil
		}
		rule.changes = [][2]string{{negative, "+"}}
		made.edit(operator, 1, p.call(s, "Neg", n))
		made.edit(end, 0, ")")
	case *ast.IncDecStmt:
		made.edit(operator, 2, " "+op.String()[:1]+"= "+p.call(s, "One", n.X)+")")
	case *ast.BinaryExpr:
		made.edit(begin, 0, p.call(s, rule.function, typed(n)))
		if rule.function != "Not" {
			made.edit(operator, len(op.String()), ",")
		}
		made.edit(end, 0, ")")
	}
	for _, c := range rule.changes {
		made.mutants = append(made.mutants, &mutant{operator: c[0], from: op.String(), to: c[1]})
	}
	if made.mutants == nil {
		return nil
	}
	return made
}

// edit adds an edit; the first one opens the site.
func (s *site) edit(at, cut int, text string) {
	s.edits = append(s.edits, edit{at, cut, text, s, len(s.edits) == 0})
}

func (p *pkg) offset(pos token.Pos) int { return p.set.Position(pos).Offset }

// typed returns the expression whose type is the type argument: an operand of
// a comparison, or else the whole.
func typed(n *ast.BinaryExpr) ast.Expr {
	switch n.Op {
	case token.EQL, token.NEQ:
		return nil
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return n.X
	}
	return n
}

// call returns the beginning of a call with a placeholder for the number of
// the first mutant. The type is given where it has a name: an untyped constant
// would otherwise be an int.
func (p *pkg) call(s *source, function string, of ast.Expr) string {
	argument := ""
	if of != nil {
		if t := p.info.Types[of].Type; t != nil {
			argument = typeName(s, p.types, t)
		}
	}
	first := "(#, "
	if function == "One" {
		first = "(#"
	}
	return alias + "." + function + argument + first
}

// typeName returns a type in brackets as the file writes it, or nothing if it
// cannot.
func typeName(s *source, own *types.Package, t types.Type) string {
	foreign := false
	name := types.TypeString(t, func(other *types.Package) string {
		if other == own {
			return ""
		}
		for _, spec := range s.file.Imports {
			if spec.Path.Value == `"`+other.Path()+`"` && spec.Name == nil {
				return other.Name()
			}
		}
		foreign = true
		return other.Name()
	})
	if foreign || isUntyped(t) {
		return ""
	}
	return "[" + name + "]"
}

// number gives the mutants of a site their numbers and places.
func (p *pkg) number(s *site, at token.Position, lines []string) {
	for _, m := range s.mutants {
		m.id = len(p.mutants)
		m.file, m.line, m.col = filepath.Base(at.Filename), at.Line, at.Column
		m.source = strings.TrimSpace(lines[at.Line-1])
		key := m.file + "\n" + m.operator + "\n" + m.source
		p.equal[key]++
		m.nth = p.equal[key]
		p.mutants = append(p.mutants, m)
	}
	for i := range s.edits {
		s.edits[i].text = strings.ReplaceAll(s.edits[i].text, "#", fmt.Sprint(s.mutants[0].id))
	}
}

// rewritten returns the text of a file with calls in place of the operators of
// all viable sites. Line numbers stay as they are.
func (p *pkg) rewritten(s *source) []byte {
	var edits []edit
	for _, site := range s.sites {
		if !site.dead {
			edits = append(edits, site.edits...)
		}
	}
	if len(edits) == 0 {
		return s.text
	}
	edits = append(edits, edit{at: p.offset(s.file.Name.End()), text: "; import " + alias + ` "` + pointPath + `"`, site: &site{}})
	// At one offset, insertions come first, those of outer sites before those
	// of inner ones, as they were found.
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.cut, b.cut))
	})
	return apply(s.text, edits)
}

// apply makes sorted edits, and notes where their sites begin and end.
func apply(text []byte, edits []edit) (out []byte) {
	done := 0
	for _, e := range edits {
		out = append(out, text[done:e.at]...)
		if e.opens {
			e.site.begin = len(out)
		}
		out = append(out, e.text...)
		done = e.at + e.cut
		e.site.end = len(out)
	}
	return append(out, text[done:]...)
}
