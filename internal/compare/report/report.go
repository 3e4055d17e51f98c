// Package report shows what packages measure and attack found out: as text,
// Markdown, JSON and CSV, as figures, as a page, and in the documents of the
// project.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// Formats are the forms that Write knows.
var Formats = []string{"text", "markdown", "json", "csv"}

// A Shown is something that Write writes.
type Shown interface {
	document() any // as JSON
	records() table
	text(width int) string // for a terminal
	markdown() string
}

// Write writes s in one of Formats; width is for text.
func Write(w io.Writer, s Shown, format string, width int) error {
	var err error
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(s.document())
	case "csv":
		err = s.records().writeCSV(w)
	case "markdown":
		_, err = io.WriteString(w, s.markdown())
	default:
		_, err = io.WriteString(w, s.text(width))
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// A Report holds all results of a run.
type Report struct {
	*measure.Results
	Machine Machine
}

func (r *Report) document() any {
	return struct {
		Machine     Machine                `json:"machine"`
		Rows        []measure.Row          `json:"rows"`
		Frequency   []measure.FrequencyRow `json:"frequency"`
		Failed      []measure.Failure      `json:"failed,omitempty"`
		Interrupted bool                   `json:"interrupted,omitempty"`
	}{r.Machine, r.Rows, r.Frequency, r.Failures, r.Interrupted}
}

func (r *Report) records() table {
	return recordTable(kind{"filters", r.Rows}, kind{"counts", r.Frequency})
}

// A section is a table with the text before and after it.
type section struct {
	Title, About string
	Table        table
	Legend       string
	Folded       bool // on the page
}

// sections returns the tables that have lines.
func (r *Report) sections() []section {
	return withLines(spaceSection(r.Rows), r.ratioSection(), r.countSection())
}

func spaceSection(list []measure.Row) section {
	return section{Title: "Space, error and time", Table: spaceTable(list), Legend: spaceLegend}
}

func (r *Report) ratioSection() section {
	return section{Title: "Against ours", About: ratiosLegend, Table: ratioTable(r.Rows), Folded: true}
}

func (r *Report) countSection() section {
	if len(r.Frequency) == 0 {
		return section{}
	}
	return section{Title: "Counting", About: r.Data.Stream.About, Table: countTable(r.Frequency), Legend: countLegend}
}

func withLines(list ...section) []section {
	return slices.DeleteFunc(list, func(s section) bool { return len(s.Table.lines) == 0 })
}

func (r *Report) text(width int) string {
	parts := []string{wrap(strings.Join(r.Headline(), "\n"), width)}
	for _, s := range r.sections() {
		parts = append(parts, wrap(s.About, width), s.Table.text(width), wrap(s.Legend, width))
	}
	text := paragraphs(parts)
	for _, line := range r.Remarks() {
		text += wrap(line, width)
	}
	return text
}

func (r *Report) markdown() string {
	parts := []string{strings.Join(r.Headline(), "\n") + "\n"}
	for _, s := range r.sections() {
		parts = append(parts, wrap(s.About, math.MaxInt), s.Table.markdown(), wrap(s.Legend, math.MaxInt))
	}
	for _, line := range r.Remarks() {
		parts = append(parts, line+"\n")
	}
	return paragraphs(parts)
}

// paragraphs joins the texts that are not empty.
func paragraphs(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(text string) bool { return text == "" }), "\n")
}

// Headline describes the measurements, one sentence per line.
func (r *Report) Headline() []string {
	builds, queries := 0, uint64(0)
	for _, x := range r.Rows {
		builds, queries = max(builds, x.Rounds), max(queries, x.Queries)
	}
	if builds == 0 {
		return []string{r.Data.About}
	}
	return []string{
		r.Data.About,
		fmt.Sprintf("Each row was built %s under different hash families; its rate is that of %s absent keys.",
			measure.Counted(builds, "time", "times"), measure.Thousands(queries)),
	}
}

// Remarks are the lines below the table.
func (r *Report) Remarks() []string {
	var lines []string
	for _, note := range slices.Concat(r.Data.Notes, peerRemarks(r.Rows, r.Failures)) {
		lines = append(lines, "Note: "+note+".")
	}
	switch {
	case r.Interrupted && len(r.Rows) == 0:
		lines = append(lines, "Interrupted before the first row was measured.")
	case r.Interrupted:
		lines = append(lines, fmt.Sprintf("Interrupted: %s were planned, so intervals are wider than they would be.",
			measure.Counted(r.Plan.Rounds, "round", "rounds")))
	}
	return lines
}
