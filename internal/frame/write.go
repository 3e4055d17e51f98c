package frame

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// An Encoder returns the frame of a structure, or an error if the structure
// cannot be encoded.
type Encoder func() (Header, Payload, error)

// AppendBinary appends the frame of a structure to dst, as [Append] does.
func AppendBinary(dst []byte, encode Encoder) ([]byte, error) {
	h, payload, err := encode()
	if err != nil {
		return dst, err
	}
	return Append(dst, h, payload), nil
}

// WriteTo writes the frame of a structure to w, as [Write] does.
func WriteTo(w io.Writer, encode Encoder) (int64, error) {
	h, payload, err := encode()
	if err != nil {
		return 0, err
	}
	return Write(w, h, payload)
}

// Append appends a frame to dst and returns the extended slice. h.Payload must
// be the length of the payload. Append allocates the frame once if dst is too
// small.
func Append(dst []byte, h Header, payload Payload) []byte {
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	for piece := range payload {
		dst = append(dst, piece...)
	}
	return appendSum(dst, crcOf(dst[start:]))
}

// AppendFilled is Append for a payload of numbers that fill sets; they are zero
// before. They are in the memory of the result if its address allows it, and
// are copied there otherwise.
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

// Write writes a frame to w, piece by piece. It returns the number of bytes
// written and the writer's error.
func Write(w io.Writer, h Header, payload Payload) (int64, error) {
	out := summed{w: w}
	out.write(h.append(make([]byte, 0, maxHeader)))
	for piece := range payload {
		if out.write(piece); out.err != nil {
			break
		}
	}
	out.write(appendSum(nil, out.crc))
	return out.total, out.err
}

// A summed writer writes to w until the first error, and updates the checksum.
type summed struct {
	w     io.Writer
	crc   uint32
	total int64
	err   error
}

func (s *summed) write(b []byte) {
	if s.err != nil {
		return
	}
	s.crc = crc32.Update(s.crc, castagnoli, b)
	n, err := s.w.Write(b)
	switch {
	case n < 0 || n > len(b):
		n, err = 0, errInvalidWrite
	case err == nil && n < len(b):
		err = io.ErrShortWrite
	}
	s.total += int64(n)
	s.err = err
}

// errInvalidWrite is the error of a writer that returns a number of bytes that
// it did not get.
var errInvalidWrite = errors.New("invalid write result")

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
