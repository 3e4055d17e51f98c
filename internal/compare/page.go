package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// A calculator is package advice compiled for a page.
type calculator struct {
	wasm string      // gzip, base64
	exec template.JS // Go's own glue between the two
	err  error       // why there is none
}

const calculatorPackage = "github.com/filterfam/filterfam/internal/compare/calculator"

// newCalculator compiles the library. That takes the go command, and some
// seconds the first time.
func newCalculator(ctx context.Context) calculator {
	c, err := compileCalculator(ctx)
	if err != nil {
		c.err = err
	}
	return c
}

func compileCalculator(ctx context.Context) (calculator, error) {
	root, err := goTool(ctx, nil, "env", "GOROOT")
	if err != nil {
		return calculator{}, err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return calculator{}, err
	}
	dir, err := os.MkdirTemp("", "filterfam")
	if err != nil {
		return calculator{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "calculator.wasm")
	if _, err := goTool(ctx, []string{"GOOS=js", "GOARCH=wasm"},
		"build", "-trimpath", "-ldflags=-s -w", "-o", file, calculatorPackage); err != nil {
		return calculator{}, err
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return calculator{}, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return calculator{}, err
	}
	_, err = z.Write(wasm)
	if err = errors.Join(err, z.Close()); err != nil {
		return calculator{}, err
	}
	return calculator{
		wasm: base64.StdEncoding.EncodeToString(packed.Bytes()),
		exec: template.JS(glue),
	}, nil
}

// goTool runs the go command and returns what it prints.
func goTool(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return string(out), err
}

// writeFiles writes the figures and the page into dir and returns the names of
// the files, as many as there are when an error ends it.
func (r *report) writeFiles(ctx context.Context, dir string, stderr io.Writer) (files []string, err error) {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	var drawings []string
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
		drawings = append(drawings, drawing)
	}
	_, finish := newProgress(stderr, "compiling the calculator", -1, nil)
	c := newCalculator(ctx)
	finish()
	page, err := r.writePage(dir, c, drawings)
	if err != nil {
		return files, err
	}
	return append(files, page), nil
}

// charts are the figures of a run.
func (r *report) charts() []*chart { return []*chart{costChart(r.rows)} }

// A pageRow is a row of the page's table.
type pageRow struct {
	Name, Class string
	Cells       []string
	Also        string
}

// A pageTable is a table below the main one.
type pageTable struct {
	Title, About string
	Head         []string
	Rows         [][]string
	Legend       string
}

// writePage writes report.html into dir: one page that needs no other file.
func (r *report) writePage(dir string, c calculator, figures []string) (string, error) {
	page := struct {
		Headline  []string
		Wasm      string
		WasmExec  template.JS
		WasmError error
		Rows      []pageRow
		Legend    string
		Tables    []pageTable
		Figures   []template.HTML
		Remarks   []string
	}{
		Headline: r.headline(), Wasm: c.wasm, WasmExec: c.exec, WasmError: c.err, Legend: legend, Remarks: r.remarks(),
	}
	if list := r.compared(); len(list) > 0 {
		t := pageTable{Title: "Times against ours", About: ratiosLegend, Head: ratiosHead}
		for _, x := range list {
			t.Rows = append(t.Rows, append([]string{x.Structure}, x.ratioRow()...))
		}
		page.Tables = append(page.Tables, t)
	}
	if len(r.frequency) > 0 {
		t := pageTable{Title: "Counting how often", About: r.data.stream.about, Head: frequencyHead, Legend: frequencyLegend}
		for _, x := range r.frequency {
			t.Rows = append(t.Rows, x.cells())
		}
		page.Tables = append(page.Tables, t)
	}
	last := -1.0
	for _, x := range r.rows {
		var class []string
		if x.TargetFPR != last {
			class = append(class, "group")
		}
		last = x.TargetFPR
		if x.structure.peer {
			class = append(class, "peer")
		}
		if x.FalseNegatives > 0 {
			class = append(class, "wrong")
		}
		c := x.shown()
		page.Rows = append(page.Rows, pageRow{
			Name: x.Structure, Class: strings.Join(class, " "), Also: x.also(),
			Cells: []string{c.target, c.bits, c.bound, c.rate, c.interval, c.lost, c.add, c.hit, c.miss, c.del},
		})
	}
	for _, svg := range figures {
		_, inner, found := strings.Cut(svg, "<svg")
		if !found {
			return "", errors.New("a figure is no SVG")
		}
		page.Figures = append(page.Figures, template.HTML("<svg"+inner))
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, page); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "report.html")
	return name, os.WriteFile(name, b.Bytes(), 0o644)
}
