package measure

import (
	"math"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

func pointer(x float64) *float64 { return &x }

// Thousands writes n with commas.
func Thousands[T int | uint64](n T) string { return humanize.Comma(int64(n)) }

// Counted writes a number with a noun in the singular or the plural.
func Counted(n int, one, many string) string {
	return Thousands(n) + " " + english.PluralWord(n, one, many)
}

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959963984540054

// wilson returns the 95 % score interval of Wilson (1927) for a proportion of
// which yes in total were seen. It stays inside [0, 1] and is not empty when
// nothing or everything was seen, which is why it serves for small rates.
func wilson(yes, total uint64) (low, high float64) {
	if total == 0 {
		return 0, 1
	}
	n, p := float64(total), float64(yes)/float64(total)
	center := p + z95*z95/(2*n)
	spread := z95 * math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))
	scale := 1 + z95*z95/n
	low, high = (center-spread)/scale, (center+spread)/scale
	// At the ends the interval touches 0 or 1 exactly; rounding must not move
	// it.
	if yes == 0 {
		low = 0
	}
	if yes == total {
		high = 1
	}
	return low, high
}

// Median returns the middle of values, or the mean of the middle two. It leaves
// values as they are.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
