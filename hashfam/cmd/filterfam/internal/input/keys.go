package input

import (
	"errors"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/filterfam/filterfam/internal/lines"
)

// keys finds the keys and weights of lines.
type keys struct {
	Config
	batch Batch  // reused
	made  []byte // keys that are not a part of their line
}

// newKeys returns the keys that c describes. Without Key, a line's weight is not
// part of its key.
func newKeys(c Config) *keys {
	if c.Weight > 0 && c.Key.whole() {
		c.Key = c.Key.without(c.Weight)
	}
	return &keys{Config: c}
}

// of returns the lines that have been read, with their keys. If a line has no
// weight, it returns the lines before it and an error.
func (k *keys) of(all *lines.Reader) (Batch, error) {
	if k.Key.whole() && !k.Fold && k.Weight == 0 {
		return Batch{Lines: all.Keys, Keys: all.Keys}, nil
	}
	k.batch.Lines = k.batch.Lines[:0]
	k.batch.Keys = k.batch.Keys[:0]
	k.batch.Weights = k.batch.Weights[:0]
	k.made = k.made[:0]
	for i, line := range all.Keys {
		key := k.key(line)
		if len(key) == 0 && !k.Empty {
			continue
		}
		if k.Weight > 0 {
			weight, err := k.weight(line)
			if err != nil {
				return k.batch, fmt.Errorf("line at byte %d: %w", all.Starts[i], err)
			}
			k.batch.Weights = append(k.batch.Weights, weight)
		}
		k.batch.Lines = append(k.batch.Lines, line)
		k.batch.Keys = append(k.batch.Keys, key)
	}
	return k.batch, nil
}

// key returns the key of a line. It is a part of the line if possible.
func (k *keys) key(line []byte) []byte {
	key := line
	if !k.Key.whole() {
		key = k.Key.cut(line, &k.made)
	}
	if k.Fold && !isFolded(key) {
		start := len(k.made)
		k.made = appendFolded(k.made, key)
		key = k.made[start:len(k.made):len(k.made)]
	}
	return key
}

// weight returns the weight of a line.
func (k *keys) weight(line []byte) (uint64, error) {
	field, found := k.Key.field(line, k.Weight)
	if !found {
		return 0, fmt.Errorf("has no field %d, want one with the weight", k.Weight)
	}
	n, err := strconv.ParseUint(string(field), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("the weight %.30q is above 2^64-1", field)
	}
	if err != nil || n == 0 {
		return 0, fmt.Errorf("the weight is %.30q, want a whole number from 1", field)
	}
	return n, nil
}

// isFolded reports whether a key contains neither capital letters nor letters
// beyond ASCII.
func isFolded(key []byte) bool {
	for _, b := range key {
		if b >= utf8.RuneSelf || isCapital(b) {
			return false
		}
	}
	return true
}

func isCapital(b byte) bool { return b-'A' <= 'Z'-'A' }

// appendFolded appends a key in a form that is the same for all keys that differ
// only by case. Bytes that are not UTF-8 stay.
func appendFolded(dst, key []byte) []byte {
	for i := 0; i < len(key); {
		b := key[i]
		if b < utf8.RuneSelf {
			if isCapital(b) {
				b += 'a' - 'A'
			}
			dst = append(dst, b)
			i++
			continue
		}
		r, size := utf8.DecodeRune(key[i:])
		if r == utf8.RuneError {
			dst = append(dst, key[i:i+size]...)
		} else {
			dst = utf8.AppendRune(dst, folded(r))
		}
		i += size
	}
	return dst
}

// folded returns the same letter for all that differ only by case: the first one
// in Unicode, but a small one for letters of ASCII.
func folded(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if 'A' <= least && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}
