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
	frequency   []frequencyRow
	failures    []failure
	interrupted bool
}

func (r *report) write(w io.Writer, format string) error {
	var err error
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(struct {
			Rows      []row          `json:"rows"`
			Frequency []frequencyRow `json:"frequency"`
			Failed    []failure      `json:"failed,omitempty"`
		}{r.rows, r.frequency, r.failures})
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
	optional := func(x *float64) string {
		if x == nil {
			return ""
		}
		return number(*x)
	}
	// Errors stay with the writer until it is asked for them below.
	_ = c.Write([]string{"structure", "target_fpr", "n", "bytes", "bits_per_key", "bound_ratio", "fpr", "fpr_low",
		"fpr_high", "false_negatives", "add_ns", "hit_ns", "miss_ns", "delete_ns", "refused", "against", "add_ratio",
		"hit_ratio", "miss_ratio", "delete_ratio"})
	for _, x := range r.rows {
		_ = c.Write([]string{x.Structure, number(x.TargetFPR), strconv.Itoa(x.N), strconv.FormatUint(x.Bytes, 10),
			number(x.BitsPerKey), optional(x.BoundRatio), number(x.FPR), number(x.FPRLow), number(x.FPRHigh),
			strconv.FormatUint(x.FalseNegatives, 10), number(x.AddNS), number(x.HitNS), number(x.MissNS),
			optional(x.DeleteNS), strconv.FormatUint(x.Refused, 10), x.Against, optional(x.Add), optional(x.Hit),
			optional(x.Miss), optional(x.Delete)})
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
		if ratios := r.ratioTable(); ratios != "" {
			b.WriteString("\n" + ratios + "\n")
		}
	}
	if len(r.frequency) > 0 {
		b.WriteString("\n" + wrap(r.data.stream.about, 100) + "\n" + frequencyTable(r.frequency) + "\n" + wrap(frequencyLegend, 100))
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
	fmt.Fprintf(w, "%s\ttarget\tbits/key\tbound\tmeasured\t95%% interval\tlost\tadd\thit\tmiss\tdel\t also\n", name("structure"))
	for i, x := range r.rows {
		if i > 0 && x.group() != r.rows[i-1].group() {
			fmt.Fprintf(w, "%s\t\t\t\t\t\t\t\t\t\t\t\n", name(""))
		}
		c := x.shown()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t %s\n", name(x.Structure), c.target, c.bits, c.bound,
			c.rate, c.interval, c.lost, c.add, c.hit, c.miss, c.del, x.also())
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
		b.WriteString("| structure | target rate | bits/key | × bound | measured rate | 95 % interval | lost keys | add ns | hit ns | miss ns | delete ns | also |\n")
		b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
		for _, x := range r.rows {
			c := x.shown()
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", x.Structure, c.target, c.bits, c.bound,
				c.rate, c.interval, c.lost, c.add, c.hit, c.miss, c.del, x.also())
		}
		b.WriteString("\n" + legend + "\n" + r.ratioMarkdown())
	}
	if len(r.frequency) > 0 {
		b.WriteString("\n" + r.data.stream.about + "\n\n" + frequencyMarkdown(r.frequency) + "\n" + frequencyLegend + "\n")
	}
	for _, line := range r.remarks() {
		b.WriteString("\n" + line + "\n")
	}
	return b.String()
}

const legend = "How to read it: bound is bits/key over log2(1/target), the least that any structure needs for that " +
	"rate. lost counts added keys that were not found and must be 0. add, hit, miss and del are ns per operation " +
	"(median), hit for keys that were added, miss for others, del for deleting. also is what else it does."

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
	lines = append(lines, peerRemarks(r.rows, r.failures)...)
	if r.interrupted {
		if len(r.rows) == 0 {
			lines = append(lines, "Interrupted before the first row was measured.")
		} else {
			lines = append(lines, fmt.Sprintf("Interrupted: %s rounds were planned, so intervals are wider than they would be.",
				thousands(r.plan.rounds)))
		}
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
type shown struct{ target, bits, bound, rate, interval, lost, add, hit, miss, del string }

func (x row) shown() shown {
	c := shown{
		target: "exact", bits: hundredths(x.BitsPerKey), bound: "-", rate: "-", interval: "-",
		lost: brief(x.FalseNegatives), add: nanoseconds(x.AddNS), hit: nanoseconds(x.HitNS), miss: nanoseconds(x.MissNS),
		del: "-",
	}
	if x.DeleteNS != nil {
		c.del = nanoseconds(*x.DeleteNS)
	}
	if x.BoundRatio == nil {
		if x.FPR == 0 {
			c.rate = "0"
		} else {
			c.rate = percent(x.FPR, 4)
		}
		return c
	}
	c.target = percentOf(x.TargetFPR)
	if x.structure.fixed > 0 {
		c.target = strconv.FormatFloat(100*x.TargetFPR, 'g', 2, 64) + "%"
	}
	if c.bound = hundredths(*x.BoundRatio); *x.BoundRatio >= 100 {
		c.bound = fmt.Sprintf("%.0f", *x.BoundRatio)
	}
	// As many decimals as the interval has to say something about.
	decimals := 2 - int(math.Ceil(math.Log10(100*(x.FPRHigh-x.FPRLow)/2)))
	decimals = min(max(decimals, 1), 4)
	c.rate = percent(x.FPR, decimals)
	c.interval = strings.TrimSuffix(percent(x.FPRLow, decimals), "%") + "-" + percent(x.FPRHigh, decimals)
	return c
}

// percentOf shows a rate that was asked for.
func percentOf(rate float64) string {
	return strconv.FormatFloat(100*rate, 'g', 4, 64) + "%"
}

func percent(rate float64, decimals int) string {
	return strconv.FormatFloat(100*rate, 'f', decimals, 64) + "%"
}

// brief writes n in at most four characters up to a thousand million.
func brief(n uint64) string {
	switch {
	case n < 10_000:
		return strconv.FormatUint(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.0fM", float64(n)/1e6)
}

// hundredths shows numbers that are small but for some freaks.
func hundredths(x float64) string {
	if x < 999.995 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
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
