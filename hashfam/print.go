package hashfam

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

const (
	publicText  = "public"
	keyedPrefix = "keyed:"
)

// String returns "public", or "keyed:" followed by the check value in 16
// hexadecimal digits. It does not reveal the key.
//
// In all exported types that contain a Family, String, Format, MarshalText and
// LogValue have value receivers. Methods with pointer receivers would not be
// called for a value in another struct's field, so printing this struct would
// reveal the key.
func (f Family) String() string {
	if f == (Family{}) {
		return publicText
	}
	return keyedPrefix + fmt.Sprintf("%016x", f.CheckValue())
}

// Format prints the result of [Family.String], whatever the verb and the flags
// are. But package fmt does not call Format for %T, %p and %w. Do not use %p and
// %w with a Family, because they print the key.
func (f Family) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// MarshalText returns the result of [Family.String], so that encoding/json and
// similar packages store the family's check value. The error is always nil.
func (f Family) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText sets f to the public family if the text is "public". Since the
// text of a keyed family does not contain its key, f must already be this
// family, and UnmarshalText only checks that the text matches.
//
// UnmarshalText returns [ErrFamily] if the text describes another keyed family,
// and [ErrCorrupt] if it is not the text form of a family. After an error, f is
// unchanged.
func (f *Family) UnmarshalText(text []byte) error {
	switch t := string(text); {
	case t == publicText:
		*f = Family{}
		return nil
	case t == f.String():
		return nil
	case isKeyed(t):
		return fieldError(ErrFamily, "Family", t, fmt.Sprintf("%s, or a receiver with that family: the text does not contain the key", publicText))
	default:
		return fieldError(ErrCorrupt, "Family", strconv.Quote(t), `"public", or "keyed:" and 16 hexadecimal digits in lower case`)
	}
}

// isKeyed reports whether text is the text form of a keyed family.
func isKeyed(text string) bool {
	digits, found := strings.CutPrefix(text, keyedPrefix)
	return found && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}

// String returns "hashfam.Key(hidden)".
func (k Key) String() string { return "hashfam.Key(hidden)" }

// Format prints the result of [Key.String] for every verb and flag; see
// [Family.Format].
func (k Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

// MarshalText returns [ErrSecret]. Otherwise encoding/json and similar packages
// would write the key. To store a key, write its bytes, k[:].
func (k Key) MarshalText() ([]byte, error) {
	return nil, fmt.Errorf("hashfam: %w: a Key has no text form; to store it, write k[:]", ErrSecret)
}

// GobEncode returns [ErrSecret]. Otherwise encoding/gob would write the key.
func (k Key) GobEncode() ([]byte, error) {
	return nil, fmt.Errorf("hashfam: %w: a Key cannot be encoded as a gob; to store it, write k[:]", ErrSecret)
}

// UnmarshalText returns [ErrSecret] and leaves k unchanged. Without this
// method, encoding/json would read a list of numbers as a key.
func (k *Key) UnmarshalText([]byte) error {
	return fmt.Errorf("hashfam: %w: a Key has no text form; to set it, copy 16 bytes: copy(k[:], bytes)", ErrSecret)
}

// LogValue returns the result of [Key.String] for package log/slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
