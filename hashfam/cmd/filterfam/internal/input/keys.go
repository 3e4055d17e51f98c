package input

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/filterfam/filterfam/internal/lines"
)

// keys finds the keys and weights of lines. Its slices are used again for each
// batch.
type keys struct {
	Config
	keys    [][]byte
	weights []uint64
	made    []byte // keys that are not a part of their line
}

// newKeys returns the keys that c describes. If c does not select fields for
// the key, the key is the line without its weight.
func newKeys(c Config) *keys {
	if c.Weight > 0 && c.Key.whole() {
		c.Key = c.Key.without(c.Weight)
	}
	return &keys{Config: c}
}

// of returns the lines that have been read, with their keys. It skips lines
// whose key is empty, unless Empty is set, and lines whose weight is 0. If a
// line has no valid weight, it returns the lines before this one, and an error.
func (k *keys) of(all *lines.Reader) (Batch, error) {
	if k.Key.whole() && !k.Fold && k.Weight == 0 {
		return Batch{Lines: all.Keys, Keys: all.Keys}, nil
	}
	k.made = k.made[:0]
	k.weights = k.weights[:0]
	kept := all.Keys[:0]
	keys := k.keys[:0]
	var err error
	for i, line := range all.Keys {
		key := k.key(line)
		if len(key) == 0 && !k.Empty {
			continue
		}
		if k.Weight > 0 {
			weight, failed := k.weight(line)
			if failed != nil {
				err = fmt.Errorf("line at byte %d: %w", all.Starts[i], failed)
				break
			}
			if weight == 0 {
				continue
			}
			k.weights = append(k.weights, weight)
		}
		kept = append(kept, line)
		keys = append(keys, key)
	}
	k.keys = keys
	return Batch{kept, keys, k.weights}, err
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
	if err != nil {
		return 0, fmt.Errorf("the weight is %.30q, want a whole number", field)
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

// appendFolded appends a key in a form that is the same for all keys that
// differ only by case. Bytes that are not UTF-8 are unchanged.
func appendFolded(dst, key []byte) []byte {
	start := len(dst)
	dst = append(dst, key...)
	for i, b := range key {
		if b >= utf8.RuneSelf {
			return appendFoldedRunes(dst[:start+i], key[i:])
		}
		if isCapital(b) {
			dst[start+i] = b + 'a' - 'A'
		}
	}
	return dst
}

func appendFoldedRunes(dst, key []byte) []byte {
	for len(key) > 0 {
		r, size := utf8.DecodeRune(key)
		switch {
		case r == utf8.RuneError:
			dst = append(dst, key[:size]...)
		case r < commonRunes:
			dst = utf8.AppendRune(dst, commonFolded()[r])
		default:
			dst = utf8.AppendRune(dst, folded(r))
		}
		key = key[size:]
	}
	return dst
}

// commonRunes is the number of runes before the end of Latin, Greek, Cyrillic
// and Armenian.
const commonRunes = 0x590

// commonFolded returns the folded forms of these runes.
var commonFolded = sync.OnceValue(func() *[commonRunes]rune {
	var all [commonRunes]rune
	for r := range all {
		all[r] = folded(rune(r))
	}
	return &all
})

// folded returns the same letter for all letters that differ only by case. This
// is the first of them in Unicode, but a lower-case letter in ASCII.
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
