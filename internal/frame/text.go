package frame

import (
	"encoding"
	"encoding/base64"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// toText returns the text form of an encoded structure: its base64 (RFC 4648,
// section 4).
func toText(encoded []byte) []byte { return base64.StdEncoding.AppendEncode(nil, encoded) }

// MarshalText returns the text form of a structure.
func MarshalText(f encoding.BinaryAppender) ([]byte, error) {
	encoded, err := f.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	return toText(encoded), nil
}

// UnmarshalText decodes the text form of a structure into f.
func UnmarshalText(f encoding.BinaryUnmarshaler, text []byte, m *fault.Maker) error {
	encoded, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return m.Field(hashfam.ErrCorrupt, "text", fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("base64 (%v)", err))
	}
	return f.UnmarshalBinary(encoded)
}

// AppendText appends the text form of an encoded structure to dst. If err is
// not nil, it returns err instead.
func AppendText(dst []byte, encoded []byte, err error) ([]byte, error) {
	if err != nil {
		return dst, err
	}
	return base64.StdEncoding.AppendEncode(dst, encoded), nil
}

// FromText decodes the text form of a structure to its encoding.
func FromText(text []byte, m *fault.Maker) ([]byte, error) {
	encoded, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return nil, m.Field(hashfam.ErrCorrupt, "text", fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("base64 (%v)", err))
	}
	return encoded, nil
}
