package advice

import (
	"math"
	"strconv"
)

// tidy rounds a rate up to three digits.
func tidy(rate float64) float64 {
	return digits(rate, func(x float64) float64 { return math.Ceil(x - 1e-9) })
}

// tidyDown rounds a rate down to three digits.
func tidyDown(rate float64) float64 { return digits(rate, math.Floor) }

// digits rounds a rate as a number of 100 to 999.
func digits(rate float64, round func(float64) float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(rate))-2)
	x, err := strconv.ParseFloat(strconv.FormatFloat(round(rate/unit)*unit, 'g', 3, 64), 64)
	if err != nil {
		return rate
	}
	return x
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// integer writes n as in Go, words as in prose.
func integer(n uint64) string { return grouped(n, "_") }
func words(n uint64) string   { return grouped(n, ",") }

func grouped(n uint64, separator string) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + separator + s[i:]
	}
	return s
}
