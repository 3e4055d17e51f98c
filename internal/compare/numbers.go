package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// thousands writes n with commas.
func thousands[T int | uint64](n T) string { return humanize.Comma(int64(n)) }

// counted writes a number with a noun in the singular or the plural.
func counted(n int, one, many string) string {
	return thousands(n) + " " + english.PluralWord(n, one, many)
}

// percentOf shows a requested rate.
func percentOf(rate float64) string {
	return strconv.FormatFloat(100*rate, 'g', 4, 64) + "%"
}

func percent(rate float64, decimals int) string {
	return strconv.FormatFloat(100*rate, 'f', decimals, 64) + "%"
}

// measuredRate shows a rate and its interval, with as many decimals as the
// interval justifies.
func measuredRate(rate, low, high float64) (point, interval string) {
	decimals := 2 - int(math.Ceil(math.Log10(100*(high-low)/2)))
	decimals = min(max(decimals, 1), 4)
	return percent(rate, decimals), strings.TrimSuffix(percent(low, decimals), "%") + "-" + percent(high, decimals)
}

// brief writes n in at most four characters up to a billion.
func brief(n uint64) string {
	switch {
	case n < 10_000:
		return strconv.FormatUint(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.0fM", float64(n)/1e6)
}

// hundredths shows numbers that are usually small.
func hundredths(x float64) string {
	if x < 999.995 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func nanoseconds(ns float64) string {
	if ns < 9.95 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}

// mean writes a mean of small numbers.
func mean(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

// ratioText writes how many times as large something is.
func ratioText(ratio float64) string {
	if ratio < 9.995 {
		return fmt.Sprintf("%.2f", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}

// orDash writes *x, or a dash if x is nil.
func orDash(x *float64, write func(float64) string) string {
	if x == nil {
		return "-"
	}
	return write(*x)
}
