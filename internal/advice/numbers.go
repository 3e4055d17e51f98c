package advice

import (
	"fmt"
	"strconv"
)

const threeDigitNumbers = 20 * 900

// threeDigits returns element i of the numbers with three significant digits
// from 1.00e-20 to 9.99e-1.
func threeDigits(i int) float64 {
	x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", 100+i%900, i/900-22), 64) // never fails
	return x
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// mebibytes formats a number of bytes as MiB, with three digits.
func mebibytes(bytes uint64) string { return number(rounded(float64(bytes) / (1 << 20))) }

// rounded returns x with three significant digits.
func rounded(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64) // never fails
	return x
}

// integer formats n as a Go literal, and words formats it as prose.
func integer(n uint64) string { return grouped(n, "_") }
func words(n uint64) string   { return grouped(n, ",") }

// counted formats n with a noun, which gets an s unless n is 1.
func counted(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return words(n) + " " + noun
}

// grouped formats n with a separator between groups of three digits.
func grouped(n uint64, separator string) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + separator + text[i:]
	}
	return text
}
