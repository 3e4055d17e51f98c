package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var small = table{
	Columns: []column{{name: "name", Left: true}, {name: "n", title: "number"}, {name: "extra", drop: 2}, {name: "more", Left: true, drop: 1}},
	lines: []line{
		{group: "a", Cells: []string{"one", "1", "x", "y"}},
		{group: "b", Wrong: true, Cells: []string{"zwölf", "12", "<x>", "y"}},
	},
}

func TestATableIsWrittenInEveryForm(t *testing.T) {
	assert.Equal(t, "name   n extra more\none    1     x y\n\nzwölf 12   <x> y\n", small.text(100))
	assert.Equal(t, "| name | number | extra | more |\n|---|---:|---:|---|\n| one | 1 | x | y |\n| zwölf | 12 | <x> | y |\n", small.markdown())
	html, err := small.HTML()
	require.NoError(t, err)
	assert.Contains(t, string(html), `<th scope="col" class="left">name<th scope="col">number`)
	assert.Contains(t, string(html), "<tr class=\"wrong\"><td class=\"left\">zwölf<td>12<td>&lt;x&gt;<td class=\"left\">y</tr>")
	assert.Equal(t, 2, strings.Count(string(html), "<tbody>"))
}

func TestANarrowTableLosesColumnsInTurnAndSaysSo(t *testing.T) {
	for width, want := range map[int]string{
		19: "name   n extra more\n",
		18: "name   n extra\n",
		13: "name   n\n",
		3:  "name   n\n", // no column is left to lose
	} {
		assert.True(t, strings.HasPrefix(small.text(width), want), "%d: %s", width, small.text(width))
	}
	assert.NotContains(t, small.text(19), "Left out")
	assert.Contains(t, small.text(14), "Left out to\nfit into 14\ncolumns: more.")
}
