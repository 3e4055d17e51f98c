package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

const (
	rateLeft, rateRight = 1e-6, 0.1
	bitsTop             = 40.0
)

// costLines are bits per key as a formula of the rate.
var costLines = []struct {
	name   string
	like   mark
	bits   func(rate float64) float64
	lift   float64 // how far above the line its name is, in bits
	nameAt float64 // the rate at which the name begins
}{
	{"Bloom: 1.44 log2(1/rate)", marks["bloom"], func(rate float64) float64 { return math.Log2(1/rate) / math.Ln2 }, 1.3, 1.4e-6},
	{"cuckoo: (log2(1/rate) + 3) / 0.97", marks["cuckoo"], func(rate float64) float64 { return (math.Log2(1/rate) + 3) / 0.97 }, 1.2, 1.4e-6},
	{"semi-sorted cuckoo: one bit less", marks["cuckoo-compact"], func(rate float64) float64 { return (math.Log2(1/rate) + 2) / 0.97 }, -1.3, 1.8e-6},
	{"the least possible: log2(1/rate)", mark{color: gray}, func(rate float64) float64 { return math.Log2(1 / rate) }, -1.3, 1.8e-6},
}

// costChart draws bits per key against the rate of false positives, as Fan et
// al. (CoNEXT 2014) do in their Figure 4: formulas as lines, measurements as
// points.
func costChart(rows []measure.Row) *chart {
	c := newChart("bits-per-key", "What a key costs", "false-positive rate", "bits per key")
	c.across(rateLeft, rateRight, 1, percentTicks)
	c.up(0, bitsTop, every(4, bitsTop))
	for _, l := range costLines {
		var points plotter.XYs
		for e := -6.0; e <= -1; e += 0.05 {
			points = append(points, plotter.XY{X: math.Pow(10, e), Y: l.bits(math.Pow(10, e))})
		}
		c.line(points, l.like)
		rise := l.bits(1e-2) - l.bits(1e-3)
		c.write(l.nameAt, l.bits(l.nameAt)+l.lift, l.name, l.like.color, draw.XLeft, c.slope(rise))
	}
	own, peers := costSeries(rows)
	for i := range peers {
		peers[i].look.shape = peerShapes[i%len(peerShapes)]
	}
	for _, s := range slices.Concat(own, peers) {
		c.points(s.XYs, s.look)
	}
	c.legend(own, 8.5)
	c.legend(peers, bitsTop-1.5)
	return c
}

// costSeries returns the points of each structure that are inside the figure.
// An exact set is far above it, a filter that has grown would hide others, and
// a rate of which no case was seen has no position on a logarithmic axis.
func costSeries(rows []measure.Row) (own, peers []series) {
	for _, x := range rows {
		switch {
		case x.Of.Exact || x.Of.Over > 1 || x.FPR < rateLeft || x.FPR > rateRight || x.BitsPerKey > bitsTop:
		case x.Of.Peer:
			peers = addPoint(peers, x.Structure, x.FPR, x.BitsPerKey)
		default:
			own = addPoint(own, x.Structure, x.FPR, x.BitsPerKey)
		}
	}
	return own, peers
}

// legend names the points of a list in columns of four, the first row at y. No
// line crosses the upper left and the lower left corner.
func (c *chart) legend(list []series, y float64) {
	for i, s := range list {
		x, y := 1.5e-6*math.Pow(10, 1.15*float64(i/4)), y-2.1*float64(i%4)
		c.points(plotter.XYs{{X: x, Y: y}}, s.look)
		c.write(1.2*x, y, s.name, s.look.color, draw.XLeft, 0)
	}
}
