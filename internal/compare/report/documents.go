package report

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// documents contains the templates of the generated documents. It also contains
// capacity.csv, the probabilities that small tables refuse a key, as estimated
// by multilevel splitting (see docs/theory.md).
//
//go:embed accuracy.txt benchmarks.txt capacity.csv
var documents embed.FS

var documentTemplates = template.Must(template.New("").Funcs(template.FuncMap{"percent": percentOf}).ParseFS(documents, "*.txt"))

// WriteDocuments writes the generated documents and figures into dir.
func WriteDocuments(dir string, s measure.Sweep, m measure.Measurements) error {
	figures := filepath.Join(dir, "figures")
	for _, c := range []*chart{smallerChart(), timeChart(s.Times, m.Times), errorChart(m.Errors)} {
		if _, err := c.save(figures); err != nil {
			return err
		}
	}
	for _, name := range []string{"accuracy", "benchmarks"} {
		var text strings.Builder
		if err := documentTemplates.ExecuteTemplate(&text, name+".txt", document{s, m}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	run := plainText(&Report{Results: m.Run}, mostColumns+20) // on a busy machine, times have more digits
	return os.WriteFile(filepath.Join(figures, "run.txt"), []byte(run), 0o644)
}

// A document provides the methods that the templates call.
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

// Accuracy returns a table of measured rates divided by the requested rate. It
// leaves out structures that find the same keys as others.
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
	rows, _ := documents.ReadFile("capacity.csv") // never fails
	lines := strings.Split(strings.TrimSpace(string(rows)), "\n")
	for i := n; i < len(lines); i += n {
		t.Lines = append(t.Lines, line{Cells: strings.Split(lines[i], ",")})
	}
	return t
}
