package report

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/sizing"
)

var small = table{
	Columns: []column{{name: "name", Left: true}, {name: "n", title: "number"}, {name: "extra", drop: 2}, {name: "more", Left: true, drop: 1}},
	Lines: []line{
		{group: "a", Cells: []string{"one", "1", "x", "y"}},
		{group: "b", Wrong: true, Cells: []string{"zwölf", "12", "<x>", "y"}},
	},
}

func TestTableHasThreeForms(t *testing.T) {
	assert.Equal(t, "name   n extra more\none    1     x y\n\nzwölf 12   <x> y\n", small.text(100))
	assert.Equal(t, "| name | number | extra | more |\n|---|---:|---:|---|\n| one | 1 | x | y |\n| zwölf | 12 | <x> | y |\n", small.markdown())
	times := timeTable([]int{10, 20, 30}, []measure.Curve{{Structure: "x", Batch: true, NS: []float64{5, 6, 7}}})
	assert.Equal(t, "structure  30\nx, batch  7.0\n", times.text(100), "every second number of keys")
	var html strings.Builder
	require.NoError(t, pageTemplate.ExecuteTemplate(&html, "table", small))
	assert.Contains(t, html.String(), `<th scope="col" class="left">name<th scope="col">number`)
	assert.Contains(t, html.String(), "<tr class=\"wrong\"><td class=\"left\">zwölf<td>12<td>&lt;x&gt;<td class=\"left\">y</tr>")
	assert.Equal(t, 2, strings.Count(html.String(), "<tbody>"))
}

func TestNarrowTableNamesDroppedColumns(t *testing.T) {
	for width, want := range map[int]string{
		19: "name   n extra more\n",
		18: "name   n extra\n",
		13: "name   n\n",
		3:  "name   n\n", // no other column may be dropped
	} {
		assert.True(t, strings.HasPrefix(small.text(width), want), "%d: %s", width, small.text(width))
	}
	assert.NotContains(t, small.text(19), "Dropped")
	assert.Contains(t, small.text(14), "Dropped to fit\nin 14 columns:\nmore.")
}

// widest returns a row with long cells.
func widest() measure.Row {
	ns := 1234.0
	return measure.Row{
		Structure: "bloom-partitioned", TargetFPR: 0.0001, BitsPerKey: 123.45, BoundRatio: new(float64), FPR: 0.00011,
		FPRLow: 0.00009, FPRHigh: 0.00013, FalseNegatives: 999, AddNS: 1234, HitNS: 1234, MissNS: 1234, DeleteNS: &ns,
		Of: measure.Structure{Also: "count merge"},
	}
}

func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
	}
}

func TestTablesFitNarrowTerminals(t *testing.T) {
	number := 1234.5
	counts := []measure.FrequencyRow{{
		Structure: "count-min-conservative", Setting: "0.1%, 16 KiB", Bytes: 1 << 20, BitsPerKey: 123.45, MeanError: &number,
		MaxError: &number, ErrorBound: &number, AboveBound: 0.01, Wanted: 132, Missed: 1.5, Extra: 1.5, AddNS: 99,
	}}
	compared := widest()
	compared.Of.Against, compared.Of.Peer = "bloom", true
	compared.Against, compared.Rate, compared.Bits, compared.Add, compared.Hit = "bloom", &compared.TargetFPR, &number, &number, &number
	for _, width := range []int{60, 80, 100} {
		for _, table := range []table{spaceTable([]measure.Row{widest()}), countTable(counts), ratioTable([]measure.Row{compared})} {
			require.NotEmpty(t, table.Lines)
			fits(t, table.text(width), width)
		}
	}
	header := `^structure +target +bits/key +bound +measured +lost +add +hit +miss +del\n`
	assert.Regexp(t, header, spaceTable([]measure.Row{widest()}).text(80), "80 columns have room for it")
	attacks := Attacks{Findings: attack.Fight(attack.Battles, attack.Quick, func() {})}
	fits(t, plainText(attacks, 100), 100)
	assert.NotContains(t, plainText(attacks, 100), "Dropped")
	assert.Contains(t, plainText(attacks, 80), "Dropped")
}

func TestLargeCountsAreShort(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 10_000: "10k", 123_456: "123k", 999_499: "999k", 999_500: "1M", 998_999_999: "999M", 2_600_000: "3M"} {
		assert.Equal(t, want, brief(n))
	}
}

func TestPeerLibrariesAreNamedOnce(t *testing.T) {
	var list []measure.Row
	for _, s := range measure.Peers {
		assert.Equal(t, s.Name == "sorted", s.Module == "", s.Name)
		list = append(list, measure.Row{Structure: s.Name, Of: s})
	}
	names := modulesOf(list)
	require.Len(t, names, 7)
	assert.Contains(t, names[4], "boom-bloom, boom-counting, boom-cuckoo of github.com/tylertreat/BoomFilters")
}

func TestMissedRateIsRemarked(t *testing.T) {
	list := []measure.Row{
		{Structure: "good", TargetFPR: 0.01, FPR: 0.0112, FPRLow: 0.0109, FPRHigh: 0.0115},
		{Structure: "bad", TargetFPR: 0.01, FPR: 0.025, FPRLow: 0.024, FPRHigh: 0.026},
	}
	assert.Equal(t, []string{"bad at 1% has 2.5 times the requested rate"}, peerRemarks(list, nil))
}

// Filters that know the absent keys have one note, with all rates for keys that
// they do not know. In the table, their rate is 0 and not an estimate.
func TestFiltersOfBothListsHaveOneNote(t *testing.T) {
	rate := func(r float64) *float64 { return &r }
	list := []measure.Row{
		{Structure: "smallest", Of: measure.Structure{Exact: true, Knows: true}, FPRHigh: 1e-6, ForeignRate: rate(0.5)},
		{Structure: "static", Of: measure.Structure{}, TargetFPR: 0.01, FPRHigh: 1e-6},
		{Structure: "absent", Of: measure.Structure{Knows: true}, TargetFPR: 0.03, FPRHigh: 1e-6, ForeignRate: rate(0.02996)},
		{Structure: "absent", Of: measure.Structure{Knows: true}, TargetFPR: 0.01, FPR: 1e-3, FPRHigh: 2e-3, ForeignRate: rate(0.01)},
	}
	assert.Equal(t, []string{"also built from the absent keys, which add includes, and without errors on them: smallest, absent. " +
		"For keys in neither list, these are their false-positive rates: smallest (exact) 50%, absent (3%) 2.996%, absent (1%) 1%"},
		peerRemarks(list, nil))
	var rates []string
	for _, l := range spaceTable(list).Lines {
		rates = append(rates, l.Cells[4])
	}
	assert.Equal(t, "0", rates[0])
	assert.Equal(t, "0", rates[2])
	assert.NotEqual(t, "0", rates[1], "an estimate")
	assert.NotEqual(t, "0", rates[3], "an error must be seen")
}

func TestCommandIsQuotedForShell(t *testing.T) {
	assert.Equal(t, "go run -C internal/compare . -n 1e6 -fpr 0.01,0.1", command([]string{"-n", "1e6", "-fpr", "0.01,0.1"}))
	assert.Equal(t, `go run -C internal/compare . -o '' -keys 'a b'\''c$'`, command([]string{"-o", "", "-keys", "a b'c$"}))
}

func TestPageWithoutCalculatorSaysWhy(t *testing.T) {
	r := Report{Results: &measure.Results{Data: &measure.Dataset{About: "No keys."}}}
	name, err := r.writePage(t.TempDir(), calculator{WasmError: assert.AnError}, costChart(nil))
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(text), "The calculator is missing: "+assert.AnError.Error()))
	assert.False(t, strings.Contains(string(text), "<script"))
}

func TestFigureHasItsLines(t *testing.T) {
	for i, bits := range []float64{14.38, 13.37, 12.34, 9.97} {
		assert.InDelta(t, bits, (math.Log2(1000)+costLines[i].more)/costLines[i].load, 0.01, "at a rate of 0.1%%")
	}
}

// A counting filter needs more bits than the axis has. It must not disappear.
func TestFigureShowsFiltersAboveTheAxis(t *testing.T) {
	counting := measure.Row{Structure: "counting", FPR: 0.0001, BitsPerKey: 76.68}
	peer := measure.Row{Structure: "toy", FPR: 0.001, BitsPerKey: 8181, Of: measure.Structure{Peer: true}}
	drawing, err := costChart([]measure.Row{counting, peer}).svg()
	require.NoError(t, err)
	assert.Contains(t, drawing, ">76.7</text>")
	assert.NotContains(t, drawing, ">8181")
	assert.Contains(t, drawing, ">compact cuckoo: one bit less</text>")
}

func TestAddTimesAreMeans(t *testing.T) {
	list := []measure.Row{{Structure: "a", AddNS: 10, Bytes: 5}, {Structure: "b", AddNS: 1, Bytes: 1}, {Structure: "a", AddNS: 20, Bytes: 4}}
	assert.Equal(t, map[string]addTime{"a": {NS: 15, Bytes: 5}, "b": {NS: 1, Bytes: 1}}, addTimes(list))
}

// The table of other libraries says which hash function each one has.
func TestTableNamesHashesThatDiffer(t *testing.T) {
	own := measure.Row{Structure: "bloom", Hash: "our SipHash"}
	other := measure.Row{Structure: "toy", Hash: "FNV-1", Of: measure.Structure{Peer: true}}
	assert.NotContains(t, spaceTable([]measure.Row{own}).markdown(), "hash")
	table := spaceTable([]measure.Row{own, other})
	assert.True(t, strings.HasPrefix(table.markdown(), "| structure | hash | target rate |"))
	assert.Equal(t, []string{"our SipHash", "FNV-1"}, []string{table.Lines[0].Cells[1], table.Lines[1].Cells[1]})
	fits(t, table.text(80), 80)
}

func TestSmallCuckooFiltersKeepTheirPromise(t *testing.T) {
	text, err := os.ReadFile("../../../docs/accuracy.md")
	require.NoError(t, err)
	require.Contains(t, string(text), capacityTable(4).markdown())
	rows := capacityTable(1)
	require.Greater(t, len(rows.Lines), 30)
	for _, l := range rows.Lines {
		require.Len(t, l.Cells, len(rows.Columns))
		most, err := strconv.ParseFloat(l.Cells[len(l.Cells)-1], 64)
		require.NoError(t, err)
		require.Less(t, most, 1e-6)
	}
}

// dejaVuSans contains the widths of the characters from space to tilde in
// DejaVu Sans, in thousandths of the font size. Bold ones are up to 17% wider.
var dejaVuSans = []float64{
	318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
	636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
	603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
	634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
}

func width(label string, size float64) (sum float64) {
	for _, r := range label {
		sum += dejaVuSans[r-' '] / 1000 * size
	}
	return sum
}

func figure(t *testing.T, name string) (text string, width float64) {
	file, err := os.ReadFile("../../../docs/figures/" + name + ".svg")
	require.NoError(t, err)
	box := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `).FindStringSubmatch(string(file))
	require.NotNil(t, box, name)
	return string(file), parsed(t, box[1])
}

func parsed(t *testing.T, number string) float64 {
	x, err := strconv.ParseFloat(number, 64)
	require.NoError(t, err)
	return x
}

var svgLabel = regexp.MustCompile(`<text x="([0-9.]+)" y="[^"]*" transform="scale\(1, -1\)"\s+style="[^"]*font-size:([0-9]+)px[^"]*">([^<]*)</text>`)

// labelsFit fails if a label would be cut where the font is DejaVu Sans, which
// is wider than Liberation Sans.
func labelsFit(t *testing.T, name, text string) {
	t.Helper()
	box := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `).FindStringSubmatch(text)
	require.NotNil(t, box, name)
	labels := svgLabel.FindAllStringSubmatch(text, -1)
	require.Greater(t, len(labels), 8, name)
	for _, m := range labels {
		assert.LessOrEqual(t, parsed(t, m[1])+width(m[3], parsed(t, m[2])), parsed(t, box[1]), "%s: %s", name, m[3])
	}
}

func TestTimeFigureHasRoomForItsLabels(t *testing.T) {
	keys := measure.NewSweep(false).Times
	ns := make([]float64, len(keys))
	drawing, err := timeChart(keys, []measure.Curve{{Structure: "bits-and-blooms", NS: ns}, {Structure: "bloom-blocked", Batch: true, NS: ns}}).svg()
	require.NoError(t, err)
	labelsFit(t, "time-by-n", drawing)
}

func TestLabelsFitInWiderFonts(t *testing.T) {
	for _, name := range []string{"time-by-n", "count-error", "smaller", "absent"} {
		text, _ := figure(t, name)
		labelsFit(t, name, text)
	}
	drawn, err := smallerChart().svg()
	require.NoError(t, err)
	smaller, _ := figure(t, "smaller")
	size := regexp.MustCompile(`viewBox="[^"]*"`)
	require.Equal(t, size.FindString(drawn), size.FindString(smaller))
}

// In the tree, a condition must not reach the name of the type.
func TestConditionsFitBesideTypes(t *testing.T) {
	line := regexp.MustCompile(`<text class="small" x="([0-9]+)" y="[0-9]+">([^<]*)</text>\n<text class="type" x="([0-9]+)"[^>]*>([^<]*)</text>`)
	text, _ := figure(t, "choose")
	lines := line.FindAllStringSubmatch(text, -1)
	require.Greater(t, len(lines), 8)
	for _, m := range lines {
		room := parsed(t, m[3]) - parsed(t, m[1])
		assert.LessOrEqual(t, width(m[2], 13)+1.17*width(m[4], 14), room, "%s: %s", m[2], m[4])
	}
	require.True(t, strings.Contains(text, `<rect class="paper"`), "there is no background")
}

// A long test of package cuckoo/internal/table estimates the column others. All
// other columns follow from package sizing. The numbers in the file are rounded,
// so their sum can differ from the last column by up to a third.
func TestCapacityTableFollowsFromItsFile(t *testing.T) {
	page, err := os.ReadFile("../../../docs/accuracy.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), capacityTable(4).markdown())
	rows := capacityTable(1).Lines
	assert.Contains(t, string(page), fmt.Sprintf("prints the rows of %d tables", len(rows)))
	for _, line := range rows {
		var n [7]float64 // keys, buckets, bits, pairs, others, the standard error, and at most
		for i, cell := range line.Cells {
			n[i], err = strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
		}
		keys, buckets, bits := uint64(n[0]), uint64(n[1]), int(n[2])
		assert.Equal(t, keys, sizing.CuckooCapacity(buckets, bits), line)
		pairs := sizing.CrowdedPairs(buckets, bits, keys)
		assert.Equal(t, fmt.Sprintf("%.2g", n[3]), fmt.Sprintf("%.2g", pairs), line)
		assert.InDelta(t, pairs+n[4]+4*n[5], n[6], n[6]/3, line)
		assert.LessOrEqual(t, n[6], 1e-6/5, line)
	}
}
