package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colors of Okabe and Ito, which people with any common color blindness
// tell apart, the pale ones darkened so that names in them can be read, and two
// more.
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

// A mark is how one structure looks in every figure. Shapes differ as well as
// colors, for those who see none.
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
	diamond  = outline{corners(4, 0)}
	pentagon = outline{corners(5, math.Pi/2)}
	hexagon  = outline{corners(6, 0)}
	star     = outline{{{X: -1}, {X: 1}}, {{X: -.5, Y: -.87}, {X: .5, Y: .87}}, {{X: -.5, Y: .87}, {X: .5, Y: -.87}}}
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

var (
	dashed = []vg.Length{vg.Points(5), vg.Points(3)}
	dotted = []vg.Length{vg.Points(1.5), vg.Points(2.5)}
	mixed  = []vg.Length{vg.Points(7), vg.Points(2.5), vg.Points(1.5), vg.Points(2.5)}
)

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

	"map":              {gray, cross, nil},
	"seiflotfy-cuckoo": {gray, cross, dotted},
	"fuse8":            {gray, cross, mixed},
}

// markOf gives everything that has none a gray mark.
func markOf(name string) mark {
	if m, ok := marks[name]; ok {
		return m
	}
	return mark{gray, cross, dashed}
}

// peerShapes tell gray marks apart.
var peerShapes = []outline{cross, plus, star, ring, square, diamond, triangle, pyramid, pentagon, hexagon}
