// Package report prints the results of packages measure and attack as text,
// Markdown or JSON. It also draws figures, writes a page with a calculator, and
// generates some of the project's documents.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// Formats lists the formats that Write supports.
var Formats = []string{"text", "markdown", "json"}

// A Shown can be written by Write. Its parts are paragraphs, and tables that
// have been formatted by show.
type Shown interface {
	parts(width int, show func(table) string) []string
}

// Write writes s in a format from Formats. Text is wrapped to the width of w.
func Write(w io.Writer, s Shown, format string) error {
	var err error
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(s)
	case "markdown":
		_, err = io.WriteString(w, markdown(s))
	default:
		_, err = io.WriteString(w, plainText(s, columns(w)))
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func markdown(s Shown) string { return paragraphs(s.parts(math.MaxInt, table.markdown)) }

func plainText(s Shown, width int) string {
	return paragraphs(s.parts(width, func(t table) string { return t.text(width) }))
}

func paragraphs(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(text string) bool { return text == "" }), "\n")
}

// A Report contains a run's results.
type Report struct {
	Machine Machine `json:"machine"`
	*measure.Results
}

type section struct {
	Title, About string
	Table        table
	Legend       string
	Folded       bool // whether the page folds it
}

// Sections returns the tables that are not empty. On the page, third-party
// libraries have a separate table.
func (r *Report) Sections(page bool) []section {
	apart := func(x measure.Row) bool { return page && x.Of.Peer }
	together := measure.Where(r.Rows, func(x measure.Row) bool { return !apart(x) })
	legend := spaceLegend
	if hashesDiffer(together) {
		legend += " " + hashLegend
	}
	list := []section{
		{Title: "Space, error and time", Table: spaceTable(together), Legend: legend},
		{Title: "Third-party libraries", Table: spaceTable(measure.Where(r.Rows, apart)), Legend: hashLegend, Folded: true},
		{Title: "Against ours", About: ratiosLegend, Table: ratioTable(r.Rows), Folded: true},
	}
	if len(r.Frequency) > 0 {
		list = append(list, section{Title: "Counting", About: r.Data.Stream.About, Table: countTable(r.Frequency), Legend: countLegend})
	}
	return slices.DeleteFunc(list, func(s section) bool { return len(s.Table.Lines) == 0 })
}

func (r *Report) parts(width int, show func(table) string) []string {
	parts := []string{wrap(strings.Join(r.Headline(), "\n"), width)}
	for _, s := range r.Sections(false) {
		parts = append(parts, wrap(s.About, width), show(s.Table), wrap(s.Legend, width))
	}
	for _, line := range r.Remarks() {
		parts = append(parts, wrap(line, width))
	}
	return parts
}

// Headline describes the current measurements, using one sentence per line.
func (r *Report) Headline() []string {
	builds := 0
	queries := uint64(0)
	for _, x := range r.Rows {
		builds = max(builds, x.Rounds)
		queries = max(queries, x.Queries)
	}
	if builds == 0 {
		return []string{r.Data.About}
	}
	return []string{r.Data.About, fmt.Sprintf("Each row was built up to %s, under different hash families, and queried for up to %s absent keys.",
		measure.Counted(builds, "time", "times"), measure.Thousands(queries))}
}

// Remarks returns the lines below the tables.
func (r *Report) Remarks() []string {
	var lines []string
	for _, note := range slices.Concat(r.Data.Notes, peerRemarks(r.Rows, r.Failures)) {
		lines = append(lines, "Note: "+note+".")
	}
	if r.Interrupted {
		lines = append(lines, fmt.Sprintf("Interrupted: %s were planned, so rows may be missing and intervals are wider.",
			measure.Counted(r.Effort.Rounds, "round", "rounds")))
	}
	return lines
}

// peerRemarks returns notes about the rows and the failures.
func peerRemarks(list []measure.Row, failures []measure.Failure) (lines []string) {
	for _, kind := range kinds {
		if names := namesOf(list, kind.has); len(names) > 0 {
			lines = append(lines, fmt.Sprintf(kind.note, strings.Join(names, ", ")))
		}
	}
	if names := modulesOf(list); len(names) > 0 {
		lines = append(lines, "libraries: "+strings.Join(names, "; "))
	}
	note := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, x := range list {
		if x.Refused > 0 {
			note("%s at %s refused %s of %s keys in all rounds", x.Structure, target(x),
				measure.Thousands(x.Refused), measure.Thousands(x.Given))
		}
		if !x.Of.Exact && x.FPRLow > 1.1*x.TargetFPR { // rounding and chance can explain less
			note("%s at %s has %.1f times the requested rate", x.Structure, target(x), x.FPR/x.TargetFPR)
		}
	}
	if rates := foreignRates(list); len(rates) > 0 {
		note("also built from the absent keys, which add includes, and without errors on them: %s. For keys in neither list, "+
			"these are their false-positive rates: %s", strings.Join(namesOf(list, knows), ", "), strings.Join(rates, ", "))
	}
	for _, f := range failures {
		lines = append(lines, failed(f))
	}
	return lines
}

func knows(s measure.Structure) bool { return s.Knows }

// foreignRates returns the rates for keys in neither list, in the order of the
// rows.
func foreignRates(list []measure.Row) (rates []string) {
	for _, x := range list {
		if x.ForeignRate != nil {
			rates = append(rates, fmt.Sprintf("%s (%s) %s", x.Structure, target(x), percentOf(*x.ForeignRate)))
		}
	}
	return rates
}

func failed(f measure.Failure) string {
	name := f.Structure
	what := "could not be measured"
	if f.TargetFPR > 0 {
		name += " at " + percentOf(f.TargetFPR)
	}
	if f.Rounds > 0 {
		what = "failed after round " + measure.Thousands(f.Rounds)
	}
	return name + " " + what + ": " + f.Error
}

// kinds contains notes about several structures.
var kinds = []struct {
	has  func(measure.Structure) bool
	note string
}{
	{func(s measure.Structure) bool { return s.Unkeyed },
		"fixed hash functions by default: %s. Their rate is measured on keys with a changing prefix"},
	{func(s measure.Structure) bool { return s.Process },
		"digests from hash/maphash, whose seed is lost when the process exits: %s. Such filters cannot be stored or sent"},
	{func(s measure.Structure) bool { return s.Fixed > 0 },
		"a fixed rate: %s. The target is this rate"},
	{func(s measure.Structure) bool { return s.Static },
		"built from all keys at once: %s. add is the building time per key"},
	{func(s measure.Structure) bool { return s.Over > 1 },
		"filters that grow, because they expect fewer keys: %s. Their names end in keys over expected keys"},
}

// namesOf returns the distinct names of structures that satisfy has.
func namesOf(list []measure.Row, has func(measure.Structure) bool) (names []string) {
	for _, x := range list {
		if has(x.Of) && !slices.Contains(names, x.Structure) {
			names = append(names, x.Structure)
		}
	}
	return names
}

// modulesOf returns the distinct libraries with their versions.
func modulesOf(list []measure.Row) (names []string) {
	for _, x := range list {
		same := strings.Join(namesOf(list, func(s measure.Structure) bool { return s.Module == x.Of.Module }), ", ")
		name := strings.TrimSpace(same + " of " + x.Of.Module + " " + attack.VersionOf(x.Of.Module))
		if x.Of.Module != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
