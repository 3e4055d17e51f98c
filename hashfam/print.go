package hashfam

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
)

const (
	publicText  = "public"
	keyedPrefix = "keyed:"
	hiddenText  = "hashfam.Key(hidden)"
)

// String names the family by its check value: "public" or "keyed:" and 16
// hexadecimal digits. The key stays hidden.
func (f Family) String() string {
	if f.Public() {
		return publicText
	}
	return keyedPrefix + fmt.Sprintf("%016x", f.CheckValue())
}

// Format prints [Family.String] for every verb and flag that package fmt asks
// it for, which is all except the misplaced %p and %w, so that no format shows
// the key.
func (f Family) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// AppendText appends [Family.String] to dst. The error is always nil.
func (f Family) AppendText(dst []byte) ([]byte, error) { return append(dst, f.String()...), nil }

// MarshalText returns [Family.String], so that packages such as encoding/json
// store a family by its check value. The error is always nil.
func (f Family) MarshalText() ([]byte, error) { return f.AppendText(nil) }

// UnmarshalText reads the text form of a family. The text of a keyed family
// does not contain its key, so it cannot be read into another family: the text
// of the public family makes f public, the text of the family that f already
// is leaves it so, and any other is ErrFamily. Text of another form is
// ErrCorrupt. After an error f is unchanged.
func (f *Family) UnmarshalText(text []byte) error {
	switch t := string(text); {
	case f == nil:
		return errs.Nil()
	case t == publicText:
		*f = Family{}
		return nil
	case t == f.String():
		return nil
	case isKeyed(t):
		return errs.Field(ErrFamily, "Family", t, fmt.Sprintf("%s, or the family itself in the receiver: a text does not hold the key", publicText))
	default:
		return errs.Field(ErrCorrupt, "Family", strconv.Quote(t), `"public", or "keyed:" and 16 hexadecimal digits`)
	}
}

// isKeyed reports whether text is the text form of a keyed family.
func isKeyed(text string) bool {
	if len(text) != len(keyedPrefix)+16 || text[:len(keyedPrefix)] != keyedPrefix {
		return false
	}
	_, err := hex.DecodeString(text[len(keyedPrefix):])
	return err == nil
}

// String hides the key.
func (k Key) String() string { return hiddenText }

// Format prints [Key.String], with the limits of [Family.Format]. To store a
// key, write its bytes: k[:].
func (k Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

// MarshalText hides the key from packages such as encoding/json and log/slog.
// To store a key, write its bytes: k[:]. The error is always nil.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText returns ErrSecret and leaves k unchanged: a key has no text
// form, so a configuration that was written and read does not silently lose its
// key.
func (k *Key) UnmarshalText([]byte) error {
	return errs.Field(ErrSecret, "Key", "a text", "16 bytes, copied into the Key: copy(k[:], bytes)")
}

// LogValue hides the key from package log/slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
