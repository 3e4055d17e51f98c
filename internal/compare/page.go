package main

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
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// writeFiles writes the figures and the page into dir. It returns the names of
// the files written, even if it returns an error.
func (r *report) writeFiles(ctx context.Context, dir string, stderr io.Writer) (files []string, err error) {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	var figures []string
	for _, c := range r.charts() {
		names, err := c.save(dir)
		files = append(files, names...)
		if err != nil {
			return files, err
		}
		drawing, err := c.svg()
		if err != nil {
			return files, err
		}
		figures = append(figures, drawing)
	}
	_, finish := newProgress(stderr, "compiling the calculator", -1, nil)
	calc, missing := compileCalculator(ctx)
	finish()
	if ctx.Err() != nil {
		missing = errors.New("interrupted before it was compiled")
	}
	if missing != nil {
		fmt.Fprintf(stderr, "compare: warning: report.html has no calculator, which is compiled from the source in the repository: %v\n", missing)
	}
	page, err := r.writePage(dir, calc, missing, figures)
	if err != nil {
		return files, err
	}
	return append(files, page), nil
}

// charts are the figures of a run.
func (r *report) charts() []*chart { return []*chart{costChart(r.rows)} }

// A page is the data of the template.
type page struct {
	Headline  []string
	Wasm      string
	WasmExec  template.JS
	WasmError error
	Figures   []template.HTML
	Sections  []section
	Remarks   []string
	Machine   machine
}

// writePage writes report.html into dir: one page that needs no other file.
func (r *report) writePage(dir string, calc calculator, missing error, figures []string) (string, error) {
	p := page{
		Headline: r.headline(), Wasm: calc.wasm, WasmExec: calc.exec, WasmError: missing,
		Sections: r.pageSections(), Remarks: r.remarks(), Machine: r.machine,
	}
	for _, f := range figures {
		_, inner, found := strings.Cut(f, "<svg")
		if !found {
			return "", errors.New("a figure is not SVG")
		}
		p.Figures = append(p.Figures, template.HTML("<svg"+inner))
	}
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

// pageSections returns the sections as the page shows them: the main table has
// our rows alone, and the sections about peers are folded.
func (r *report) pageSections() []section {
	var ours, peers []row
	for _, x := range r.rows {
		if x.structure.peer {
			peers = append(peers, x)
		} else {
			ours = append(ours, x)
		}
	}
	third := section{Title: "Third-party libraries", Table: spaceTable(peers), Folded: true}
	return withLines(r.spaceSection(ours), third, r.ratioSection(), r.countSection())
}
