package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// percentTicks marks the powers of ten of a rate in percent, and the steps
// between them.
func percentTicks(low, high float64) []plot.Tick {
	return decades(low, high, func(e int) string {
		return strconv.FormatFloat(100*math.Pow10(e), 'f', max(0, -e-2), 64) + "%"
	})
}

// countTicks marks the powers of ten of a number.
func countTicks(low, high float64) []plot.Tick {
	return decades(low, high, func(e int) string { return measure.Thousands(int(math.Pow10(e))) })
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
	return marked(0, top, func(y float64) float64 { return y + step })
}

// kibTicks marks the powers of two.
func kibTicks(low, high float64) []plot.Tick {
	return marked(low, high, func(x float64) float64 { return 2 * x })
}

// marked labels low and what follows it, up to high.
func marked(low, high float64, next func(float64) float64) []plot.Tick {
	var ticks []plot.Tick
	for x := low; x <= high; x = next(x) {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', -1, 64)})
	}
	return ticks
}
