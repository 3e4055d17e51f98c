package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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
			if new := p.site(s, n, op, at); new != nil {
				p.number(new, p.set.Position(at), lines)
				s.sites = append(s.sites, new)
			}
			return true
		})
	}
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

// site returns the edits for a node, or nil if none of its mutants is asked
// for.
func (p *pkg) site(s *source, n ast.Node, op token.Token, at token.Pos) *site {
	made := &site{node: n}
	offset := func(pos token.Pos) int { return p.set.Position(pos).Offset }
	add := func(at, cut int, text string) {
		made.edits = append(made.edits, edit{at, cut, text, made, len(made.edits) == 0})
	}
	rule, known := rules[op]
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if op != token.SUB {
			return nil
		}
		made.mutants = []*mutant{{operator: negative, from: "-", to: "+"}}
		add(offset(at), 1, p.call(s, "Neg", n))
		add(offset(n.End()), 0, ")")
		return made
	case *ast.IncDecStmt:
		add(offset(at), 2, " "+n.Tok.String()[:1]+"= "+p.call(s, "One", n.X)+")")
	case *ast.BinaryExpr:
		if !known {
			return nil
		}
		add(offset(n.Pos()), 0, p.call(s, rule.function, typed(n)))
		if rule.function != "Not" {
			add(offset(at), len(op.String()), ",")
		}
		add(offset(n.End()), 0, ")")
	}
	for _, c := range rule.changes {
		made.mutants = append(made.mutants, &mutant{operator: c[0], from: op.String(), to: c[1]})
	}
	return made
}

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
	if foreign || strings.HasPrefix(name, "untyped") {
		return ""
	}
	return "[" + name + "]"
}

// number gives the mutants of a site their numbers and places.
func (p *pkg) number(s *site, at token.Position, lines []string) {
	for _, m := range s.mutants {
		m.id = len(p.mutants)
		m.file, m.line, m.col = base(at.Filename), at.Line, at.Column
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

// instrumented returns the text of a file with all sites that are viable. Line
// numbers stay as they are.
func (s *source) instrumented(name func(token.Pos) int) []byte {
	edits := []edit{{name(s.file.Name.End()), 0, "; import " + alias + ` "` + pointPath + `"`, nil, false}}
	used := false
	for _, site := range s.sites {
		if !site.dead {
			edits, used = append(edits, site.edits...), true
		}
	}
	if !used {
		return s.text
	}
	// At one offset, insertions come first, those of outer sites before those of
	// inner ones, as they were found.
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.cut, b.cut))
	})
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(out, s.text[done:e.at]...)
		if e.opens {
			e.site.begin = len(out)
		}
		out = append(out, e.text...)
		done = e.at + e.cut
		if e.site != nil {
			e.site.end = len(out)
		}
	}
	return append(out, s.text[done:]...)
}
