package report

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	text "text/template"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// templates contains the templates of the page and of the generated documents.
// It also contains capacity.csv, a table of the probabilities that small cuckoo
// tables refuse a key, as estimated by multilevel splitting (see
// docs/theory.md).
//
//go:embed page.html accuracy.txt benchmarks.txt capacity.csv
var templates embed.FS

var (
	pageTemplate      = template.Must(template.ParseFS(templates, "page.html"))
	documentTemplates = text.Must(text.New("").Funcs(text.FuncMap{"percent": percentOf}).ParseFS(templates, "*.txt"))
)

// WriteFiles writes the figure and the page into dir, and returns their names.
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
	var calc calculator
	calc.WasmError = calc.compile()
	finish()
	if calc.WasmError != nil {
		fmt.Fprintf(stderr, "compare: warning: report.html has no calculator, because that is compiled from the repository: %v\n", calc.WasmError)
	}
	page, err := r.writePage(dir, calc, figure)
	if err != nil {
		return files, err
	}
	return append(files, page), nil
}

// writePage writes report.html into dir, which needs no other files.
func (r *Report) writePage(dir string, calc calculator, figure *chart) (string, error) {
	drawing, err := figure.svg()
	if err != nil {
		return "", err
	}
	_, inner, _ := strings.Cut(drawing, "<svg")
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, struct {
		*Report
		calculator
		Figure   template.HTML
		AddTimes map[string]addTime
	}{r, calc, template.HTML("<svg" + inner), addTimes(r.Rows)})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "report.html")
	return name, os.WriteFile(name, b.Bytes(), 0o644)
}

// An addTime is the cost of filling a structure, for the page.
type addTime struct {
	NS    float64 `json:"ns"`    // of an Add; of a build per key if it is built from a set
	Bytes uint64  `json:"bytes"` // of the largest structure that was measured
}

// addTimes returns the mean times by structure.
func addTimes(rows []measure.Row) map[string]addTime {
	times := make(map[string]addTime)
	number := make(map[string]float64)
	for _, x := range rows {
		t := times[x.Structure]
		number[x.Structure]++
		t.NS += (x.AddNS - t.NS) / number[x.Structure]
		t.Bytes = max(t.Bytes, x.Bytes)
		times[x.Structure] = t
	}
	return times
}

// A calculator contains package advice, compiled for a page.
type calculator struct {
	Wasm      string      // compressed with gzip and encoded in base64
	WasmExec  template.JS // Go's support script
	WasmError error
}

// compile compiles package advice from the module's source.
func (c *calculator) compile() error {
	dir, err := os.MkdirTemp("", "filterfam")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "calculator.wasm")
	root, err := goTool("env", "GOROOT")
	if err == nil {
		_, err = goTool("build", "-trimpath", "-ldflags=-s -w", "-o", file, "github.com/filterfam/filterfam/internal/compare/calculator")
	}
	if err != nil {
		return err
	}
	glue, glueErr := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	wasm, err := os.ReadFile(file)
	if err = errors.Join(glueErr, err); err != nil {
		return err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(wasm) // Close returns its error
	err = z.Close()
	c.Wasm, c.WasmExec = base64.StdEncoding.EncodeToString(packed.Bytes()), template.JS(glue)
	return err
}

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

// WriteDocuments writes the generated documents and figures into dir.
func WriteDocuments(dir string, s measure.Sweep, m measure.Measurements) error {
	figures := filepath.Join(dir, "figures")
	for _, c := range []*chart{smallerChart(), absentChart(), timeChart(s.Times, m.Times), errorChart(m.Errors)} {
		if _, err := c.save(figures); err != nil {
			return err
		}
	}
	for _, name := range []string{"accuracy", "benchmarks"} {
		var b bytes.Buffer
		if err := documentTemplates.ExecuteTemplate(&b, name+".txt", document{s, m}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".md"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	run := plainText(&Report{Results: m.Run}, mostColumns+20) // on a busy machine, times have more digits
	return os.WriteFile(filepath.Join(figures, "run.txt"), []byte(run), 0o644)
}

type document struct {
	measure.Sweep
	found measure.Measurements
}

func (document) Words() string    { return measure.MobyDick().About }
func (document) BatchKeys() int   { return measure.BatchKeys }
func (document) Machine() Machine { return ThisMachine(nil) }
func (document) Capacity() string { return capacityTable(4).markdown() }
func (d document) Peers() string  { return markdown(&Report{Results: d.found.Peers}) }
func (d document) Errors() string { return errorTable(d.found.Errors).markdown() }
func (d document) Times() string  { return timeTable(d.Sweep.Times, d.found.Times).markdown() }

// Accuracy returns a table of measured rates divided by the requested rate,
// without structures that find the same keys as others.
func (d document) Accuracy(rate float64) string {
	t := table{Columns: []column{{name: "structure", Left: true}}}
	for _, n := range d.Sweep.Accuracy {
		t.Columns = append(t.Columns, column{name: measure.Thousands(n) + " keys"})
	}
	for _, one := range measure.OurOwn() {
		if one.Name == "counting" || one.Name == "cuckoo-compact" {
			continue
		}
		cells := []string{one.Name}
		for _, x := range d.found.Accuracy {
			if x.Structure == one.Name && x.TargetFPR == rate {
				cells = append(cells, fmt.Sprintf("%.3f ± %.3f", x.FPR/rate, (x.FPRHigh-x.FPRLow)/2/rate))
			}
		}
		t.Lines = append(t.Lines, line{Cells: cells})
	}
	return t.markdown()
}

// capacityTable returns every n-th row of capacity.csv.
func capacityTable(n int) (t table) {
	for _, name := range []string{"keys", "buckets", "bits", "pairs", "others", "±", "at most"} {
		t.Columns = append(t.Columns, column{name: name})
	}
	rows, _ := templates.ReadFile("capacity.csv") // never fails
	lines := strings.Split(strings.TrimSpace(string(rows)), "\n")
	for i := n; i < len(lines); i += n {
		t.Lines = append(t.Lines, line{Cells: strings.Split(lines[i], ",")})
	}
	return t
}
