package report

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// WriteDocuments writes the documents and figures that are made of measurements
// into dir.
func WriteDocuments(dir string, s measure.Sweep, m measure.Measurements) error {
	figures := filepath.Join(dir, "figures")
	smaller, err := smallerChart()
	if err != nil {
		return err
	}
	for _, c := range []*chart{smaller, timeChart(m.Times), errorChart(m.Errors)} {
		if _, err := c.save(figures); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"figures/run.txt": plainText(&Report{Results: m.Run}, mostColumns+20), // times on a busy machine are wide
		"accuracy.md":     accuracyText(s, m),
		"benchmarks.md":   benchmarkText(s, m),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const written = "Written by `go run -C internal/compare . -docs ../../docs`; do not edit.\n\n"

func accuracyText(s measure.Sweep, m measure.Measurements) string {
	var b strings.Builder
	b.WriteString("# Accuracy\n\n" + written +
		"Measured / requested rate of full filters of random keys, with half the width of its 95 % interval; below 1 is\n" +
		"better than requested. Every filter was queried for at least a million absent keys, over several hash families; no\n" +
		"key was lost. counting finds the keys that bloom finds, and cuckoo-compact those that cuckoo finds.\n")
	for _, rate := range s.Rates {
		fmt.Fprintf(&b, "\n## %s\n\n%s", percentOf(rate), accuracyTable(s, rate, m.Accuracy).markdown())
	}
	b.WriteString("\n## Counts\n\n" +
		"The " + measure.MobyDick().About + " Sketches are five rows deep, so that\n99 % of the counts are meant to be within the " +
		"bound. Errors are how much a count is too high; missed and extra are of the\nwords above 0.1 % of the total.\n\n" +
		"![error of counts against memory](figures/count-error.svg)\n\n" + errorTable(m.Errors).markdown() + "\n" + capacityText())
	return b.String()
}

// accuracyTable shows the measured over the requested rate by the number of
// keys, of structures that do not find the same keys as another one.
func accuracyTable(s measure.Sweep, rate float64, found []measure.Row) table {
	t := table{Columns: []column{{name: "structure", Left: true}}}
	for _, n := range s.Accuracy {
		t.Columns = append(t.Columns, column{name: measure.Thousands(n) + " keys"})
	}
	for _, one := range measure.OurOwn() {
		if one.Name == "counting" || one.Name == "cuckoo-compact" {
			continue
		}
		cells := []string{one.Name}
		for _, x := range found {
			if x.Structure == one.Name && x.TargetFPR == rate {
				cells = append(cells, fmt.Sprintf("%.3f ± %.3f", x.FPR/rate, (x.FPRHigh-x.FPRLow)/2/rate))
			}
		}
		t.lines = append(t.lines, line{Cells: cells})
	}
	return t
}

// capacityRows are the chances that small tables refuse a key, as multilevel
// splitting estimated them (see docs/theory.md).
//
//go:embed capacity.csv
var capacityRows string

// capacityText is the section of accuracy.md on small cuckoo filters.
func capacityText() string {
	return "## Capacity of small cuckoo filters\n\n" +
		"The chance that Add refuses one of the keys that a table has the capacity for, which is promised to be below 1e-6.\n" +
		"*pairs* bounds the chance that nine keys have the same two buckets (see [theory](theory.md)). *others* is the chance\n" +
		"that Add fails without such keys, estimated by multilevel splitting: the mean of four independent runs, with its\n" +
		"standard error. A run ends when its estimate is below 1e-10, so smaller numbers are upper limits. *at most* is the\n" +
		"sum, plus four standard errors. `internal/compare/report/capacity.csv` has the tables that `Config` chooses at 40 %\n" +
		"and 1 % for up to 200 keys, and every hundredth of those for up to 10,000. This is every fourth of them:\n\n" +
		capacityTable(4).markdown() +
		"\nThis was measured once. `go test -run 'SimulatedLoads|CrowdedPairs' ./cuckoo/internal/table` tests the same tables' loads and pairs.\n"
}

// capacityTable shows every n-th row of capacity.csv.
func capacityTable(n int) table {
	var t table
	for _, name := range []string{"keys", "buckets", "bits", "pairs", "others", "±", "at most"} {
		t.Columns = append(t.Columns, column{name: name})
	}
	lines := strings.Split(strings.TrimSpace(capacityRows), "\n")
	for i := n; i < len(lines); i += n {
		t.lines = append(t.lines, line{Cells: strings.Split(lines[i], ",")})
	}
	return t
}

// measuredByHand is the end of benchmarks.md: what other commands measure.
//
//go:embed benchmarks.txt
var measuredByHand string

func benchmarkText(s measure.Sweep, m measure.Measurements) string {
	return "# Benchmarks\n\n" + written +
		"Measured on " + ThisMachine(nil).String() + ". Times on a busy machine mean little by themselves: compare them with each other.\n\n" +
		"## Against other libraries\n\n`go run -C internal/compare . -peers -n 1000000 -fpr 0.01` prints these tables.\n\n" +
		markdown(&Report{Results: m.Peers}) +
		"\n## By the number of keys\n\nNanoseconds of a lookup at 1 %, half of them of members, the least of " +
		fmt.Sprint(s.TimeRounds()) + " rounds; *batch* is `SumAll` and `ContainsAll` with " + fmt.Sprint(measure.BatchKeys) + " keys a call.\n\n![time of a lookup against the number of keys](figures/time-by-n.svg)\n\n" +
		timeTable(m.Times).markdown() + measuredByHand
}
