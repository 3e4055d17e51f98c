package report

import (
	"bytes"
	"compress/gzip"
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

// WriteFiles writes the figure and the page into dir. It returns the names of
// the files, even when it also returns an error.
func (r *Report) WriteFiles(dir string, stderr io.Writer) (files []string, err error) {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	figure := costChart(r.Rows)
	drawing, err := figure.save(dir)
	if err != nil {
		return nil, err
	}
	files = []string{drawing}
	_, finish := Progress(stderr, "compiling the page's calculator", 1)
	calc, missing := compileCalculator()
	finish()
	if missing != nil {
		fmt.Fprintf(stderr, "compare: warning: report.html has no calculator, because that is compiled from the repository: %v\n", missing)
	}
	page, err := r.writePage(dir, calc, missing, figure)
	if err != nil {
		return files, err
	}
	return append(files, page), nil
}

// writePage writes report.html into dir. The page does not need other files.
func (r *Report) writePage(dir string, calc calculator, missing error, figure *chart) (string, error) {
	drawing, err := figure.svg()
	if err != nil {
		return "", err
	}
	_, inner, _ := strings.Cut(drawing, "<svg")
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, struct {
		*Report
		calculator
		WasmError error
		Figure    template.HTML
	}{r, calc, missing, template.HTML("<svg" + inner)})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "report.html")
	return name, os.WriteFile(name, b.Bytes(), 0o644)
}

// A calculator contains package advice, compiled for a page.
type calculator struct {
	Wasm     string      // compressed with gzip and encoded in base64
	WasmExec template.JS // Go's support script
}

// compileCalculator compiles package advice. It uses the go command and the
// source of this module, and needs several seconds the first time.
func compileCalculator() (c calculator, err error) {
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return c, err
	}
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return c, err
	}
	dir, err := os.MkdirTemp("", "filterfam")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "calculator.wasm")
	if _, err := goTool("build", "-trimpath", "-ldflags=-s -w", "-o", file, "github.com/filterfam/filterfam/internal/compare/calculator"); err != nil {
		return c, err
	}
	wasm, err := os.ReadFile(file)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, writeErr := z.Write(wasm)
	err = errors.Join(err, writeErr, z.Close())
	return calculator{base64.StdEncoding.EncodeToString(packed.Bytes()), template.JS(glue)}, err
}

// goTool runs the go command for WebAssembly and returns its output.
func goTool(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}
