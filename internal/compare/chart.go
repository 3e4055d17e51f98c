package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito, which people with any common colour blindness
// tell apart, the pale ones darkened so that names in them can be read.
var (
	blue      = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	vermilion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	green     = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	purple    = color.RGBA{0xA8, 0x3A, 0x7A, 0xFF}
	ochre     = color.RGBA{0x9A, 0x6A, 0x00, 0xFF}
	grey      = color.RGBA{0x50, 0x50, 0x50, 0xFF}
)

// darkTheme repaints a figure where the reader's screen is dark.
const darkTheme = `<style>
@media (prefers-color-scheme: dark) {
path[style*="fill:#FFFFFF"] { fill: #0d1117 !important }
text[style*="font"]:not([style*="fill:#"]) { fill: #e6edf3 !important }
path[style*="stroke:#000000"] { stroke: #9198a1 !important }
path[style*="stroke:#E6E6E6"] { stroke: #30363d !important }
path[style*="stroke:#505050"] { stroke: #b1bac4 !important }
text[style*="fill:#505050"] { fill: #b1bac4 !important }
path[style*="stroke:#0072B2"] { stroke: #4aa8e8 !important }
text[style*="fill:#0072B2"] { fill: #4aa8e8 !important }
path[style*="stroke:#D55E00"] { stroke: #f0883e !important }
text[style*="fill:#D55E00"] { fill: #f0883e !important }
path[style*="stroke:#009E73"] { stroke: #3fc79a !important }
text[style*="fill:#009E73"] { fill: #3fc79a !important }
path[style*="stroke:#A83A7A"] { stroke: #e08bc0 !important }
text[style*="fill:#A83A7A"] { fill: #e08bc0 !important }
path[style*="stroke:#9A6A00"] { stroke: #d9a23a !important }
text[style*="fill:#9A6A00"] { fill: #d9a23a !important }
}
</style>
`

const (
	chartWidth, chartHeight = 8 * vg.Inch, 5 * vg.Inch
	// What the axes leave of it, near enough to turn names along their lines.
	areaWidth, areaHeight = 525.0, 300.0
)

// A mark is how one structure looks in every figure. Shapes differ as well as
// colours, for those who see none.
type mark struct {
	color  color.RGBA
	shape  outline
	dashes []vg.Length
}

// An outline is a shape by the corners of its strokes, one unit around its
// middle. It is hollow, so that it stays visible under another.
type outline [][]vg.Point

var (
	ring     = outline{corners(24, 0)}
	square   = outline{corners(4, math.Pi/4)}
	triangle = outline{corners(3, math.Pi/2)}
	pyramid  = outline{corners(3, -math.Pi/2)}
	cross    = outline{{{X: -.7, Y: -.7}, {X: .7, Y: .7}}, {{X: -.7, Y: .7}, {X: .7, Y: -.7}}}
	plus     = outline{{{X: -1}, {X: 1}}, {{Y: -1}, {Y: 1}}}
)

// corners are those of a polygon, the first of them at an angle and again at
// the end.
func corners(n int, angle float64) []vg.Point {
	var points []vg.Point
	for i := range n + 1 {
		sin, cos := math.Sincos(angle + 2*math.Pi*float64(i)/float64(n))
		points = append(points, vg.Point{X: vg.Length(cos), Y: vg.Length(sin)})
	}
	return points
}

// DrawGlyph draws o around a point. It makes o a shape of package plot.
func (o outline) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	for _, stroke := range o {
		var line []vg.Point
		for _, p := range stroke {
			line = append(line, at.Add(p.Scale(style.Radius)))
		}
		c.StrokeLines(draw.LineStyle{Color: style.Color, Width: vg.Points(1.25)}, line)
	}
}

var dashed, dotted = []vg.Length{vg.Points(5), vg.Points(3)}, []vg.Length{vg.Points(1.5), vg.Points(2.5)}

var marks = map[string]mark{
	"bloom":             {blue, ring, nil},
	"bloom-partitioned": {blue, cross, nil},
	"bloom-blocked":     {green, square, nil},
	"counting":          {ochre, plus, nil},
	"cuckoo":            {vermilion, triangle, nil},
	"cuckoo-compact":    {purple, pyramid, nil},
}

// markOf gives what is not ours a grey mark.
func markOf(name string) mark {
	if m, ok := marks[name]; ok {
		return m
	}
	switch name {
	case "map":
		return mark{grey, cross, nil}
	case "seiflotfy-cuckoo":
		return mark{grey, cross, dotted}
	}
	return mark{grey, cross, dashed}
}

// A chart is a figure in the making.
type chart struct {
	*plot.Plot
	name string // of its files
}

func newChart(name, title, x, y string) *chart {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font = letters(12)
	}
	p.Title.TextStyle.Font = letters(14)
	p.Title.Padding = vg.Points(6)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xE6}, color.Gray{0xE6}
	p.Add(grid)
	return &chart{p, name}
}

func letters(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// across sets the range of the x axis, which is logarithmic, and up that of the
// y axis. Right of the range is room for names, room times as far as high.
func (c *chart) across(low, high, room float64, ticks func(low, high float64) []plot.Tick) {
	c.X.Min, c.X.Max, c.X.Scale = low, high*room, plot.LogScale{}
	c.X.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick { return ticks(low, high) })
}

func (c *chart) up(low, high float64, ticks plot.Ticker) {
	c.Y.Min, c.Y.Max, c.Y.Tick.Marker = low, high, ticks
}

// line draws points joined, without shapes.
func (c *chart) line(points plotter.XYs, look mark) {
	line, err := plotter.NewLine(points)
	if err != nil { // an infinity or no point: nothing to draw
		return
	}
	line.Color, line.Width, line.Dashes = look.color, vg.Points(1.5), look.dashes
	c.Add(line)
}

// points draws the shape of a mark at each point.
func (c *chart) points(points plotter.XYs, look mark) {
	c.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: look.color, Shape: look.shape, Radius: vg.Points(4)}})
}

// write puts a name at a point, starting there or ending there, turned by an
// angle.
func (c *chart) write(x, y float64, name string, ink color.Color, align text.XAlignment, angle float64) {
	c.Add(&plotter.Labels{
		XYs:    plotter.XYs{{X: x, Y: y}},
		Labels: []string{name},
		TextStyle: []text.Style{{
			Color: ink, Font: letters(12), XAlign: align, YAlign: draw.YCenter, Rotation: angle, Handler: plot.DefaultTextHandler,
		}},
	})
}

// slope is the angle of a line on paper: rise in y for a tenfold x.
func (c *chart) slope(rise float64) float64 {
	return math.Atan2(rise/(c.Y.Max-c.Y.Min)*areaHeight, areaWidth/math.Log10(c.X.Max/c.X.Min))
}

// save writes the figure as SVG and PNG into dir and returns the names of the
// files.
func (c *chart) save(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	png, svg := filepath.Join(dir, c.name+".png"), filepath.Join(dir, c.name+".svg")
	if err := c.Save(chartWidth, chartHeight, png); err != nil {
		return nil, fmt.Errorf("%s: %w", png, err)
	}
	drawing, err := c.svg()
	if err == nil {
		err = os.WriteFile(svg, []byte(drawing), 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", svg, err)
	}
	return []string{svg, png}, nil
}

// svg returns the figure as SVG that follows the reader's light or dark screen.
func (c *chart) svg() (string, error) {
	w, err := c.WriterTo(chartWidth, chartHeight, "svg")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if _, err := w.WriteTo(&b); err != nil {
		return "", err
	}
	head, body, found := strings.Cut(b.String(), "<g ")
	if !found {
		return "", fmt.Errorf("no drawing in %.40q", head)
	}
	return head + darkTheme + "<g " + strings.ReplaceAll(body, "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,sans-serif"), nil
}

// percentTicks marks the powers of ten of a rate in per cent, and the steps
// between them.
func percentTicks(low, high float64) []plot.Tick {
	return decades(low, high, func(e int) string {
		return strconv.FormatFloat(100*math.Pow10(e), 'f', max(0, -e-2), 64) + "%"
	})
}

// countTicks marks the powers of ten of a number.
func countTicks(low, high float64) []plot.Tick {
	return decades(low, high, func(e int) string { return thousands(int(math.Pow10(e))) })
}

func decades(low, high float64, label func(e int) string) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for m := 1.0; m < 10; m++ {
			tick := plot.Tick{Value: m * math.Pow10(e)}
			if m == 1 {
				tick.Label = label(e)
			}
			if tick.Value >= low*0.999 && tick.Value <= high*1.001 {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

// every marks the multiples of a step.
func every(step, top float64) plot.ConstantTicks {
	var ticks []plot.Tick
	for y := 0.0; y <= top; y += step {
		ticks = append(ticks, plot.Tick{Value: y, Label: strconv.FormatFloat(y, 'f', -1, 64)})
	}
	return ticks
}

// kibTicks marks the powers of two.
func kibTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for x := 1.0; x <= high; x *= 2 {
		if x >= low {
			ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', -1, 64)})
		}
	}
	return ticks
}

// upByTens makes the y axis logarithmic.
func (c *chart) upByTens(low, high float64) {
	c.Y.Min, c.Y.Max, c.Y.Scale = low, high, plot.LogScale{}
	c.Y.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
		return decades(low, high, func(e int) string { return strconv.FormatFloat(math.Pow10(e), 'f', -1, 64) })
	})
}
