package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// formats are the values that -format takes.
var formats = []string{"text", "markdown", "json", "csv"}

// A report is everything there is to show.
type report struct {
	data        *dataset
	plan        plan
	rows        []row
	figures     []string
	interrupted bool
}

func (r *report) write(w io.Writer, format string) error {
	var err error
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(struct {
			Rows      []row      `json:"rows"`
			Frequency []struct{} `json:"frequency"` // of count-min sketches: none are compared yet
		}{r.rows, []struct{}{}})
	case "csv":
		err = r.writeCSV(w)
	case "markdown":
		_, err = io.WriteString(w, r.markdown())
	default:
		_, err = io.WriteString(w, r.text())
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func (r *report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	// Errors stay with the writer until it is asked for them below.
	_ = c.Write([]string{"structure", "target_fpr", "n", "bytes", "bits_per_key", "bound_ratio", "fpr", "fpr_low",
		"fpr_high", "false_negatives", "add_ns", "hit_ns", "miss_ns"})
	for _, x := range r.rows {
		ratio := ""
		if x.BoundRatio != nil {
			ratio = number(*x.BoundRatio)
		}
		_ = c.Write([]string{x.Structure, number(x.TargetFPR), strconv.Itoa(x.N), strconv.FormatUint(x.Bytes, 10),
			number(x.BitsPerKey), ratio, number(x.FPR), number(x.FPRLow), number(x.FPRHigh),
			strconv.FormatUint(x.FalseNegatives, 10), number(x.AddNS), number(x.HitNS), number(x.MissNS)})
	}
	c.Flush()
	return c.Error()
}

// text lays the rows out in groups of one target rate, within 100 columns.
func (r *report) text() string {
	var b strings.Builder
	for _, line := range r.headline() {
		b.WriteString(wrap(line, 100))
	}
	b.WriteString("\n")
	if len(r.rows) > 0 {
		b.WriteString(r.table())
		b.WriteString("\n")
		b.WriteString(wrap(legend, 100))
	}
	for _, line := range r.remarks() {
		if strings.HasPrefix(line, "Note:") {
			line = strings.TrimSuffix(wrap(line, 100), "\n")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (r *report) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.AlignRight)
	// Columns are aligned right but for the first, which is padded to stand
	// left, and the last.
	width := len("structure")
	for _, x := range r.rows {
		width = max(width, len(x.Structure))
	}
	name := func(s string) string { return s + strings.Repeat(" ", width-len(s)) }
	fmt.Fprintf(w, "%s\ttarget\tbits/key\tx bound\t measured\t 95%% interval\tlost\tadd\thit\tmiss\t also\n", name("structure"))
	last := math.NaN()
	for i, x := range r.rows {
		if i > 0 && x.TargetFPR != last {
			fmt.Fprintf(w, "%s\t\t\t\t\t\t\t\t\t\t\n", name(""))
		}
		last = x.TargetFPR
		c := x.shown()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t %s\t %s\t%s\t%s\t%s\t%s\t %s\n", name(x.Structure), c.target, c.bits, c.bound,
			c.rate, c.interval, c.lost, c.add, c.hit, c.miss, x.structure.also)
	}
	w.Flush()
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(lines[i], " "), " ")
	}
	return strings.Join(lines, "\n")
}

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(strings.Join(r.headline(), "\n") + "\n\n")
	if len(r.rows) > 0 {
		b.WriteString("| structure | target rate | bits/key | × bound | measured rate | 95 % interval | lost keys | add ns | hit ns | miss ns | also |\n")
		b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
		for _, x := range r.rows {
			c := x.shown()
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", x.Structure, c.target, c.bits, c.bound,
				c.rate, c.interval, c.lost, c.add, c.hit, c.miss, x.structure.also)
		}
		b.WriteString("\n" + legend + "\n")
	}
	for _, line := range r.remarks() {
		b.WriteString("\n" + line + "\n")
	}
	return b.String()
}

const legend = "How to read it: x bound is bits/key over log2(1/target), the least that any structure needs for that " +
	"rate. lost counts added keys that were not found and must be 0. add, hit and miss are ns per operation (median), " +
	"hit for keys that were added and miss for others. also is what it does besides adding and testing."

// headline says what was measured, one sentence a line.
func (r *report) headline() []string {
	finished := 0
	var queries float64
	for _, x := range r.rows {
		finished = max(finished, x.rounds)
		queries = max(queries, float64(x.queries))
	}
	if finished == 0 {
		return []string{r.data.about}
	}
	return []string{
		r.data.about,
		fmt.Sprintf("Each row was built %s times under different hash families; its rate is that of %s absent keys.",
			thousands(finished), thousands(int(queries))),
	}
}

// remarks are the lines below the table.
func (r *report) remarks() []string {
	var lines []string
	for _, note := range r.data.notes {
		lines = append(lines, "Note: "+note+".")
	}
	for _, x := range r.rows {
		if x.structure.unkeyed {
			lines = append(lines, "Note: the hash functions of "+x.Structure+" are fixed; its rate is measured on keys with "+
				"a prefix that changes.")
			break
		}
	}
	if r.interrupted {
		if len(r.rows) == 0 {
			lines = append(lines, "Interrupted before the first row was measured.")
		} else {
			lines = append(lines, fmt.Sprintf("Interrupted: %s rounds were planned, so intervals are wider than they would be.",
				thousands(r.plan.rounds)))
		}
	}
	for i, file := range r.figures {
		label := "Figures: "
		if i > 0 {
			label = "         "
		}
		lines = append(lines, label+file)
	}
	return lines
}

// lost names our structures that did not find a key they were given.
func (r *report) lost() []string {
	var list []string
	for _, x := range r.rows {
		if x.FalseNegatives > 0 && !x.structure.peer {
			list = append(list, fmt.Sprintf("%s at %g: %s times", x.Structure, x.TargetFPR, thousands(int(x.FalseNegatives))))
		}
	}
	return list
}

// shown is a row as a table shows it.
type shown struct{ target, bits, bound, rate, interval, lost, add, hit, miss string }

func (x row) shown() shown {
	c := shown{
		target: "exact", bits: fmt.Sprintf("%.2f", x.BitsPerKey), bound: "-", rate: "-", interval: "-",
		lost: thousands(int(x.FalseNegatives)), add: nanoseconds(x.AddNS), hit: nanoseconds(x.HitNS), miss: nanoseconds(x.MissNS),
	}
	if x.BoundRatio == nil {
		if x.FPR == 0 {
			c.rate = "0"
		} else {
			c.rate = percent(x.FPR, 4)
		}
		return c
	}
	c.target = strconv.FormatFloat(100*x.TargetFPR, 'g', 4, 64) + "%"
	c.bound = fmt.Sprintf("%.2f", *x.BoundRatio)
	// As many decimals as the interval has to say something about.
	decimals := 2 - int(math.Ceil(math.Log10(100*(x.FPRHigh-x.FPRLow)/2)))
	decimals = min(max(decimals, 1), 6)
	c.rate = percent(x.FPR, decimals)
	c.interval = strings.TrimSuffix(percent(x.FPRLow, decimals), "%") + "-" + percent(x.FPRHigh, decimals)
	return c
}

func percent(rate float64, decimals int) string {
	return strconv.FormatFloat(100*rate, 'f', decimals, 64) + "%"
}

func nanoseconds(ns float64) string {
	if ns < 9.95 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}

// thousands writes n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// wrap breaks text into lines of at most width characters where it has spaces.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
	return b.String()
}
