package report

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// A series is a line of a figure, or points of one look.
type series struct {
	name string
	look mark
	plotter.XYs
}

// addPoint adds a point to the series of a structure, which it appends if there
// is none.
func addPoint(list []series, name string, x, y float64) []series {
	i := slices.IndexFunc(list, func(s series) bool { return s.name == name })
	if i < 0 {
		i = len(list)
		list = append(list, series{name: name, look: markOf(name)})
	}
	list[i].XYs = append(list[i].XYs, plotter.XY{X: x, Y: y})
	return list
}

// seriesOf returns the lines of curves, those of batches dashed.
func seriesOf(curves []measure.Curve) []series {
	var list []series
	for _, c := range curves {
		s := series{name: curveName(c), look: markOf(c.Structure)}
		if c.Batch {
			s.look.dashes = dashed
		}
		for i := range c.X {
			s.XYs = append(s.XYs, plotter.XY{X: c.X[i], Y: c.Y[i]})
		}
		list = append(list, s)
	}
	return list
}

func curveName(c measure.Curve) string {
	if c.Batch {
		return c.Structure + ", batch"
	}
	return c.Structure
}

// last returns the right end of a line.
func (s series) last() plotter.XY { return s.XYs[len(s.XYs)-1] }

// lines draws a list and writes the name of each line at its right end, no two
// closer than gap.
func (c *chart) lines(list []series, gap float64) {
	order := slices.SortedFunc(slices.Values(list), func(a, b series) int { return cmp.Compare(a.last().Y, b.last().Y) })
	at := make([]float64, len(order))
	for i, s := range order {
		at[i] = s.last().Y
		if i > 0 {
			at[i] = max(at[i], at[i-1]+gap)
		}
	}
	most := c.Y.Max - gap/2 // and none above the figure
	for i := len(order) - 1; i >= 0 && gap > 0; i-- {
		at[i] = min(at[i], most)
		most = at[i] - gap
	}
	for _, s := range list {
		c.line(s.XYs, s.look)
	}
	for i, s := range order {
		c.write(s.last().X*1.06, at[i], s.name, s.look.color, draw.XLeft, 0)
	}
}

// inTable are structures that would cover others in a figure of times.
var inTable = []string{"counting", "cuckoo-compact", "perfect", "seiflotfy-cuckoo"}

// timeChart draws the time of a lookup against the number of keys.
func timeChart(times []measure.Curve) *chart {
	c := newChart("time-by-n", "A lookup at 1 %, by the number of keys", "keys", "nanoseconds")
	list := seriesOf(slices.DeleteFunc(slices.Clone(times), func(t measure.Curve) bool { return slices.Contains(inTable, t.Structure) }))
	c.across(list[0].XYs[0].X, list[0].last().X, 12, countTicks)
	_, top := heights(list)
	step := 10.0
	for top/step > 10 {
		step *= 2
	}
	top = math.Ceil(top/step) * step
	c.up(0, top, every(step, top))
	c.lines(list, top/22)
	return c
}

// timeTable shows the times by the number of keys, of every second number from
// the third on: 10^4, 10^5 and so on. The chart has all of them.
func timeTable(times []measure.Curve) table {
	t := table{Columns: []column{{name: "structure", Left: true}}}
	for i := 2; i < len(times[0].X); i += 2 {
		t.Columns = append(t.Columns, column{name: measure.Thousands(int(times[0].X[i]))})
	}
	for _, c := range times {
		cells := []string{curveName(c)}
		for i := 2; i < len(c.Y); i += 2 {
			cells = append(cells, nanoseconds(c.Y[i]))
		}
		t.lines = append(t.lines, line{Cells: cells})
	}
	return t
}

// heights returns the lowest and the highest place of lines.
func heights(list []series) (low, high float64) {
	low = math.Inf(1)
	for _, s := range list {
		for _, p := range s.XYs {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	return low, high
}

// errorChart draws the mean error of counts against memory. An error of 0 has
// no place on a logarithmic axis.
func errorChart(errors []measure.FrequencyRow) *chart {
	c := newChart("count-error", "How much a word's count is too high, words of Moby-Dick", "KiB", "mean error, occurrences")
	var list []series
	for _, x := range errors {
		if x.MeanError != nil && *x.MeanError > 0 {
			list = addPoint(list, x.Structure, float64(x.Memory)/1024, *x.MeanError)
		}
	}
	c.across(float64(errors[0].Memory)/1024, float64(errors[len(errors)-1].Memory)/1024, 6, kibTicks)
	low, high := heights(list)
	c.upByTens(math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high))))
	c.lines(list, 0)
	return c
}

// errorTable shows the errors by memory, of every second size. The chart has
// all of them.
func errorTable(list []measure.FrequencyRow) table {
	t := table{Columns: []column{
		{name: "KiB"}, {name: "structure", Left: true}, {name: "mean error"}, {name: "largest"}, {name: "bound"},
		{name: "above it"}, {name: "missed"}, {name: "extra"},
	}}
	for _, x := range list {
		if bits.TrailingZeros(uint(x.Memory))%2 != 0 {
			continue
		}
		cells := append([]string{strconv.Itoa(x.Memory >> 10), x.Structure}, errorCells(x)...)
		t.lines = append(t.lines, line{Cells: append(cells, mean(x.Missed), mean(x.Extra))})
	}
	return t
}
