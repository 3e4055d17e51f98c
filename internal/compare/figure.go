package main

import (
	"math"

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
	lift   float64 // where its name stands above the line, in bits
	nameAt float64 // and the rate at which the name begins
}

var costLines = []costLine{
	{"Bloom: 1.44 log2(1/rate)", marks["bloom"], func(rate float64) float64 { return math.Log2(1/rate) / math.Ln2 }, 1.3, 1.4e-6},
	{"cuckoo: (log2(1/rate) + 3) / 0.97", marks["cuckoo"], func(rate float64) float64 { return (math.Log2(1/rate) + 3) / 0.97 }, 1.2, 1.4e-6},
	{"semi-sorted cuckoo: one bit less", marks["cuckoo-compact"], func(rate float64) float64 { return (math.Log2(1/rate) + 2) / 0.97 }, -1.3, 1.8e-6},
	{"the least possible: log2(1/rate)", mark{color: grey}, func(rate float64) float64 { return math.Log2(1 / rate) }, -1.3, 1.8e-6},
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

	series := make(map[string]plotter.XYs)
	var order []string
	for _, x := range rows {
		// An exact set is far above the figure, and a rate of which no case was
		// seen has no place on a logarithmic axis.
		if x.BoundRatio == nil || x.structure.peer || x.FPR < rateLeft || x.FPR > rateRight || x.BitsPerKey > bitsTop {
			continue
		}
		if series[x.Structure] == nil {
			order = append(order, x.Structure)
		}
		series[x.Structure] = append(series[x.Structure], plotter.XY{X: x.FPR, Y: x.BitsPerKey})
	}
	for _, name := range order {
		c.points(series[name], markOf(name))
		// What stands on no line of its own is named at its highest point.
		if name == "bloom-blocked" || name == "counting" {
			high := series[name][0]
			for _, p := range series[name] {
				if p.Y > high.Y {
					high = p
				}
			}
			c.write(high.X*1.25, high.Y+1.1, name, markOf(name).color, draw.XLeft, 0)
		}
	}
	return c
}
