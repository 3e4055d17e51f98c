package report

import (
	"fmt"
	"html"
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

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// darkColors are the colors of a figure and what they become for readers with a
// dark color scheme.
var darkColors = [][2]string{
	{"#FFFFFF", "#0d1117"}, {"#000000", "#9198a1"}, {"#E6E6E6", "#30363d"}, {"#505050", "#b1bac4"}, {"#0072B2", "#4aa8e8"},
	{"#D55E00", "#f0883e"}, {"#009E73", "#3fc79a"}, {"#A83A7A", "#e08bc0"}, {"#4B3FB5", "#a79dff"}, {"#5E7D00", "#a8c84a"},
	{"#9A6A00", "#d9a23a"}, {"#D6E8F3", "#0f2f47"}, {"#F8E0CF", "#4a2a12"},
}

// darkTheme returns a style that repaints a figure, lines by their stroke and
// areas and names by their fill. Black names have no color of their own.
func darkTheme() string {
	var b strings.Builder
	b.WriteString("<style>\n@media (prefers-color-scheme: dark) {\n" + `text:not([style*="fill:#"]) { fill: #e6edf3 !important }` + "\n")
	for _, c := range darkColors {
		for _, property := range []string{"stroke", "fill"} {
			fmt.Fprintf(&b, "[style*=\"%s:%s\"] { %s: %s !important }\n", property, c[0], property, c[1])
		}
	}
	return b.String() + "}\n</style>\n"
}

const (
	chartWidth, chartHeight = 8 * vg.Inch, 5 * vg.Inch
	// What the axes leave of it, near enough to turn names along their lines.
	areaWidth, areaHeight = 525.0, 300.0
)

// A chart is a figure in the making.
type chart struct {
	*plot.Plot
	name          string // of its files
	width, height vg.Length
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
	return &chart{p, name, chartWidth, chartHeight}
}

func letters(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// across sets the range of the x axis, which is logarithmic. Right of the range
// there is space for names, up to room times high.
func (c *chart) across(low, high, room float64, ticks func(low, high float64) []plot.Tick) {
	c.X.Min, c.X.Max, c.X.Scale = low, high*room, plot.LogScale{}
	c.X.Tick.Marker = plot.ConstantTicks(ticks(low, high))
}

// up sets the range of the y axis, which is linear.
func (c *chart) up(low, high float64, ticks plot.Ticker) {
	c.Y.Min, c.Y.Max, c.Y.Tick.Marker = low, high, ticks
}

// upByTens makes the y axis logarithmic.
func (c *chart) upByTens(low, high float64) {
	c.Y.Min, c.Y.Max, c.Y.Scale = low, high, plot.LogScale{}
	c.Y.Tick.Marker = plot.ConstantTicks(decades(low, high, func(e int) string { return strconv.FormatFloat(math.Pow10(e), 'f', -1, 64) }))
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

// write puts a name at a point, which is its start or its end, rotated by
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
	if err := c.Save(c.width, c.height, png); err != nil {
		return nil, fmt.Errorf("%s: %w", png, measure.Pathless(err))
	}
	drawing, err := c.svg()
	if err == nil {
		err = os.WriteFile(svg, []byte(drawing), 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", svg, measure.Pathless(err))
	}
	return []string{svg, png}, nil
}

// svg returns the figure as SVG that follows the reader's light or dark color
// scheme and has a title for screen readers.
func (c *chart) svg() (string, error) {
	w, err := c.WriterTo(c.width, c.height, "svg")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if _, err := w.WriteTo(&b); err != nil {
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
