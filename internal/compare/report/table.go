package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mitchellh/go-wordwrap"
)

// A table is rows of text under named columns. It knows how to write itself in
// every form.
type table struct {
	Columns []column
	Lines   []line
}

// A column describes the cells below each other.
type column struct {
	name  string // in text
	title string // in Markdown and on the page, if it differs
	Left  bool   // aligned left, not right
	drop  int    // narrow terminals lose the columns 1, 2, ... in turn; 0 always stays
}

// A line is one row. Text sets the lines of one group apart from the next.
type line struct {
	group string
	Wrong bool // breaks a promise: the page shows it in red
	Cells []string
}

func (c column) Heading() string {
	if c.title != "" {
		return c.title
	}
	return c.name
}

// text aligns the columns within width. It leaves out columns that do not fit
// and names them below.
func (t table) text(width int) string {
	shown, dropped := t.fit(width)
	var b strings.Builder
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.name)
	}
	t.writeLine(&b, shown, names)
	for i, l := range t.Lines {
		if i > 0 && l.group != t.Lines[i-1].group {
			b.WriteByte('\n')
		}
		t.writeLine(&b, shown, l.Cells)
	}
	if len(dropped) > 0 {
		b.WriteString("\n" + wrap(fmt.Sprintf("Left out to fit into %d columns: %s.", width, strings.Join(dropped, ", ")), width))
	}
	return b.String()
}

// writeLine writes the cells of the columns shown, each as wide as its column.
func (t table) writeLine(b *strings.Builder, shown []int, cells []string) {
	var padded []string
	for _, i := range shown {
		gap := strings.Repeat(" ", t.width(i)-utf8.RuneCountInString(cells[i]))
		if t.Columns[i].Left {
			padded = append(padded, cells[i]+gap)
		} else {
			padded = append(padded, gap+cells[i])
		}
	}
	b.WriteString(strings.TrimRight(strings.Join(padded, " "), " ") + "\n")
}

// width returns the width of column i.
func (t table) width(i int) int {
	width := utf8.RuneCountInString(t.Columns[i].name)
	for _, l := range t.Lines {
		width = max(width, utf8.RuneCountInString(l.Cells[i]))
	}
	return width
}

// fit returns the columns that are shown within width and the names of the
// others.
func (t table) fit(width int) (shown []int, dropped []string) {
	total := -1
	for i := range t.Columns {
		shown = append(shown, i)
		total += t.width(i) + 1
	}
	for next := 1; total > width; next++ {
		i := slices.IndexFunc(t.Columns, func(c column) bool { return c.drop == next })
		if i < 0 {
			break
		}
		shown = slices.DeleteFunc(shown, func(x int) bool { return x == i })
		dropped = append(dropped, t.Columns[i].name)
		total -= t.width(i) + 1
	}
	return shown, dropped
}

// markdown writes the table with all its columns.
func (t table) markdown() string {
	var head, rule []string
	for _, c := range t.Columns {
		head = append(head, c.Heading())
		if c.Left {
			rule = append(rule, "---|")
		} else {
			rule = append(rule, "---:|")
		}
	}
	row := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	text := row(head) + "|" + strings.Join(rule, "") + "\n"
	for _, l := range t.Lines {
		text += row(l.Cells)
	}
	return text
}

// Groups returns the lines, those of a group together.
func (t table) Groups() [][]line {
	var groups [][]line
	for i, l := range t.Lines {
		if i == 0 || l.group != t.Lines[i-1].group {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], l)
	}
	return groups
}

// wrap breaks text at spaces into lines of at most width characters and ends
// the last one. An empty text has no line.
func wrap(text string, width int) string {
	if text == "" {
		return ""
	}
	return wordwrap.WrapString(text, uint(width)) + "\n"
}
