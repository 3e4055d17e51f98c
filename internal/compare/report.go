package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// formats are the values that -format takes.
var formats = []string{"text", "markdown", "json", "csv"}

// A report holds all results of a run.
type report struct {
	data        *dataset
	machine     machine
	plan        plan
	rows        []row
	frequency   []frequencyRow
	failures    []failure
	interrupted bool
}

// write writes the report in one of formats; width is for text.
func (r *report) write(w io.Writer, format string, width int) error {
	var err error
	switch format {
	case "json":
		err = r.writeJSON(w)
	case "csv":
		err = recordTable(r.rows, r.frequency).writeCSV(w)
	case "markdown":
		_, err = io.WriteString(w, r.markdown())
	default:
		_, err = io.WriteString(w, r.text(width))
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func (r *report) writeJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Machine     machine        `json:"machine"`
		Rows        []row          `json:"rows"`
		Frequency   []frequencyRow `json:"frequency"`
		Failed      []failure      `json:"failed,omitempty"`
		Interrupted bool           `json:"interrupted,omitempty"`
	}{r.machine, r.rows, r.frequency, r.failures, r.interrupted})
}

// A section is a table with the text before and after it.
type section struct {
	Title, About string
	Table        table
	Legend       string
	Folded       bool // on the page
}

// sections returns the tables that have lines.
func (r *report) sections() []section {
	return withLines(r.spaceSection(r.rows), r.ratioSection(), r.countSection())
}

func (r *report) spaceSection(list []row) section {
	return section{Title: "Space, error and time", Table: spaceTable(list), Legend: spaceLegend}
}

func (r *report) ratioSection() section {
	return section{Title: "Against ours", About: ratiosLegend, Table: ratioTable(r.rows), Folded: true}
}

func (r *report) countSection() section {
	if len(r.frequency) == 0 {
		return section{}
	}
	return section{Title: "Counting", About: r.data.stream.about, Table: countTable(r.frequency), Legend: countLegend}
}

func withLines(list ...section) []section {
	return slices.DeleteFunc(list, func(s section) bool { return len(s.Table.lines) == 0 })
}

// text returns the report for a terminal of the given width.
func (r *report) text(width int) string {
	parts := []string{wrap(strings.Join(r.headline(), "\n"), width)}
	for _, s := range r.sections() {
		parts = append(parts, wrap(s.About, width), s.Table.text(width), wrap(s.Legend, width))
	}
	text := strings.Join(slices.DeleteFunc(parts, empty), "\n")
	for _, line := range r.remarks() {
		text += wrap(line, width)
	}
	return text
}

func (r *report) markdown() string {
	parts := []string{strings.Join(r.headline(), "\n") + "\n"}
	for _, s := range r.sections() {
		parts = append(parts, wrap(s.About, math.MaxInt), s.Table.markdown(), wrap(s.Legend, math.MaxInt))
	}
	for _, line := range r.remarks() {
		parts = append(parts, line+"\n")
	}
	return strings.Join(slices.DeleteFunc(parts, empty), "\n")
}

func empty(text string) bool { return text == "" }

// headline describes the measurements, one sentence per line.
func (r *report) headline() []string {
	builds := 0
	var queries uint64
	for _, x := range r.rows {
		builds = max(builds, x.rounds)
		queries = max(queries, x.queries)
	}
	if builds == 0 {
		return []string{r.data.about}
	}
	return []string{
		r.data.about,
		fmt.Sprintf("Each row was built %s under different hash families; its rate is that of %s absent keys.",
			counted(builds, "time", "times"), thousands(queries)),
	}
}

// remarks are the lines below the table.
func (r *report) remarks() []string {
	var lines []string
	for _, note := range r.data.notes {
		lines = append(lines, "Note: "+note+".")
	}
	lines = append(lines, peerRemarks(r.rows, r.failures)...)
	switch {
	case r.interrupted && len(r.rows) == 0:
		lines = append(lines, "Interrupted before the first row was measured.")
	case r.interrupted:
		lines = append(lines, fmt.Sprintf("Interrupted: %s were planned, so intervals are wider than they would be.",
			counted(r.plan.rounds, "round", "rounds")))
	}
	return lines
}

// broken returns an error if a structure of ours broke a promise.
func (r *report) broken() error {
	var lost, below []string
	for _, x := range r.rows {
		if x.FalseNegatives > 0 && !x.structure.peer {
			lost = append(lost, fmt.Sprintf("%s at %g: %s", x.Structure, x.TargetFPR, counted(int(x.FalseNegatives), "time", "times")))
		}
	}
	for _, x := range r.frequency {
		if x.BelowTruth > 0 && !x.peer {
			below = append(below, fmt.Sprintf("%s: %s", x.Structure, counted(int(x.BelowTruth), "time", "times")))
		}
	}
	switch {
	case len(lost) > 0:
		return fmt.Errorf("a key that was added was not found, which must never happen: %s", strings.Join(lost, "; "))
	case len(below) > 0:
		return fmt.Errorf("a count was below the truth, which must never happen: %s", strings.Join(below, "; "))
	}
	return nil
}
