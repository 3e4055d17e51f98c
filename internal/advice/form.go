package advice

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/hashfam"
)

// A Form contains a user's needs as typed into a page.
type Form struct {
	Keys   string `json:"keys"`   // for ParseCount; empty means as many as fit
	Rate   string `json:"rate"`   // in percent, with or without the sign; empty means the lowest within Memory
	Memory string `json:"memory"` // in MiB; empty means no limit
	Fixed  bool   `json:"fixed"`
	Guess  bool   `json:"guess"`
	Delete bool   `json:"delete"`
	Counts bool   `json:"counts"`
}

// An Answer contains the page's response to a Form.
type Answer struct {
	Needs   Needs             `json:"needs"`
	Choices []Choice          `json:"choices"`
	Fields  map[string]string `json:"fields"` // error messages, by the field's JSON name
	Error   string            `json:"error"`  // set if no structure serves
}

// The limits for a Form. Both are far above practical numbers, but maxMiB in
// bytes still fits in 64 bits.
const (
	maxKeys = 1e14
	maxMiB  = 1e12
)

// Answer returns the structures that serve the needs in f. If some fields
// cannot be read, it returns a message for each instead.
func (f Form) Answer() Answer {
	needs, wrong := f.read()
	if len(wrong) > 0 {
		return Answer{Fields: wrong}
	}
	choices, err := For(needs)
	var field *hashfam.FieldError
	switch {
	case errors.As(err, &field):
		return Answer{Needs: needs, Fields: f.blame(needs, field)}
	case err != nil:
		return Answer{Needs: needs, Error: err.Error()}
	}
	return Answer{Needs: needs, Choices: choices}
}

// blame returns a message for the form field that sets an invalid Config field,
// in the unit of that field.
func (f Form) blame(needs Needs, err *hashfam.FieldError) map[string]string {
	const petabyte = 1 << 50
	_, name, _ := strings.Cut(err.Field, ".")
	switch name {
	case "FPRate", "Delta":
		least, found := leastThat(func(x float64) bool {
			needs.Rate = x
			return possible(needs)
		})
		if found {
			return map[string]string{"rate": fmt.Sprintf("%s: want at least %s for this number of keys", quoted(f.Rate), number(rounded(100*least)))}
		}
	case "MemoryBytes":
		least, found := leastThat(func(x float64) bool {
			needs.Memory = uint64(x * petabyte)
			return possible(needs)
		})
		if found {
			return map[string]string{"memory": fmt.Sprintf("%s: want at least %s", quoted(f.Memory), mebibytes(uint64(least*petabyte)))}
		}
	}
	return map[string]string{"keys": quoted(f.Keys) + ": want " + err.Allowed}
}

// quoted returns a field's text for a message.
func quoted(text string) string {
	if strings.TrimSpace(text) == "" {
		return "the field is empty"
	}
	return strconv.Quote(text)
}

// leastThat returns the least of the numbers below 1 with three significant
// digits for which ok returns true, and whether there is one. If ok returns
// true for a number, it must do so for all larger ones.
func leastThat(ok func(x float64) bool) (least float64, found bool) {
	i := sort.Search(threeDigitNumbers, func(i int) bool { return ok(threeDigits(i)) })
	return threeDigits(i), i < threeDigitNumbers
}

// possible reports whether some structure serves the needs.
func possible(n Needs) bool {
	_, err := For(n)
	return err == nil
}

// read returns the needs, and a message for each field that cannot be read.
func (f Form) read() (Needs, map[string]string) {
	needs := Needs{Fixed: f.Fixed, Guess: f.Guess, Delete: f.Delete, Counts: f.Counts}
	wrong := make(map[string]string)
	check := func(field, text string, ok bool, want string) {
		if !ok {
			wrong[field] = quoted(text) + ": want " + want
		}
	}
	var ok bool
	if strings.TrimSpace(f.Keys) != "" || strings.TrimSpace(f.Rate) == "" || strings.TrimSpace(f.Memory) == "" {
		needs.Keys, ok = ParseCount(f.Keys)
		check("keys", f.Keys, ok && needs.Keys <= maxKeys,
			"a whole number from 1 to 1e14, such as 1000000, 1,000,000 or 1e6, or an empty field if rate and memory are set")
	}
	if strings.TrimSpace(f.Rate) != "" || strings.TrimSpace(f.Memory) == "" {
		needs.Rate, ok = parseDecimal(strings.TrimSuffix(strings.TrimSpace(f.Rate), "%"), -2)
		check("rate", f.Rate, ok && needs.Rate > 0 && needs.Rate < 1,
			"a percentage above 0 and below 100, such as 2.5, or an empty field if the memory is set")
	}
	if strings.TrimSpace(f.Memory) != "" {
		mib, ok := parseDecimal(f.Memory, 0)
		needs.Memory = uint64(math.Round(min(mib, maxMiB) * (1 << 20)))
		check("memory", f.Memory, ok && needs.Memory > 0 && mib <= maxMiB,
			"a number of MiB above 0 and up to 1e12, such as 1.5, or an empty field for no limit")
	}
	return needs, wrong
}

var (
	plainCount   = regexp.MustCompile(`^[0-9]+$`)
	groupedCount = regexp.MustCompile(`^[0-9]{1,3}((,[0-9]{3})+|(_[0-9]{3})+|([ \x{a0}\x{202f}][0-9]{3})+)$`)
	shortCount   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[eE]\+?[0-9]{1,2}$`)
	separator    = regexp.MustCompile(`[^0-9]`)
	decimal      = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?$`)
)

// ParseCount reads a whole number from 1 to 2^64-1, such as 1000000, 1,000,000
// or 1_000_000, or with an exponent up to 2^53, such as 1e6. It reports whether
// text is such a number.
func ParseCount(text string) (uint64, bool) {
	text = strings.TrimSpace(text)
	if shortCount.MatchString(text) {
		x, err := strconv.ParseFloat(text, 64)
		return uint64(min(x, 1<<53)), err == nil && x >= 1 && x <= 1<<53 && x == math.Trunc(x)
	}
	if !plainCount.MatchString(text) && !groupedCount.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(separator.ReplaceAllString(text, ""), 10, 64)
	return n, err == nil && n > 0
}

// parseDecimal reads a nonnegative number and multiplies it by 10^power. It
// does so by changing the exponent in the text, since a multiplication would
// round: 1e-9 percent must be exactly 1e-11.
func parseDecimal(text string, power int) (float64, bool) {
	parts := decimal.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return 0, false
	}
	exponent, _ := strconv.Atoi(parts[2]) // 0 if empty
	x, err := strconv.ParseFloat(fmt.Sprintf("%se%d", parts[1], exponent+power), 64)
	return x, err == nil
}
