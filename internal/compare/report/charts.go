package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/internal/advice"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/sizing"
)

// The ranges of costChart.
const (
	rateLeft  = 1e-6
	rateRight = 0.1
	bitsTop   = 40.0
	above     = 3.0 // room for marks of larger structures
)

// costLines contains the bits per key: (log2(1/rate) + more) / load.
var costLines = []struct {
	name         string
	like         mark
	more, load   float64
	lift, nameAt float64 // the label's distance from the line in bits, and the rate where it begins
}{
	{"Bloom: 1.44 log2(1/rate)", marks["bloom"], 0, math.Ln2, 1.3, 1.4e-6},
	{"cuckoo: (log2(1/rate) + 3) / 0.97", marks["cuckoo"], 3, 0.97, 1.2, 1.4e-6},
	{"compact cuckoo: one bit less", marks["cuckoo-compact"], 2, 0.97, -1.3, 1.8e-6},
	{"lower bound: log2(1/rate)", mark{color: gray}, 0, 1, -1.3, 1.8e-6},
}

// costChart draws bits per key against the false-positive rate, like Figure 4
// of Fan et al. (CoNEXT 2014): formulas as lines and measurements as points.
func costChart(rows []measure.Row) *chart {
	c := newChart("bits-per-key", "What a key costs", "false-positive rate", "bits per key")
	c.across(rateLeft, rateRight, 1, percentOf)
	c.up(0, bitsTop+above, marked(0, bitsTop, func(y float64) float64 { return y + 4 }))
	for _, l := range costLines {
		bits := func(rate float64) float64 { return (math.Log2(1/rate) + l.more) / l.load }
		var points plotter.XYs
		for e := -6.0; e <= -1; e += 0.05 {
			points = append(points, plotter.XY{X: math.Pow(10, e), Y: bits(math.Pow(10, e))})
		}
		c.line(points, l.like)
		slope := math.Atan2((bits(1e-2)-bits(1e-3))/(bitsTop+above)*areaHeight, areaWidth/math.Log10(rateRight/rateLeft))
		c.write(l.nameAt, bits(l.nameAt)+l.lift, l.name, l.like.color, slope)
	}
	own, peers := costSeries(rows)
	for i := range peers {
		peers[i].look.shape = peerShapes[i%len(peerShapes)]
	}
	for _, s := range slices.Concat(own, peers) {
		c.points(s.XYs, s.look)
	}
	c.beyond(rows)
	c.legend(own, 8.5)
	c.legend(peers, bitsTop-1.5)
	return c
}

// beyond draws our structures above bitsTop, and writes their bits per key.
func (c *chart) beyond(rows []measure.Row) {
	const y = bitsTop + above/2
	for _, x := range rows {
		if drawn(x) && !x.Of.Peer && x.BitsPerKey > bitsTop {
			look := markOf(x.Structure)
			c.points(plotter.XYs{{X: x.FPR, Y: y}}, look)
			c.write(1.2*x.FPR, y, decimals(x.BitsPerKey, 1), look.color, 0)
		}
	}
}

// drawn reports whether a row has a point. Exact sets would be far above the
// figure, and filters that have grown would hide others.
func drawn(x measure.Row) bool {
	return !x.Of.Exact && x.Of.Over <= 1 && !x.Of.Process && x.FPR >= rateLeft && x.FPR <= rateRight
}

// costSeries returns the points inside the figure.
func costSeries(rows []measure.Row) (own, peers []series) {
	for _, x := range rows {
		switch {
		case !drawn(x) || x.BitsPerKey > bitsTop:
		case x.Of.Peer:
			peers = addPoint(peers, x.Structure, x.FPR, x.BitsPerKey)
		default:
			own = addPoint(own, x.Structure, x.FPR, x.BitsPerKey)
		}
	}
	return own, peers
}

// legend draws the names of the series in columns of four, below y. It fits in
// the upper left and in the lower left corner.
func (c *chart) legend(list []series, y float64) {
	for i, s := range list {
		x := 1.5e-6 * math.Pow(10, 1.15*float64(i/4))
		y := y - 2.1*float64(i%4)
		c.points(plotter.XYs{{X: x, Y: y}}, s.look)
		c.write(1.2*x, y, s.name, s.look.color, 0)
	}
}

// A series is a line in a figure, or a set of points with the same style.
type series struct {
	name string
	look mark
	plotter.XYs
}

// addPoint adds a point to a structure's series, which may be new.
func addPoint(list []series, name string, x, y float64) []series {
	i := slices.IndexFunc(list, func(s series) bool { return s.name == name })
	if i < 0 {
		i = len(list)
		list = append(list, series{name: name, look: markOf(name)})
	}
	list[i].XYs = append(list[i].XYs, plotter.XY{X: x, Y: y})
	return list
}

func (s series) last() plotter.XY { return s.XYs[len(s.XYs)-1] }

// names draws the name of each line at its right end, but moves names that
// would be closer than gap, or above the figure.
func (c *chart) names(list []series, gap float64) {
	order := slices.SortedFunc(slices.Values(list), func(a, b series) int { return cmp.Compare(a.last().Y, b.last().Y) })
	at := make([]float64, len(order))
	for i, s := range order {
		at[i] = s.last().Y
		if i > 0 {
			at[i] = max(at[i], at[i-1]+gap)
		}
	}
	most := c.Y.Max - gap/2
	for i := len(order) - 1; i >= 0 && gap > 0; i-- {
		at[i] = min(at[i], most)
		most = at[i] - gap
	}
	for i, s := range order {
		c.write(s.last().X*1.06, at[i], s.name, s.look.color, 0)
	}
}

// inTable lists structures that would cover others in the figure.
var inTable = []string{"counting", "cuckoo-compact", "perfect", "bloom-maphash", "bloom-blocked-maphash", "cuckoo-maphash", "seiflotfy-cuckoo"}

func timeChart(keys []int, times []measure.Curve) *chart {
	c := newChart("time-by-n", "Time per lookup at 1%", "keys", "nanoseconds")
	c.width = narrow
	c.across(float64(keys[0]), float64(keys[len(keys)-1]), 150, func(x float64) string { return brief(uint64(math.Round(x))) })
	c.Y.Min = 0
	var list []series
	for _, t := range times {
		if slices.Contains(inTable, t.Structure) {
			continue
		}
		s := series{name: t.Name(), look: markOf(t.Structure)}
		if t.Batch {
			s.look.dashes = dashed
		}
		for i, ns := range t.NS {
			s.XYs = append(s.XYs, plotter.XY{X: float64(keys[i]), Y: ns})
		}
		c.line(s.XYs, s.look)
		list = append(list, s)
	}
	c.Y.Max *= 1.05
	step := 10.0
	for c.Y.Max > 8*step {
		step *= 2
	}
	c.up(0, c.Y.Max, marked(0, c.Y.Max, func(y float64) float64 { return y + step }))
	c.names(list, c.Y.Max/22)
	return c
}

// errorChart draws the mean error of counts against the memory size, except for
// errors of 0, since its axis is logarithmic.
func errorChart(errors []measure.FrequencyRow) *chart {
	c := newChart("count-error", "Error of word counts in Moby-Dick", "KiB", "mean error, occurrences")
	least := float64(errors[0].Memory) / 1024
	most := float64(errors[len(errors)-1].Memory) / 1024
	c.width = narrow
	c.across(least, most, 40, plain)
	c.X.Tick.Marker = marked(least, most, func(x float64) float64 { return 2 * x })
	var list []series
	for _, x := range errors {
		if x.MeanError != nil && *x.MeanError > 0 {
			list = addPoint(list, x.Structure, float64(x.Memory)/1024, math.Log10(*x.MeanError))
		}
	}
	for _, s := range list {
		c.line(s.XYs, s.look)
	}
	c.upTens(math.Floor(c.Y.Min), math.Ceil(c.Y.Max), func(x float64) string {
		if x >= 1000 {
			return count(x)
		}
		return plain(x)
	})
	c.names(list, 0)
	return c
}

// The map that smallerChart draws shows 10^fewest to 10^(fewest+factors) keys,
// and rates from 10^lowest to 10^(lowest+factors). On each axis, a factor of
// ten is divided into keyCells or rateCells cells.
const (
	fewest    = 1
	lowest    = -6
	factors   = 5
	keyCells  = 10
	rateCells = 20
)

// regions lists the areas of the map, named after the recommended filter.
var regions = []struct {
	choice, name string
	tint         color.RGBA
	x            float64 // where the label begins
}{
	{"bloom", "bloom.Filter", color.RGBA{0xD6, 0xE8, 0xF3, 0xFF}, 12},
	{"cuckoo-compact", "compact cuckoo.Filter", color.RGBA{0xF8, 0xE0, 0xCF, 0xFF}, 4000},
}

// smallerChart draws a map of the smaller filters for each number of keys and
// each rate. A Bloom filter that is only slightly larger is preferred.
func smallerChart() *chart {
	c := newChart("smaller", "The smaller filter (or Bloom, if within 5%)", "keys", "false-positive rate")
	c.width = narrow
	c.height = 4 * vg.Inch
	c.across(math.Pow10(fewest), math.Pow10(fewest+factors), 1, count)
	c.upTens(lowest, lowest+factors, percentOf)
	areas := make(map[string][]plotter.XYs)
	for y := range rateCells * factors {
		for x := range keyCells * factors {
			best, _ := advice.For(advice.Needs{ // never fails
				Keys: uint64(keysAt(float64(x) + 0.5)), Rate: math.Pow(10, exponentAt(float64(y)+0.5)),
			})
			first := best[0].Structure
			areas[first] = addCell(areas[first], float64(x), float64(y))
		}
	}
	for _, r := range regions {
		c.Add(&plotter.Polygon{XYs: areas[r.choice], Color: r.tint})
		c.write(r.x, -4, r.name, color.Black, 0)
	}
	return c
}

// The ranges of absentChart: absent keys for each member, and bits per member.
const (
	fewestAbsent = 0.01
	mostAbsent   = 100
	leastBits    = 6.5
	mostBits     = 9
)

// absentChart draws the size of a static filter with a rate of 1% that finds
// none of the absent keys, against the number of absent keys per member.
func absentChart() *chart {
	const members = 1_000_000
	const rate = 0.01
	size := func(rate, absent float64) float64 {
		bytes, _ := static.Config{FPRate: rate}.EstimatedBytes(members, uint64(absent)) // never fails
		return float64(bytes)
	}
	c := newChart("absent", "Finding none of the absent keys, at 1%", "absent keys for each member", "bits per member")
	c.width = narrow
	c.height = 4 * vg.Inch
	c.across(fewestAbsent, mostAbsent, 1, plain)
	c.up(leastBits, mostBits, marked(leastBits, mostBits, func(y float64) float64 { return y + 0.5 }))
	for _, l := range []struct {
		name  string
		ink   color.RGBA
		x, y  float64 // where the label begins
		bytes func(absent float64) float64
	}{
		{"a filter, and an\nexact one of its mistakes", vermilion, 0.03, 7.4, func(s float64) float64 { return size(rate, 0) + size(1, rate*s) }},
		{"static.NewExact", indigo, 0.012, 6.95, func(s float64) float64 { return size(rate, s) }},
		{"least possible", gray, 1.2, 6.58, func(s float64) float64 { return sizing.ListsBound(members, uint64(s), rate) / 8 }},
	} {
		var points plotter.XYs
		for e := -2.0; e <= 2; e += 1.0 / 64 {
			s := math.Pow(10, e)
			points = append(points, plotter.XY{X: s, Y: 8 * l.bytes(s*members) / members})
		}
		c.line(points, mark{color: l.ink})
		c.write(l.x, l.y, l.name, l.ink, 0)
	}
	return c
}

// keysAt and exponentAt return the coordinates of a cell's lower left corner.
func keysAt(x float64) float64     { return math.Pow(10, fewest+x/keyCells) }
func exponentAt(y float64) float64 { return lowest + y/rateCells }

// addCell adds a cell to an area, or extends the last rectangle if they touch.
func addCell(area []plotter.XYs, x, y float64) []plotter.XYs {
	left, right, low, high := keysAt(x), keysAt(x+1), exponentAt(y), exponentAt(y+1)
	if n := len(area); n > 0 && area[n-1][1] == (plotter.XY{X: left, Y: low}) {
		area[n-1][1].X = right
		area[n-1][2].X = right
		return area
	}
	return append(area, plotter.XYs{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
}
