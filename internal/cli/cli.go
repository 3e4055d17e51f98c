// Package cli contains what the commands filterfam and filterbuild share: the
// types of structures, flags for numbers, the secret key, and error messages
// with the names of flags instead of fields.
package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/hashfam"
)

// A Number is a flag such as -n 1e6. It implements the interfaces Value of
// packages flag and pflag.
type Number uint64

func (n *Number) String() string { return strconv.FormatUint(uint64(*n), 10) }

// Type returns the word for the number in a list of flags.
func (n *Number) Type() string { return "number" }

// Set sets n to the number in text. 1k is 1000, 1M a million, 1G a billion and
// 1T a trillion.
func (n *Number) Set(text string) error {
	x, err := parse(text, 1000)
	if err != nil || !(x >= 1 && x <= 1<<48 && x == math.Trunc(x)) {
		return errors.New("want a whole number from 1 to 2^48, such as 1000000, 1e6 or 1M")
	}
	*n = Number(x)
	return nil
}

// A Size is a flag such as -memory 64M. It implements the interfaces Value of
// packages flag and pflag.
type Size uint64

func (s *Size) String() string { return strconv.FormatUint(uint64(*s), 10) }

// Type returns the word for the size in a list of flags.
func (s *Size) Type() string { return "bytes" }

// Set sets s to the number of bytes in text. 1K is 1024 bytes, and 1KB and 1KiB
// are the same.
func (s *Size) Set(text string) error {
	text = strings.ToUpper(text)
	x, err := parse(strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I"), 1024)
	if err != nil || !(x >= 1 && x <= 1<<48) {
		return errors.New("want a number of bytes up to 2^48, such as 1000000, 64M or 2G")
	}
	*s = Size(x)
	return nil
}

// parse returns the number in text, which can end with K, M, G or T. A K stands
// for kilo, and each next letter for kilo times as much.
func parse(text string, kilo float64) (float64, error) {
	unit := 1.0
	for _, suffix := range []string{"K", "M", "G", "T"} {
		unit *= kilo
		if digits, found := strings.CutSuffix(strings.ToUpper(text), suffix); found {
			x, err := strconv.ParseFloat(digits, 64)
			return x * unit, err
		}
	}
	return strconv.ParseFloat(text, 64)
}

// A Rate is a flag such as -fpr 1%. It implements the Value of packages flag
// and pflag.
type Rate float64

func (r *Rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

// Type returns the word for the rate in a list of flags.
func (r *Rate) Type() string { return "rate" }

// Set sets r to the rate in text. It does not check the range.
func (r *Rate) Set(text string) error {
	digits, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return errors.New("want a number such as 0.01, or 1%")
	}
	if percent {
		x /= 100
	}
	*r = Rate(x)
	return nil
}

// Family returns the family with the secret key in text, which has 32
// hexadecimal digits. Errors begin with source and do not contain the key.
func Family(text []byte, source string) (hashfam.Family, error) {
	digits := strings.TrimRight(string(text), "\r\n")
	key, err := hex.DecodeString(digits)
	if len(digits) != 2*len(hashfam.Key{}) {
		return hashfam.Family{}, fmt.Errorf("%s: %d bytes, want 32 hexadecimal digits", source, len(text))
	}
	if err != nil {
		return hashfam.Family{}, fmt.Errorf("%s: not hexadecimal, want 32 hexadecimal digits", source)
	}
	return FamilyOf(hashfam.Key(key), source)
}

// FamilyOf returns the family with this secret key. It returns an error if the
// key is the public family's.
func FamilyOf(key hashfam.Key, source string) (hashfam.Family, error) {
	if key == (hashfam.Key{}) {
		return hashfam.Family{}, fmt.Errorf("%s: all zeros, which is the public family: want a key from filterfam key", source)
	}
	return hashfam.New(key), nil
}

// CheckRate returns an error if a filter of the given number of keys has more
// than twice the wanted rate. limit is the flag or field that was too small,
// and want describes a value that would have been large enough.
func CheckRate(limit string, keys uint64, rate, wanted float64, want string) error {
	if rate <= 2*wanted {
		return nil
	}
	return fmt.Errorf("%s is too small for %d keys: the rate is %.3g%%, more than twice %.3g%%; want %s",
		limit, keys, 100*rate, 100*wanted, want)
}

// Full returns the error for a filter without room for all keys. See
// [CheckRate].
func Full(limit string, keys uint64, want string) error {
	return fmt.Errorf("%s is too small for %d keys; want %s", limit, keys, want)
}

// Capacity is the limit to pass to CheckRate and Full if the number of keys is
// limited by the field Capacity.
const Capacity = "the Capacity"

const capacityFor = "a Capacity for %s keys"

// CapacityFor returns what to want in CheckRate and Full if the field Capacity
// was too small for the given number of keys.
func CapacityFor(keys uint64) string {
	return fmt.Sprintf(capacityFor, strconv.FormatUint(keys, 10))
}

var wantedCapacity = regexp.MustCompile(fmt.Sprintf(capacityFor, `(\d+)`))

// CapacityAsFlag returns an error's text after replacing fields by flags: it
// replaces Capacity by limit, which is a flag with its value, and the result of
// CapacityFor(N) by -n N. The argument is a text, not an error, because Apache
// Beam may return only the text of a worker's error.
func CapacityAsFlag(text, limit string) string {
	text = strings.Replace(text, Capacity+" is", limit+" is", 1)
	return wantedCapacity.ReplaceAllString(text, "-n $1")
}

// words returns a Replacer that turns the names of fields into the names of
// flags. The names of flags begin with dash, or with a hyphen if they have one
// letter. In formulas, they begin with neither, because a hyphen would look
// like a minus.
func words(dash string) *strings.Replacer {
	all := []string{
		"Capacity/", "n/", "Expected/", "n/", "2^64 Epsilon", "2^64 epsilon", "or K", "or -k", "Capacity", "-n", "Expected", "-n",
		"Config.", "", "HeavyConfig.", "", "ScalableConfig.", "", "Params.", "", "\n", " ",
	}
	for field, flag := range map[string]string{
		"FPRate": "fpr", "MemoryBytes": "memory", "Epsilon": "epsilon", "Delta": "delta", "Phi": "phi", "Layout": "layout",
	} {
		all = append(all, field, dash+flag)
	}
	return strings.NewReplacer(all...)
}

// Message returns the text of an error as one line, with the names of flags,
// which begin with dash, instead of the names of fields.
func Message(err error, dash string) string {
	var field *hashfam.FieldError
	if !errors.As(err, &field) {
		text := err.Error()
		var path *fs.PathError
		if errors.As(err, &path) {
			text = strings.Replace(text, path.Op+" ", "", 1)
		}
		return strings.ReplaceAll(text, "\n", " ")
	}
	text := err.Error()
	before, _, _ := strings.Cut(text, field.Error())
	name := field.Field[strings.LastIndexByte(field.Field, '.')+1:]
	if name == "K" {
		name = "-k"
	}
	text = fmt.Sprintf("%s %v, want %s", name, field.Value, field.Allowed)
	if !errors.Is(field.Err, hashfam.ErrParams) {
		text = fmt.Sprintf("%v: %s", field.Err, text)
	}
	return strings.ReplaceAll(before, "\n", " ") + words(dash).Replace(text)
}
