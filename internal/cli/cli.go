// Package cli contains what the commands filterfam and filterbuild share:
// flags for numbers, the secret key, and errors in the words of the flags.
package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/hashfam"
)

// A Number is a flag such as -n 1e6. It implements flag.Value.
type Number uint64

func (n *Number) String() string { return strconv.FormatUint(uint64(*n), 10) }

// Set sets n to the number in text.
func (n *Number) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1 && x <= 1<<48 && x == math.Trunc(x)) {
		return errors.New("want a whole number from 1 to 2^48, such as 1000000 or 1e6")
	}
	*n = Number(x)
	return nil
}

// A Size is a flag such as -memory 64M. It implements flag.Value.
type Size uint64

func (s *Size) String() string { return strconv.FormatUint(uint64(*s), 10) }

// Set sets s to the number of bytes in text.
func (s *Size) Set(text string) error {
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	unit := 1.0
	for i, suffix := range []string{"K", "M", "G", "T"} {
		if before, found := strings.CutSuffix(digits, suffix); found {
			digits = before
			unit = math.Ldexp(1, 10*(i+1))
		}
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(x*unit >= 1 && x*unit <= 1<<48) {
		return errors.New("want a number of bytes up to 2^48, such as 1000000, 64M or 2G")
	}
	*s = Size(x * unit)
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

// CheckRate returns an error if a filter of some keys has more than twice the
// wanted rate. limit is the flag or field that was too small, and want is what
// would have been right.
func CheckRate(limit string, keys uint64, rate, wanted float64, want string) error {
	if rate <= 2*wanted {
		return nil
	}
	return fmt.Errorf("%s is too small for %d keys: the rate is %.3g%%, more than twice %.3g%%; want %s",
		limit, keys, 100*rate, 100*wanted, want)
}

// Full returns the error for a filter that does not have room for all keys.
func Full(limit string, keys uint64, want string) error {
	return fmt.Errorf("%s is too small for %d keys; want %s", limit, keys, want)
}

// words replaces the names of fields with those of flags. In formulas, names
// have no hyphen, which would be read as a minus.
var words = strings.NewReplacer(
	"Capacity/", "n/", "Expected/", "n/", "2^64 Epsilon", "2^64 epsilon", "or K", "or -k",
	"Capacity", "-n", "Expected", "-n", "FPRate", "-fpr", "MemoryBytes", "-memory", "Epsilon", "-epsilon", "Delta", "-delta",
	"Phi", "-phi", "Layout", "-layout", "Config.", "", "HeavyConfig.", "", "ScalableConfig.", "", "Params.", "",
	"\n", " ",
)

// Message returns the text of an error in a line, in the words of the flags.
func Message(err error) string {
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
	value := fmt.Sprint(field.Value)
	if errors.Is(field.Err, hashfam.ErrParams) {
		return before + words.Replace(fmt.Sprintf("%s %s, want %s", name, value, field.Allowed))
	}
	return before + words.Replace(fmt.Sprintf("%v: %s %s, want %s", field.Err, name, value, field.Allowed))
}
