package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/hashfam"
)

// A number is a flag such as -n 1e6.
type number uint64

func (n *number) String() string { return strconv.FormatUint(uint64(*n), 10) }

func (n *number) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1 && x <= 1<<48 && x == math.Trunc(x)) {
		return errors.New("want a whole number from 1 to 2^48, such as 1000000 or 1e6")
	}
	*n = number(x)
	return nil
}

// A size is a flag such as -memory 64M.
type size uint64

func (s *size) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *size) Set(text string) error {
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
	*s = size(x * unit)
	return nil
}

// keyVariable is the environment variable with the secret key.
const keyVariable = "FILTERFAM_KEY"

// addKey adds the flag for the secret key.
func (c *command) addKey() {
	c.flags.StringVar(&c.keyFile, "key-file", "", "")
}

// family returns the family with the secret key, or the public family if there
// is no key.
func (c *command) family() (hashfam.Family, error) {
	if c.keyFile == "" {
		text := os.Getenv(keyVariable)
		if text == "" {
			return hashfam.Family{}, nil
		}
		return familyOf([]byte(text), keyVariable)
	}
	data, err := os.ReadFile(c.keyFile)
	if err != nil {
		return hashfam.Family{}, err
	}
	if len(data) == len(hashfam.Key{}) {
		return usable(hashfam.Key(data), "-key-file "+c.keyFile)
	}
	return familyOf(data, "-key-file "+c.keyFile)
}

// familyOf returns the family for a key in hexadecimal. Errors do not contain
// the key.
func familyOf(text []byte, source string) (hashfam.Family, error) {
	digits := strings.TrimRight(string(text), "\r\n")
	key, err := hex.DecodeString(digits)
	if len(digits) != 2*len(hashfam.Key{}) {
		return hashfam.Family{}, fmt.Errorf("%s: %d bytes, want 32 hexadecimal digits, or 16 bytes in a file", source, len(text))
	}
	if err != nil {
		return hashfam.Family{}, fmt.Errorf("%s: not hexadecimal, want 32 hexadecimal digits, or 16 bytes in a file", source)
	}
	return usable(hashfam.Key(key), source)
}

func usable(key hashfam.Key, source string) (hashfam.Family, error) {
	if key == (hashfam.Key{}) {
		return hashfam.Family{}, fmt.Errorf("%s: all zeros, which is the public family: want a key from filterfam key", source)
	}
	return hashfam.New(key), nil
}

// words replaces the names of fields with those of flags.
var words = strings.NewReplacer(
	"Capacity", "-n", "Expected", "-n", "FPRate", "-fpr", "MemoryBytes", "-memory", "Epsilon", "-epsilon", "Delta", "-delta",
	"Phi", "-phi", "Layout", "-layout", "Config.", "", "HeavyConfig.", "", "ScalableConfig.", "", "Params.", "",
	"\n", " ",
)

// message returns the text of an error in a line, in the words of the flags.
func message(err error) string {
	var field *hashfam.FieldError
	if !errors.As(err, &field) {
		var path *fs.PathError
		if errors.As(err, &path) {
			return words.Replace(strings.Replace(err.Error(), path.Op+" ", "", 1))
		}
		return strings.ReplaceAll(err.Error(), "\n", " ")
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
