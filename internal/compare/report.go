package main

import (
	"encoding/json"
	"fmt"
	"io"
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
		Machine   machine        `json:"machine"`
		Rows      []row          `json:"rows"`
		Frequency []frequencyRow `json:"frequency"`
		Failed    []failure      `json:"failed,omitempty"`
	}{r.machine, r.rows, r.frequency, r.failures})
}

// A section is a table with the text before and after it.
type section struct {
	title, about string
	table        table
	legend       string
	folded       bool // on the page
}

// sections returns the tables that have lines.
func (r *report) sections() []section {
	return withLines(r.spaceSection(r.rows), r.ratioSection(), r.countSection())
}

func (r *report) spaceSection(list []row) section {
	return section{title: "Space, error and time", table: spaceTable(list), legend: spaceLegend}
}

func (r *report) ratioSection() section {
	return section{title: "Times against ours", about: ratiosLegend, table: ratioTable(r.rows), folded: true}
}

func (r *report) countSection() section {
	if len(r.frequency) == 0 {
		return section{}
	}
	return section{title: "Counting", about: r.data.stream.about, table: countTable(r.frequency), legend: countLegend}
}

func withLines(list ...section) []section {
	return slices.DeleteFunc(list, func(s section) bool { return len(s.table.lines) == 0 })
}

// text returns the report for a terminal of the given width.
func (r *report) text(width int) string {
	var parts []string // an empty line between each two
	part := func(texts ...string) {
		if text := strings.Join(texts, ""); text != "" {
			parts = append(parts, text)
		}
	}
	wrapped := func(text string) string {
		if text == "" {
			return ""
		}
		return wrap(text, width)
	}
	part(wrapped(strings.Join(r.headline(), "\n")))
	for _, s := range r.sections() {
		part(wrapped(s.about))
		part(s.table.text(width))
		part(wrapped(s.legend))
	}
	var remarks strings.Builder
	for _, line := range r.remarks() {
		remarks.WriteString(wrap(line, width))
	}
	return strings.Join(parts, "\n") + remarks.String()
}

func (r *report) markdown() string {
	paragraphs := []string{strings.Join(r.headline(), "\n")}
	for _, s := range r.sections() {
		paragraphs = append(paragraphs, s.about, strings.TrimSpace(s.table.markdown()), s.legend)
	}
	paragraphs = append(paragraphs, r.remarks()...)
	var b strings.Builder
	for _, text := range paragraphs {
		if text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

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
