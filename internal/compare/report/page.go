package report

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// WriteFiles writes the figure and the page into dir. It returns the names of
// the files written, even if it returns an error.
func (r *Report) WriteFiles(ctx context.Context, dir string, stderr io.Writer) (files []string, err error) {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	figure := costChart(r.Rows)
	if files, err = figure.save(dir); err != nil {
		return files, err
	}
	_, finish := Progress(stderr, "compiling the calculator", -1, nil)
	calc, missing := compileCalculator(ctx)
	finish()
	if ctx.Err() != nil {
		missing = errors.New("interrupted before it was compiled")
	}
	if missing != nil {
		fmt.Fprintf(stderr, "compare: warning: report.html has no calculator, which is compiled from the source in the repository: %v\n", missing)
	}
	page, err := r.writePage(dir, calc, missing, figure)
	if err != nil {
		return files, err
	}
	return append(files, page), nil
}

// A page is the data of the template.
type page struct {
	*Report
	calculator
	WasmError error
	Figure    template.HTML
}

// writePage writes report.html into dir: one page that needs no other file.
func (r *Report) writePage(dir string, calc calculator, missing error, figure *chart) (string, error) {
	drawing, err := figure.svg()
	if err != nil {
		return "", err
	}
	_, inner, _ := strings.Cut(drawing, "<svg")
	p := page{r, calc, missing, template.HTML("<svg" + inner)}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "report.html")
	return name, os.WriteFile(name, b.Bytes(), 0o644)
}

// PageSections returns the sections as the page shows them: the main table has
// our rows alone, and the sections about peers are folded.
func (r *Report) PageSections() []section {
	var ours, peers []measure.Row
	for _, x := range r.Rows {
		if x.Of.Peer {
			peers = append(peers, x)
		} else {
			ours = append(ours, x)
		}
	}
	third := section{Title: "Third-party libraries", Table: spaceTable(peers), Folded: true}
	return withLines(spaceSection(ours), third, r.ratioSection(), r.countSection())
}
