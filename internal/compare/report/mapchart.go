package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/filterfam/filterfam/internal/compare/advice"
)

// The cells of the map, for every factor of ten of keys and of the rate.
const keySteps, rateSteps = 10, 20

// The map's rates, as powers of ten.
const lowest, highest = -6, -1

// regions of the map are named by the filter to take.
var regions = []struct {
	name string
	tint color.RGBA
	x    float64 // where the name begins
}{
	{"bloom.Filter", color.RGBA{0xD6, 0xE8, 0xF3, 0xFF}, 12},
	{"compact cuckoo.Filter", color.RGBA{0xF8, 0xE0, 0xCF, 0xFF}, 4000},
}

// smallerChart draws which filter is the smaller one by the number of keys and
// the rate. A Bloom filter that is hardly larger counts as smaller.
func smallerChart() (*chart, error) {
	c := newChart("smaller", "The smaller filter, within 5 % the Bloom filter", "keys", "false-positive rate")
	c.width, c.height = 5.5*vg.Inch, 4*vg.Inch
	c.across(10, 1e6, 1, countTicks)
	c.up(lowest, highest, exponentTicks())
	areas := make([]plotter.Polygon, len(regions))
	for y := range rateSteps * 5 {
		for x := range keySteps * 5 {
			i, err := regionOf(keysAt(float64(x)+0.5), rateAt(float64(y)+0.5))
			if err != nil {
				return nil, err
			}
			areas[i].XYs = addCell(areas[i].XYs, float64(x), float64(y))
		}
	}
	for i, r := range regions {
		areas[i].Color = r.tint
		c.Add(&areas[i])
		c.write(r.x, -4, r.name, color.Black, draw.XLeft, 0)
	}
	return c, nil
}

// keysAt and rateAt return what is at a place of the map, in cells from its
// lower left corner.
func keysAt(x float64) float64 { return math.Pow(10, 1+x/keySteps) }
func rateAt(y float64) float64 { return math.Pow(10, lowest+y/rateSteps) }

// exponentTicks marks rates at their exponents. On a logarithmic axis the
// library would leave room above it for the axis's own name.
func exponentTicks() plot.ConstantTicks {
	ticks := percentTicks(math.Pow10(lowest), math.Pow10(highest))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// regionOf returns the region of a number of keys and a rate.
func regionOf(keys, rate float64) (int, error) {
	bloom, err := advice.Bytes("bloom", uint64(keys), rate)
	if err != nil {
		return 0, err
	}
	compact, err := advice.Bytes("cuckoo-compact", uint64(keys), rate)
	if float64(bloom) > advice.Near*float64(compact) {
		return 1, err
	}
	return 0, err
}

// addCell adds a cell to an area, or widens the last one if they touch.
func addCell(area []plotter.XYs, x, y float64) []plotter.XYs {
	left, right, low, high := keysAt(x), keysAt(x+1), lowest+y/rateSteps, lowest+(y+1)/rateSteps
	if n := len(area); n > 0 && area[n-1][1] == (plotter.XY{X: left, Y: low}) {
		area[n-1][1].X, area[n-1][2].X = right, right
		return area
	}
	return append(area, plotter.XYs{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
}
