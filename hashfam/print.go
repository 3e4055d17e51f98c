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
	hiddenText  = "hashfam.Key(hidden)"
)

// String returns "public", or "keyed:" and the check value in 16 hexadecimal
// digits. It does not show the key. O(1) time.
//
// Its receiver is a value, like those of Format, MarshalText and LogValue of
// all types of filterfam: a method with a pointer receiver is not called for a
// value in a field of another struct, which would then show the key.
func (f Family) String() string {
	if f.Public() {
		return publicText
	}
	return keyedPrefix + fmt.Sprintf("%016x", f.CheckValue())
}

// Format prints [Family.String] for every verb and flag, so that no format
// shows the key. The exceptions are the misplaced verbs %p and %w, for which
// package fmt does not call Format.
func (f Family) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// MarshalText returns [Family.String], so that packages such as encoding/json
// store the check value of a family. The error is always nil. O(1) time.
func (f Family) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText decodes the text form of a family into f. The text of a keyed
// family does not contain its key, so f must already be that family; the text
// is then only a check. The text "public" makes any f the public family.
//
// It returns [ErrFamily] if the text is that of another keyed family, and
// [ErrCorrupt] if it is not the text form of a family. After an error f is
// unchanged. O(1) time.
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

// String returns "hashfam.Key(hidden)". O(1) time.
func (k Key) String() string { return hiddenText }

// Format prints [Key.String] for every verb and flag, with the exceptions of
// [Family.Format]. To store a key, write its bytes: k[:].
func (k Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

// MarshalText returns [Key.String], so that packages such as encoding/json and
// log/slog do not show the key. To store a key, write its bytes: k[:]. The
// error is always nil. O(1) time.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// GobEncode returns [ErrSecret], so that encoding/gob does not write the key.
// To store a key, write its bytes: k[:]. O(1) time.
func (k Key) GobEncode() ([]byte, error) { return nil, fieldError(ErrSecret, "Key", "a gob", "k[:]") }

// UnmarshalText returns [ErrSecret] and leaves k unchanged. A key has no text
// form. Because of this error, a configuration that is written and read back
// cannot lose its key silently. O(1) time.
func (k *Key) UnmarshalText([]byte) error {
	return fieldError(ErrSecret, "Key", "a text", "16 bytes, copied into the Key: copy(k[:], bytes)")
}

// LogValue returns [Key.String], so that package log/slog does not show the
// key. O(1) time.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
