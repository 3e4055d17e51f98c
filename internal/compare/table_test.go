package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var small = table{
	columns: []column{{name: "name", left: true}, {name: "n", title: "number"}, {name: "extra", drop: 2}, {name: "more", left: true, drop: 1}},
	lines: []line{
		{group: "a", cells: []string{"one", "1", "x", "y"}},
		{group: "b", wrong: true, cells: []string{"zwölf", "12", "<x>", "y"}},
	},
}

func TestATableIsWrittenInEveryForm(t *testing.T) {
	assert.Equal(t, "name   n extra more\none    1     x y\n\nzwölf 12   <x> y\n", small.text(100))
	assert.Equal(t, "| name | number | extra | more |\n|---|---:|---:|---|\n| one | 1 | x | y |\n| zwölf | 12 | <x> | y |\n", small.markdown())
	var b strings.Builder
	require.NoError(t, small.writeCSV(&b))
	assert.Equal(t, "name,n,extra,more\none,1,x,y\nzwölf,12,<x>,y\n", b.String())
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

func TestTheTablesFitNarrowTerminals(t *testing.T) {
	number := 1234.5
	counts := []frequencyRow{{
		Structure: "count-min-conservative", Setting: "0.1%, 16 KiB", Bytes: 1 << 20, BitsPerKey: 123.45, MeanError: &number,
		MaxError: &number, ErrorBound: &number, AboveBound: 0.01, Wanted: 132, Missed: 1.5, Extra: 1.5, AddNS: 99,
	}}
	compared := widest()
	compared.structure.against, compared.structure.peer = "bloom", true
	compared.Against, compared.Rate, compared.Bits, compared.Add, compared.Hit = "bloom", &compared.TargetFPR, &number, &number, &number
	for _, width := range []int{60, 80, 100} {
		for _, t1 := range []table{spaceTable([]row{widest()}), countTable(counts), ratioTable([]row{compared})} {
			for text := range strings.Lines(t1.text(width)) {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(text, "\n")), width, text)
			}
			require.NotEmpty(t, t1.lines)
		}
	}
	text := spaceTable([]row{widest()}).text(80)
	for _, kept := range []string{"structure", "target", "bits/key", "bound", "measured", "lost", "add", "hit", "miss", "del"} {
		assert.Contains(t, text, kept, "80 columns are enough for it")
	}
}

func TestNumbersAreWrittenShort(t *testing.T) {
	assert.Equal(t, "1,234,567", thousands(1234567))
	assert.Equal(t, "1 key", counted(1, "key", "keys"))
	assert.Equal(t, "0 keys", counted(0, "key", "keys"))
	assert.Equal(t, "1,000 keys", counted(1000, "key", "keys"))
	assert.Equal(t, "-", orDash(nil, hundredths))
}

func TestACommandCanBePastedIntoAShell(t *testing.T) {
	assert.Equal(t, "go run -C internal/compare . -n 1e6 -fpr 0.01,0.1", command([]string{"-n", "1e6", "-fpr", "0.01,0.1"}))
	assert.Equal(t, `go run -C internal/compare . -o '' -keys 'a b'\''c$'`, command([]string{"-o", "", "-keys", "a b'c$"}))
}
