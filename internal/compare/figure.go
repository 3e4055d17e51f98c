package main

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito, which people with any common colour blindness
// tell apart.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xB2, 0xFF}, // blue
	color.RGBA{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	color.RGBA{0x00, 0x9E, 0x73, 0xFF}, // green
	color.RGBA{0xCC, 0x79, 0xA7, 0xFF}, // purple
	color.RGBA{0xE6, 0x9F, 0x00, 0xFF}, // orange
	color.RGBA{0x56, 0xB4, 0xE9, 0xFF}, // sky
}

// glyphs differ in shape as well, for those who see no colours at all. Hollow
// ones stay visible on top of each other.
var glyphs = []draw.GlyphDrawer{
	draw.RingGlyph{}, draw.CrossGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{},
}

const (
	rateLeft, rateRight = 1e-6, 0.1
	bitsTop             = 32.0
)

// writeFigures draws bits per key against the rate of false positives, as
// Fan et al. (CoNEXT 2014) do in their Figure 4, into dir, and returns the
// names of the files.
func writeFigures(dir string, rows []row) ([]string, error) {
	p := newFigure(rows)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var files []string
	for _, end := range []string{".svg", ".png"} {
		name := filepath.Join(dir, "bits-per-key"+end)
		if err := p.Save(8*vg.Inch, 5*vg.Inch, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if full, err := filepath.Abs(name); err == nil {
			name = full
		}
		files = append(files, name)
	}
	return files, nil
}

func newFigure(rows []row) *plot.Plot {
	p := plot.New()
	p.Title.Text = "What a key costs"
	p.X.Label.Text = "false-positive rate"
	p.Y.Label.Text = "bits per key"
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font = letters(12)
	}
	p.Title.TextStyle.Font = letters(14)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = rateLeft, rateRight, 0, bitsTop
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.TickerFunc(decades)
	p.Y.Tick.Marker = plot.ConstantTicks(everyFour())

	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xE6}, color.Gray{0xE6}
	p.Add(grid)

	addCurve(p, 1/math.Ln2, []vg.Length{vg.Points(5), vg.Points(3)})
	addCurve(p, 1, nil)
	// Beside the left half of the curves, where measurements are rare: the one
	// above its curve, the other below.
	addText(p, 4e-6, 27.6, "a Bloom filter in theory: 1.44 log2(1/rate)", grey)
	addText(p, 1.3e-6, 13, "the least possible: log2(1/rate)", grey)
	addPoints(p, rows)
	return p
}

var grey = color.Gray{0x50}

// addCurve draws factor * log2(1/rate).
func addCurve(p *plot.Plot, factor float64, dashes []vg.Length) {
	curve := plotter.NewFunction(func(rate float64) float64 { return factor * math.Log2(1/rate) })
	curve.XMin, curve.XMax, curve.Samples = rateLeft, rateRight, 200
	curve.Color, curve.Width, curve.Dashes = grey, vg.Points(1.5), dashes
	p.Add(curve)
}

// addText writes name to the right of a point of the figure.
func addText(p *plot.Plot, rate, bits float64, name string, c color.Color) {
	p.Add(&plotter.Labels{
		XYs:    plotter.XYs{{X: rate, Y: bits}},
		Labels: []string{name},
		TextStyle: []text.Style{{
			Color: c, Font: letters(12), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
		}},
	})
}

// addPoints draws the measured rows, one shape and colour per structure, and
// names them beside the points of the smallest rate.
func addPoints(p *plot.Plot, rows []row) {
	series := make(map[string]plotter.XYs)
	var order []string
	left := rateRight
	for _, x := range rows {
		// An exact set is far above the figure, and a rate of which no case was
		// seen has no place on a logarithmic axis.
		if x.BoundRatio == nil || x.FPR < rateLeft || x.FPR > rateRight || x.BitsPerKey > bitsTop {
			continue
		}
		if series[x.Structure] == nil {
			order = append(order, x.Structure)
		}
		series[x.Structure] = append(series[x.Structure], plotter.XY{X: x.FPR, Y: x.BitsPerKey})
		left = min(left, x.FPR)
	}
	styles := make(map[string]draw.GlyphStyle)
	for i, name := range order {
		styles[name] = draw.GlyphStyle{Color: palette[i%len(palette)], Shape: glyphs[i%len(glyphs)], Radius: vg.Points(4.5)}
		p.Add(&plotter.Scatter{XYs: series[name], GlyphStyle: styles[name]})
	}

	// The names stand above each other, in the order of the bits, right of the
	// points and clear of the curve.
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(top(series[a]), top(series[b])) })
	x := min(left*1.7, 1e-3)
	y := math.Log2(1/x)/math.Ln2 + 1.2
	for _, name := range order {
		y = max(y, top(series[name]))
		p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: x, Y: y}}, GlyphStyle: styles[name]})
		addText(p, x*1.25, y, name, styles[name].Color)
		y += 1.6
	}
}

// top returns the most bits per key of a series.
func top(points plotter.XYs) float64 {
	most := 0.0
	for _, point := range points {
		most = max(most, point.Y)
	}
	return most
}

func letters(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// decades marks the powers of ten in per cent and the steps between them.
func decades(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := -6; e <= -1; e++ {
		value := math.Pow10(e)
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(100*value, 'f', max(0, -e-2), 64) + "%"})
		for m := 2.0; m < 10 && e < -1; m++ {
			ticks = append(ticks, plot.Tick{Value: m * value})
		}
	}
	return ticks
}

func everyFour() []plot.Tick {
	var ticks []plot.Tick
	for y := 0; y <= bitsTop; y += 4 {
		ticks = append(ticks, plot.Tick{Value: float64(y), Label: strconv.Itoa(y)})
	}
	return ticks
}
