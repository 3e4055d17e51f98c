package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// An attackReport holds the results of all attacks.
type attackReport struct {
	machine     machine
	findings    []finding
	interrupted bool
}

// runAttacks attacks everything, shows the tables and returns the exit code.
func (p *program) runAttacks(ctx context.Context) (int, error) {
	b := fullBudget
	if p.o.quick {
		b = quickBudget
	}
	step, finish := newProgress(p.stderr, "attacking", int64(duels(battles)), inDuels)
	findings, err := fight(ctx, battles, b, func() { step(1) })
	finish()
	if err != nil && ctx.Err() == nil {
		return exitFailed, fmt.Errorf("-attack: %w", err)
	}
	r := attackReport{thisMachine(p.args), findings, ctx.Err() != nil}
	if err := r.write(p.stdout, p.o.format, columns(p.stdout)); err != nil {
		return exitFailed, fmt.Errorf("writing the result: %w", err)
	}
	if r.interrupted {
		return exitInterrupted, errors.New("interrupted: some attacks are missing")
	}
	return exitOK, nil
}

// write writes the report in one of formats; width is for text.
func (r attackReport) write(w io.Writer, format string, width int) error {
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			Machine     machine   `json:"machine"`
			Attacks     []finding `json:"attacks"`
			Interrupted bool      `json:"interrupted,omitempty"`
		}{r.machine, r.findings, r.interrupted})
	case "csv":
		return r.records().writeCSV(w)
	}
	text := r.text(width)
	if format == "markdown" {
		text = r.markdown()
	}
	_, err := io.WriteString(w, text)
	return err
}

func (r attackReport) records() table {
	var t table
	for _, f := range fields(reflect.TypeFor[finding]()) {
		t.columns = append(t.columns, column{name: f.Tag.Get("json")})
	}
	t.columns = append(t.columns, column{name: "table"})
	for _, f := range r.findings {
		t.lines = append(t.lines, record(t.columns, f, "attacks"))
	}
	return t
}

const attackLegend = "How to read it: every adversary has this program and adds keys; knows is what else. cost is the number of keys hashed on " +
	"the adversary's own machine, or of queries and adds at the target. honest is the outcome without an attack, " +
	"public that of our structure under the public family, keyed under a secret key; the others are third-party libraries as " +
	"they are by default. a→b: a is the honest outcome of that library, if it is far from ours. key says what a secret key does against the attack."

func (r attackReport) text(width int) string {
	var parts []string
	for _, b := range battles {
		if t := r.table(b); len(t.lines) > 0 {
			parts = append(parts, b.title+"\n\n"+t.text(width)+"\n"+b.legend(width))
		}
	}
	return r.explained(parts, width)
}

func (r attackReport) markdown() string {
	var parts []string
	for _, b := range battles {
		if t := r.table(b); len(t.lines) > 0 {
			parts = append(parts, "### "+b.title+"\n", t.markdown(), b.legend(math.MaxInt))
		}
	}
	return r.explained(parts, math.MaxInt)
}

// explained joins tables, if there are any, with the legend of them all.
func (r attackReport) explained(tables []string, width int) string {
	if len(tables) == 0 {
		return ""
	}
	parts := append(tables, wrap(attackLegend, width), wrap(r.peers(), width))
	return strings.Join(slices.DeleteFunc(parts, empty), "\n")
}

// legend says what each attack of b is.
func (b battle) legend(width int) string {
	var lines strings.Builder
	for _, a := range b.attacks {
		lines.WriteString(strings.ReplaceAll(strings.TrimSuffix(wrap("- "+a.name+": "+a.about+".", width-2), "\n"), "\n", "\n  ") + "\n")
	}
	return lines.String()
}

// peers names the libraries attacked, with their versions, if there are any.
func (r attackReport) peers() string {
	var names []string
	for _, f := range r.findings {
		if name := f.Target + " is " + f.Module + " " + f.Version; f.Module != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "Libraries: " + strings.Join(names, "; ") + "."
}

// table shows the findings of b.
func (r attackReport) table(b battle) table {
	t := table{columns: []column{
		{name: "attack", left: true}, {name: "knows", left: true, drop: 1}, {name: "cost", drop: 2}, {name: "honest"},
	}}
	for _, name := range b.columns() {
		t.columns = append(t.columns, column{name: name})
	}
	t.columns = append(t.columns, column{name: "key", left: true})
	for _, a := range b.attacks {
		if l, ok := r.line(b, a); ok {
			t.lines = append(t.lines, l)
		}
	}
	return t
}

// line shows the findings of a. It is not ok if there are none yet.
func (r attackReport) line(b battle, a attack) (line, bool) {
	find := func(target string) *finding {
		i := slices.IndexFunc(r.findings, func(f finding) bool {
			return f.Section == b.title && f.Attack == a.name && f.Target == target
		})
		if i < 0 {
			return nil
		}
		return &r.findings[i]
	}
	first := find(public)
	if first == nil {
		return line{}, false
	}
	cells := []string{a.name, orNone(a.knows), first.cost(), a.show(first.Honest)}
	for _, name := range b.columns() {
		cells = append(cells, a.cell(find(name), first.Honest))
	}
	return line{cells: append(cells, a.key)}, true
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// cost shows what an attack takes most of.
func (f *finding) cost() string {
	switch {
	case f.Hashes > 0:
		return brief(uint64(f.Hashes)) + " hashes"
	case f.Queries > 0:
		return brief(uint64(f.Queries)) + " queries"
	}
	return "-"
}

// cell shows an outcome, after the honest one if that is far from that of ours.
func (a attack) cell(f *finding, honest float64) string {
	switch {
	case f == nil:
		return "-"
	case f.Target != keyed && (f.Honest > 2*honest || f.Honest < honest/2):
		return strings.TrimSuffix(a.show(f.Honest), "%") + "→" + a.show(f.Outcome)
	}
	return a.show(f.Outcome)
}
