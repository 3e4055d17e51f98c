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
