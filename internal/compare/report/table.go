package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mitchellh/go-wordwrap"
)

// A table contains rows of text. It can be formatted as text, Markdown or HTML.
type table struct {
	Columns []column
	Lines   []line
}

type column struct {
	name  string // the heading in text
	title string // the heading in Markdown and on the page, if different
	Left  bool   // aligned left instead of right
	drop  int    // narrow terminals drop column 1 first, then 2 and so on; 0 is never dropped
}

// A line is a row. In text, groups are separated by empty lines.
type line struct {
	group string
	Wrong bool // printed in red on the page
	Cells []string
}

func (c column) Heading() string { return cmp.Or(c.title, c.name) }

// text formats the table within width. It lists dropped columns below.
func (t table) text(width int) string {
	shown, dropped := t.fit(width)
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.name)
	}
	text := t.textLine(shown, names)
	for i, group := range t.Groups() {
		if i > 0 {
			text += "\n"
		}
		for _, l := range group {
			text += t.textLine(shown, l.Cells)
		}
	}
	if len(dropped) > 0 {
		text += "\n" + wrap(fmt.Sprintf("Dropped to fit in %d columns: %s.", width, strings.Join(dropped, ", ")), width)
	}
	return text
}

func (t table) textLine(shown []int, cells []string) string {
	var padded []string
	for _, i := range shown {
		width := t.width(i)
		if t.Columns[i].Left {
			width = -width
		}
		padded = append(padded, fmt.Sprintf("%*s", width, cells[i]))
	}
	return strings.TrimRight(strings.Join(padded, " "), " ") + "\n"
}

func (t table) width(i int) int {
	width := utf8.RuneCountInString(t.Columns[i].name)
	for _, l := range t.Lines {
		width = max(width, utf8.RuneCountInString(l.Cells[i]))
	}
	return width
}

// fit returns the indexes of the columns that fit, and the names of the others.
func (t table) fit(width int) (shown []int, dropped []string) {
	total := -1
	for i := range t.Columns {
		shown = append(shown, i)
		total += t.width(i) + 1
	}
	for next := 1; total > width && next <= len(t.Columns); next++ {
		i := slices.IndexFunc(t.Columns, func(c column) bool { return c.drop == next })
		if i < 0 {
			continue
		}
		shown = slices.DeleteFunc(shown, func(x int) bool { return x == i })
		dropped = append(dropped, t.Columns[i].name)
		total -= t.width(i) + 1
	}
	return shown, dropped
}

func (t table) markdown() string {
	var head []string
	rule := "|"
	for _, c := range t.Columns {
		head = append(head, c.Heading())
		rule += "---"
		if !c.Left {
			rule += ":"
		}
		rule += "|"
	}
	row := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	text := row(head) + rule + "\n"
	for _, l := range t.Lines {
		text += row(l.Cells)
	}
	return text
}

// Groups returns the lines of each group.
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

// wrap breaks text into lines. It adds a newline unless the text is empty.
func wrap(text string, width int) string {
	if text == "" {
		return ""
	}
	return wordwrap.WrapString(text, uint(width)) + "\n"
}
