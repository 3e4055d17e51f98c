package measure

import (
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Thousands writes n with commas.
func Thousands[T int | uint64](n T) string { return humanize.Comma(int64(n)) }

// Counted writes a number with a noun in the singular or the plural.
func Counted(n int, one, many string) string {
	return Thousands(n) + " " + english.PluralWord(n, one, many)
}
