package report

import (
	"math"
	"strconv"
	"strings"
)

// decimals writes x with a number of decimals.
func decimals(x float64, number int) string { return strconv.FormatFloat(x, 'f', number, 64) }

// percentOf shows a requested rate.
func percentOf(rate float64) string { return strconv.FormatFloat(100*rate, 'g', 4, 64) + "%" }

func percent(rate float64, number int) string { return decimals(100*rate, number) + "%" }

// measuredRate shows a rate and its interval, with as many decimals as the
// interval justifies.
func measuredRate(rate, low, high float64) (point, interval string) {
	number := 2 - int(math.Ceil(math.Log10(100*(high-low)/2)))
	number = min(max(number, 1), 4)
	return percent(rate, number), strings.TrimSuffix(percent(low, number), "%") + "-" + percent(high, number)
}

// brief writes n in at most four characters up to a billion.
func brief(n uint64) string {
	switch {
	case n < 10_000:
		return strconv.FormatUint(n, 10)
	case n < 1_000_000:
		return decimals(float64(n)/1e3, 0) + "k"
	}
	return decimals(float64(n)/1e6, 0) + "M"
}

// upTo returns how to write numbers that are usually small: with decimals below
// a limit, from which on none are left.
func upTo(limit float64, number int) func(float64) string {
	return func(x float64) string {
		if x < limit {
			return decimals(x, number)
		}
		return decimals(x, 0)
	}
}

var (
	hundredths  = upTo(999.995, 2)
	nanoseconds = upTo(9.95, 1)
	ratio       = upTo(9.995, 2) // how many times as large something is
	bound       = upTo(100, 2)
)

// mean writes a mean of small numbers.
func mean(x float64) string { return strings.TrimSuffix(decimals(x, 1), ".0") }

// orDash writes *x, or a dash if x is nil.
func orDash(x *float64, write func(float64) string) string {
	if x == nil {
		return "-"
	}
	return write(*x)
}

// orNone returns text, or a dash if it is empty.
func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
