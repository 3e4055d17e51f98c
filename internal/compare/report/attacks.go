package report

import (
	"slices"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// Attacks holds the results of all attacks.
type Attacks struct {
	Machine  Machine          `json:"machine"`
	Findings []attack.Finding `json:"attacks"`
}

func (r Attacks) document() any { return r }

const attackLegend = "How to read it: every adversary has this program and adds keys; knows is what else. cost is the number of keys hashed on " +
	"the adversary's own machine, or of queries and adds at the target. honest is the outcome without an attack, " +
	"public that of our structure under the public family, keyed under a secret key; the others are third-party libraries as " +
	"they are by default. a→b: a is the honest outcome of that library, if it is far from ours. key says what a secret key does against the attack."

// parts are the tables, each with its title and its legend, and the legend of
// them all.
func (r Attacks) parts(width int, show func(table) string) (parts []string) {
	for _, b := range attack.Battles {
		parts = append(parts, "### "+b.Title+"\n", show(r.table(b)), legend(b, width))
	}
	return append(parts, wrap(attackLegend, width), wrap(r.peers(), width))
}

// legend says what each attack of b is.
func legend(b attack.Battle, width int) string {
	var lines strings.Builder
	for _, a := range b.Attacks {
		lines.WriteString(strings.ReplaceAll(strings.TrimSuffix(wrap("- "+a.Name+": "+a.About+".", width-2), "\n"), "\n", "\n  ") + "\n")
	}
	return lines.String()
}

// peers names the libraries attacked, with their versions.
func (r Attacks) peers() string {
	var names []string
	for _, f := range r.Findings {
		if name := f.Target + " is " + f.Module + " " + f.Version; f.Module != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "Libraries: " + strings.Join(names, "; ") + "."
}

// table shows the findings of b.
func (r Attacks) table(b attack.Battle) table {
	t := table{Columns: []column{
		{name: "attack", Left: true}, {name: "knows", Left: true, drop: 1}, {name: "cost", drop: 2}, {name: "honest"},
	}}
	for _, name := range b.Columns() {
		t.Columns = append(t.Columns, column{name: name})
	}
	t.Columns = append(t.Columns, column{name: "key", Left: true})
	for _, a := range b.Attacks {
		first, _ := r.find(b, a, attack.Public)
		cells := []string{a.Name, orNone(a.Knows), cost(first), inUnit(a.Unit, first.Honest)}
		for _, name := range b.Columns() {
			f, found := r.find(b, a, name)
			cells = append(cells, outcome(a, f, found, first.Honest))
		}
		t.Lines = append(t.Lines, line{Cells: append(cells, a.Key)})
	}
	return t
}

// find returns the finding of an attack on a target, if there is one.
func (r Attacks) find(b attack.Battle, a attack.Attack, target string) (f attack.Finding, found bool) {
	i := slices.IndexFunc(r.Findings, func(f attack.Finding) bool {
		return f.Section == b.Title && f.Attack == a.Name && f.Target == target
	})
	if i < 0 {
		return f, false
	}
	return r.Findings[i], true
}

// cost shows what an attack takes most of.
func cost(f attack.Finding) string {
	switch {
	case f.Hashes > 0:
		return brief(uint64(f.Hashes)) + " hashes"
	case f.Queries > 0:
		return brief(uint64(f.Queries)) + " queries"
	}
	return "-"
}

// outcome shows an outcome, after the honest one if that is far from that of
// ours.
func outcome(a attack.Attack, f attack.Finding, found bool, honest float64) string {
	text := inUnit(a.Unit, f.Outcome)
	switch {
	case !found:
		return "-"
	case f.Target != attack.Keyed && (f.Honest > 2*honest || f.Honest < honest/2):
		return strings.TrimSuffix(inUnit(a.Unit, f.Honest), "%") + "→" + text
	}
	return text
}

func inUnit(u attack.Unit, x float64) string {
	switch u {
	case attack.Tenths:
		return decimals(x, 1)
	case attack.Hundredths:
		return hundredths(x)
	case attack.Whole:
		return measure.Thousands(uint64(x))
	}
	return strings.Replace(percent(x, 1), ".0%", "%", 1)
}
