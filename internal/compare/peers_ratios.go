package main

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// Ratios are the times of a structure over those of the one of ours that does
// the same, each the median over the rounds of the ratio within a round: what
// disturbs the machine for a while disturbs both. Above 1 ours is faster.
type ratios struct {
	Against string   `json:"against"` // empty where there is none, and the ratios nil
	Add     *float64 `json:"add_ratio"`
	Hit     *float64 `json:"hit_ratio"`
	Miss    *float64 `json:"miss_ratio"`
	Delete  *float64 `json:"delete_ratio"`

	rate float64 // that of ours
	bits float64
}

// ratiosOf compares c with the cell of the structure it names: the one of the
// same rate or, where there is none, of the nearest.
func ratiosOf(c *cell, cells []*cell) ratios {
	if c.against == "" {
		return ratios{}
	}
	var ours *cell
	for _, x := range cells {
		if x.name == c.against && x.rounds > 0 && (ours == nil || distance(x.rate, c.rate) < distance(ours.rate, c.rate)) {
			ours = x
		}
	}
	if ours == nil {
		return ratios{}
	}
	return ratios{
		Against: ours.name, rate: ours.rate, bits: float64(c.bytes) / float64(ours.bytes),
		Add: medianRatio(c.add, ours.add), Hit: medianRatio(c.hit, ours.hit),
		Miss: medianRatio(c.miss, ours.miss), Delete: medianRatio(c.del, ours.del),
	}
}

// distance tells near rates from far ones by their ratio. An exact set, of
// rate 0, is nearest to the smallest.
func distance(a, b float64) float64 {
	return math.Abs(math.Log(max(a, math.SmallestNonzeroFloat64)) - math.Log(max(b, math.SmallestNonzeroFloat64)))
}

// medianRatio compares the rounds that both have; nil where there are none.
func medianRatio(theirs, ours []float64) *float64 {
	var list []float64
	for i := range min(len(theirs), len(ours)) {
		if ours[i] > 0 {
			list = append(list, theirs[i]/ours[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	m := median(list)
	return &m
}

var ratiosHead = []string{"structure", "target rate", "against", "bits", "add", "hit", "miss", "delete"}

const ratiosLegend = "Times against ours: the ratio to the structure of ours that is named (median over the rounds); above 1 " +
	"ours is faster, and above 1 under bits ours is smaller. Where the rates differ, ours has the nearest one."

// ratioRow is a row of the table of ratios.
func (x row) ratioRow() []string {
	show := func(ratio *float64) string {
		if ratio == nil {
			return "-"
		}
		return ratioText(*ratio)
	}
	cells := []string{x.shown().target, "-", "-"}
	if x.Against != "" {
		cells[1] = x.Against + " " + percentOf(x.ratios.rate)
		cells[2] = ratioText(x.bits)
	}
	return append(cells, show(x.Add), show(x.Hit), show(x.Miss), show(x.Delete))
}

func ratioText(ratio float64) string {
	if ratio < 9.995 {
		return fmt.Sprintf("%.2f", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}

// compared lists the rows with something to compare with, if there are peers.
func (r *report) compared() []row {
	var list []row
	peers := false
	for _, x := range r.rows {
		peers = peers || x.structure.peer
		if x.structure.against != "" {
			list = append(list, x)
		}
	}
	if !peers {
		return nil
	}
	return list
}

// ratioTable is the text form, below the main table.
func (r *report) ratioTable() string {
	list := r.compared()
	if len(list) == 0 {
		return ""
	}
	width := len("structure")
	for _, x := range list {
		width = max(width, len(x.Structure))
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-*s\ttarget\tagainst\tbits\tadd\thit\tmiss\tdel\t\n", width, "structure")
	for i, x := range list {
		if i > 0 && x.group() != list[i-1].group() {
			fmt.Fprintf(w, "%*s\t\t\t\t\t\t\t\t\n", width, "")
		}
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, x.Structure, strings.Join(x.ratioRow(), "\t"))
	}
	w.Flush()
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(lines[i], "  "), " ")
	}
	return wrap(ratiosLegend, 100) + "\n" + strings.Join(lines, "\n")
}

// ratioMarkdown is the same in Markdown.
func (r *report) ratioMarkdown() string {
	list := r.compared()
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + ratiosLegend + "\n\n")
	b.WriteString("| " + strings.Join(ratiosHead, " | ") + " |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, x := range list {
		fmt.Fprintf(&b, "| %s | %s |\n", x.Structure, strings.Join(x.ratioRow(), " | "))
	}
	return b.String()
}

// group is what the rows between two empty lines have in common: the rate
// asked for, or that none can be.
func (x row) group() float64 {
	if x.structure.fixed > 0 {
		return -1
	}
	return x.TargetFPR
}
