package report

import (
	"fmt"
	"html"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// darkColors maps each color in the figures to one for a dark color scheme.
var darkColors = [][2]string{
	{"#FFFFFF", "#0d1117"}, {"#000000", "#9198a1"}, {"#E6E6E6", "#30363d"}, {"#505050", "#b1bac4"}, {"#0072B2", "#4aa8e8"},
	{"#D55E00", "#f0883e"}, {"#009E73", "#3fc79a"}, {"#A83A7A", "#e08bc0"}, {"#4B3FB5", "#a79dff"}, {"#5E7D00", "#a8c84a"},
	{"#9A6A00", "#d9a23a"}, {"#D6E8F3", "#0f2f47"}, {"#F8E0CF", "#4a2a12"},
}

// darkTheme returns a style sheet that replaces the colors. Lines have a
// stroke; areas and labels have a fill. Black labels do not specify a color.
func darkTheme() string {
	style := "<style>\n@media (prefers-color-scheme: dark) {\n" + `text:not([style*="fill:#"]) { fill: #e6edf3 !important }` + "\n"
	for _, c := range darkColors {
		for _, property := range []string{"stroke", "fill"} {
			style += fmt.Sprintf("[style*=\"%s:%s\"] { %s: %s !important }\n", property, c[0], property, c[1])
		}
	}
	return style + "}\n</style>\n"
}

// The approximate size of the area inside the axes, for the angle of labels.
const (
	areaWidth  = 525.0
	areaHeight = 300.0
)

// margin is room on the right for labels in fonts that are wider than
// Liberation Sans, for example DejaVu Sans.
const margin vg.Length = 30

// narrow is the width of a figure whose labels can be read on a phone.
const narrow = 5.5 * vg.Inch

type chart struct {
	*plot.Plot
	name          string // its file name without extension
	width, height vg.Length
}

func newChart(name, title, x, y string) *chart {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = x
	p.Y.Label.Text = y
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font = letters(12)
	}
	p.Title.TextStyle.Font = letters(14)
	p.Title.Padding = vg.Points(6)
	p.BackgroundColor = nil // svg fills the margin, too
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Gray{0xE6}
	grid.Horizontal.Color = color.Gray{0xE6}
	p.Add(grid)
	return &chart{p, name, 8 * vg.Inch, 5 * vg.Inch}
}

func letters(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// across sets the range of the logarithmic x axis. The axis extends to
// high*room, but has ticks only up to high, so that there is space for labels.
func (c *chart) across(low, high, room float64, label func(float64) string) {
	c.X.Min, c.X.Max = low, high*room
	c.X.Scale = plot.LogScale{}
	c.X.Tick.Marker = tens(low, high, label)
}

func (c *chart) up(low, high float64, ticks plot.ConstantTicks) {
	c.Y.Min, c.Y.Max = low, high
	c.Y.Tick.Marker = ticks
}

// upTens sets the range of the y axis to 10^low to 10^high. The axis shows
// exponents on a linear scale, because package plot would reserve space above a
// logarithmic axis. So points must be drawn at the logarithms of their values.
func (c *chart) upTens(low, high float64, label func(float64) string) {
	ticks := tens(math.Pow(10, low), math.Pow(10, high), label)
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	c.up(low, high, ticks)
}

// marked returns labeled ticks from low to high.
func marked(low, high float64, next func(float64) float64) (ticks plot.ConstantTicks) {
	for x := low; x <= high; x = next(x) {
		ticks = append(ticks, plot.Tick{Value: x, Label: plain(x)})
	}
	return ticks
}

// tens returns ticks for powers of ten, with minor ticks in between.
func tens(low, high float64, label func(float64) string) plot.ConstantTicks {
	ticks := plot.LogTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if !t.IsMinor() {
			ticks[i].Label = label(t.Value)
		}
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < low*0.999 || t.Value > high*1.001 })
}

func count(x float64) string { return measure.Thousands(int(math.Round(x))) }

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (c *chart) line(points plotter.XYs, look mark) {
	c.Add(&plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: look.color, Width: vg.Points(1.5), Dashes: look.dashes}})
}

func (c *chart) points(points plotter.XYs, look mark) {
	c.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: look.color, Shape: look.shape, Radius: vg.Points(4)}})
}

// write draws a rotated label that begins at a point.
func (c *chart) write(x, y float64, name string, ink color.Color, angle float64) {
	style := text.Style{Color: ink, Font: letters(12), YAlign: draw.YCenter, Rotation: angle, Handler: plot.DefaultTextHandler}
	c.Add(&plotter.Labels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{name}, TextStyle: []text.Style{style}})
}

// save writes the figure into dir as SVG and returns the name of the file.
func (c *chart) save(dir string) (string, error) {
	name := filepath.Join(dir, c.name+".svg")
	drawing, err := c.svg()
	if err == nil {
		err = os.WriteFile(name, []byte(drawing), 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, measure.Pathless(err))
	}
	return name, nil
}

// svg returns the figure as SVG, with the reader's light or dark color scheme
// and a title for screen readers.
func (c *chart) svg() (string, error) {
	canvas, err := draw.NewFormattedCanvas(c.width+margin, c.height, "svg")
	if err != nil {
		return "", err
	}
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	c.Draw(draw.Crop(all, 0, -margin, 0, 0))
	var b strings.Builder
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	start, attributes, opened := strings.Cut(b.String(), "<svg ")
	attributes, body, found := strings.Cut(attributes, "<g ")
	if !opened || !found {
		return "", fmt.Errorf("no drawing in %.40q", start)
	}
	about := html.EscapeString(fmt.Sprintf("%s: %s against %s", c.Title.Text, c.Y.Label.Text, c.X.Label.Text))
	return start + `<svg role="img" aria-label="` + about + `" ` + attributes + "<title>" + about + "</title>\n" + darkTheme() + "<g " +
		strings.ReplaceAll(body, "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,sans-serif"), nil
}

// Most of these are colors of Okabe and Ito, which people with the common forms
// of color blindness can distinguish. Some are darker here, so that labels can
// be read.
var (
	blue      = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	vermilion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	green     = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	purple    = color.RGBA{0xA8, 0x3A, 0x7A, 0xFF}
	ochre     = color.RGBA{0x9A, 0x6A, 0x00, 0xFF}
	indigo    = color.RGBA{0x4B, 0x3F, 0xB5, 0xFF}
	olive     = color.RGBA{0x5E, 0x7D, 0x00, 0xFF}
	gray      = color.RGBA{0x50, 0x50, 0x50, 0xFF}
)

// A mark is a structure's style in all figures. The marks of points also differ
// by their shape, for readers who cannot see colors.
type mark struct {
	color  color.RGBA
	shape  outline
	dashes []vg.Length
}

// An outline contains the strokes of a shape with radius 1. It is not filled,
// so it hides no other shapes.
type outline [][]vg.Point

var (
	ring     = outline{corners(24, 0)}
	square   = outline{corners(4, math.Pi/4)}
	triangle = outline{corners(3, math.Pi/2)}
	pyramid  = outline{corners(3, -math.Pi/2)}
	diamond  = outline{corners(4, 0)}
	pentagon = outline{corners(5, math.Pi/2)}
	hexagon  = outline{corners(6, 0)}
	star     = outline{{{X: -1}, {X: 1}}, {{X: -.5, Y: -.87}, {X: .5, Y: .87}}, {{X: -.5, Y: .87}, {X: .5, Y: -.87}}}
	cross    = outline{{{X: -.7, Y: -.7}, {X: .7, Y: .7}}, {{X: -.7, Y: .7}, {X: .7, Y: -.7}}}
	plus     = outline{{{X: -1}, {X: 1}}, {{Y: -1}, {Y: 1}}}
)

// corners returns a polygon's corners, with the first one again at the end.
func corners(n int, angle float64) []vg.Point {
	var points []vg.Point
	for i := range n + 1 {
		sin, cos := math.Sincos(angle + 2*math.Pi*float64(i)/float64(n))
		points = append(points, vg.Point{X: vg.Length(cos), Y: vg.Length(sin)})
	}
	return points
}

// DrawGlyph implements [draw.GlyphDrawer].
func (o outline) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	for _, stroke := range o {
		var line []vg.Point
		for _, p := range stroke {
			line = append(line, at.Add(p.Scale(style.Radius)))
		}
		c.StrokeLines(draw.LineStyle{Color: style.Color, Width: vg.Points(1.25)}, line)
	}
}

var dashed = []vg.Length{vg.Points(5), vg.Points(3)}

var marks = map[string]mark{
	"bloom":             {blue, ring, nil},
	"bloom-partitioned": {blue, cross, nil},
	"bloom-blocked":     {green, square, nil},
	"bloom-scalable":    {blue, hexagon, nil},
	"counting":          {ochre, plus, nil},
	"cuckoo":            {vermilion, triangle, nil},
	"cuckoo-compact":    {purple, pyramid, nil},
	"cuckoo-scalable":   {vermilion, pentagon, nil},
	"static":            {indigo, diamond, nil},
	"perfect":           {olive, star, nil},

	"count-min":              {color: blue},
	"count-min-conservative": {color: green},
	"heavy-hitters":          {color: vermilion},
	"map":                    {color: gray},
}

// markOf returns a structure's mark. Other structures are gray.
func markOf(name string) mark {
	if m, ok := marks[name]; ok {
		return m
	}
	return mark{gray, cross, dashed}
}

// peerShapes distinguishes gray marks.
var peerShapes = []outline{cross, plus, star, ring, square, diamond, triangle, pyramid, pentagon, hexagon}
