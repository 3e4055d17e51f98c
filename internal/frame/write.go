package frame

import (
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// An Encoder returns a structure's frame, or an error if it cannot be encoded.
type Encoder func() (Header, Payload, error)

// AppendBinary appends the frame to dst.
func AppendBinary(dst []byte, encode Encoder) ([]byte, error) {
	h, payload, err := encode()
	if err != nil {
		return dst, err
	}
	return Append(dst, h, payload), nil
}

// WriteTo writes the frame to w. See [Write].
func WriteTo(w io.Writer, m *fault.Maker, encode Encoder) (int64, error) {
	if w == nil {
		return 0, m.Field(hashfam.ErrParams, "w", nil, "a writer")
	}
	h, payload, err := encode()
	if err != nil {
		return 0, err
	}
	return Write(w, h, payload)
}

// AppendWords is like [Append] for a payload of words in several slices.
func AppendWords(dst []byte, h Header, pieces [][]uint64) []byte {
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	for _, words := range pieces {
		if b, ok := bytesOf(words); ok {
			dst = append(dst, b...)
			continue
		}
		for _, w := range words {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	return appendSum(dst, crcOf(dst[start:]))
}

// Append appends a frame to dst, which it grows no more than once. The payload
// must have the length h.Payload.
func Append(dst []byte, h Header, payload Payload) []byte {
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	for piece := range payload {
		dst = append(dst, piece...)
	}
	return appendSum(dst, crcOf(dst[start:]))
}

// AppendFilled is like Append, but calls fill to set the payload's numbers,
// which are zero before. If possible, fill writes directly to the memory of the
// result.
func AppendFilled[T number](dst []byte, h Header, fill func([]T)) []byte {
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	payload := dst[len(dst) : len(dst)+int(h.Payload)]
	clear(payload)
	if numbers, ok := numbersIn[T](payload); ok {
		fill(numbers)
		dst = dst[:len(dst)+len(payload)]
	} else {
		numbers := make([]T, len(payload)/sizeOf[T]())
		fill(numbers)
		for piece := range Numbers(numbers) {
			dst = append(dst, piece...)
		}
	}
	return appendSum(dst, crcOf(dst[start:]))
}

// Write writes a frame to w in pieces. It returns the number of bytes written
// and w's error.
func Write(w io.Writer, h Header, payload Payload) (total int64, err error) {
	crc := uint32(0)
	write := func(b []byte) bool {
		crc = crc32.Update(crc, castagnoli, b)
		n, failure := w.Write(b)
		switch {
		case n < 0 || n > len(b):
			n = 0
			failure = errInvalidWrite
		case failure == nil && n < len(b):
			failure = io.ErrShortWrite
		}
		total += int64(n)
		err = failure
		return err == nil
	}
	if !write(h.append(make([]byte, 0, maxHeader))) {
		return total, err
	}
	for piece := range payload {
		if !write(piece) {
			return total, err
		}
	}
	write(appendSum(nil, crc))
	return total, err
}

// errInvalidWrite means that a writer returned an impossible number of bytes.
var errInvalidWrite = errors.New("invalid write result")

func toText(encoded []byte) []byte { return base64.StdEncoding.AppendEncode(nil, encoded) }

// MarshalText returns the text form of f: base64, as in RFC 4648, section 4.
func MarshalText(f encoding.BinaryAppender) ([]byte, error) {
	encoded, err := f.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	return toText(encoded), nil
}

// UnmarshalText decodes text into f.
func UnmarshalText(f encoding.BinaryUnmarshaler, text []byte, m *fault.Maker) error {
	encoded, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return m.Field(hashfam.ErrCorrupt, "text", fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("base64 (%v)", err))
	}
	return f.UnmarshalBinary(encoded)
}
