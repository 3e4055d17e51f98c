package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

const (
	rateLeft, rateRight = 1e-6, 0.1
	bitsTop             = 40.0
)

// A costLine is bits per key as a formula of the rate.
type costLine struct {
	name   string
	like   mark
	bits   func(rate float64) float64
	lift   float64 // how far above the line its name is, in bits
	nameAt float64 // the rate at which the name begins
}

var costLines = []costLine{
	{"Bloom: 1.44 log2(1/rate)", marks["bloom"], func(rate float64) float64 { return math.Log2(1/rate) / math.Ln2 }, 1.3, 1.4e-6},
	{"cuckoo: (log2(1/rate) + 3) / 0.97", marks["cuckoo"], func(rate float64) float64 { return (math.Log2(1/rate) + 3) / 0.97 }, 1.2, 1.4e-6},
	{"semi-sorted cuckoo: one bit less", marks["cuckoo-compact"], func(rate float64) float64 { return (math.Log2(1/rate) + 2) / 0.97 }, -1.3, 1.8e-6},
	{"the least possible: log2(1/rate)", mark{color: gray}, func(rate float64) float64 { return math.Log2(1 / rate) }, -1.3, 1.8e-6},
}

// costChart draws bits per key against the rate of false positives, as Fan et
// al. (CoNEXT 2014) do in their Figure 4: formulas as lines, measurements as
// points.
func costChart(rows []row) *chart {
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
	var peers []series
	for _, s := range costSeries(rows) {
		if s.peer {
			peers = append(peers, s)
			continue
		}
		c.points(s.XYs, s.look)
		// What is on no line of its own is named at its highest point.
		if s.name == "bloom-blocked" || s.name == "counting" {
			high := slices.MaxFunc(s.XYs, func(a, b plotter.XY) int { return cmp.Compare(a.Y, b.Y) })
			c.write(high.X*1.25, high.Y+1.1, s.name, s.look.color, draw.XLeft, 0)
		}
	}
	c.peers(peers)
	return c
}

// costSeries returns the points of each structure that are inside the figure.
// An exact set is far above it, and a rate of which no case was seen has no
// position on a logarithmic axis.
func costSeries(rows []row) []series {
	var list []series
	for _, x := range rows {
		if x.BoundRatio == nil || x.FPR < rateLeft || x.FPR > rateRight || x.BitsPerKey > bitsTop {
			continue
		}
		i := slices.IndexFunc(list, func(s series) bool { return s.name == x.Structure })
		if i < 0 {
			i = len(list)
			list = append(list, series{name: x.Structure, look: markOf(x.Structure), peer: x.structure.peer})
		}
		list[i].XYs = append(list[i].XYs, plotter.XY{X: x.FPR, Y: x.BitsPerKey})
	}
	return list
}

// peers draws the points of peers and a legend in the upper left corner, which
// no line crosses.
func (c *chart) peers(list []series) {
	for i, s := range list {
		s.look.shape = peerShapes[i%len(peerShapes)]
		c.points(s.XYs, s.look)
		x, y := 1.5e-6*math.Pow(10, 1.15*float64(i/4)), bitsTop-1.5-2.1*float64(i%4)
		c.points(plotter.XYs{{X: x, Y: y}}, s.look)
		c.write(1.2*x, y, s.name, s.look.color, draw.XLeft, 0)
	}
}
