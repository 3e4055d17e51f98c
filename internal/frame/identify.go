package frame

import (
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// MaxHeader is the length of the longest header.
const MaxHeader = maxHeader

var anyKind = &fault.Maker{Package: "frame"}

// Identify returns the header of a frame of any kind and family. data must
// contain at least the header.
func Identify(data []byte) (Header, error) {
	if len(data) < fixedBytes {
		return Header{}, tooShort(len(data), fixedBytes)
	}
	h, p, err := parseFixed(data, anyKind)
	if err != nil {
		return Header{}, err
	}
	if len(data) < headerBytes(p) {
		return Header{}, tooShort(len(data), headerBytes(p))
	}
	return h.parseRest(data[:headerBytes(p)], p, anyKind)
}

func tooShort(n, want int) error {
	err := fmt.Errorf("%w: %w", hashfam.ErrCorrupt, io.ErrUnexpectedEOF)
	return anyKind.Field(err, "frame length", n, fmt.Sprintf("at least %d bytes", want))
}

// Family returns the text form of the header's family.
func (h Header) Family() string { return familyText(h.Check) }

// Verify reads a frame of any kind, which has the header h, and returns an
// error if it is damaged.
func Verify(r io.Reader, h Header) error {
	fr := NewReader(r, anyKind)
	Read[uint8](fr, fr.Header(h.Kind, h.Version, h.Check).Payload)
	return fr.Err()
}

// Damaged reports whether err, from reading a frame, says that a checksum or a
// length is wrong. After any other error, for example about a value that is not
// allowed, the frame may be as it was written.
func Damaged(err error) bool {
	var invalid *hashfam.FieldError
	if !errors.As(err, &invalid) {
		return errors.Is(err, io.ErrUnexpectedEOF)
	}
	switch invalid.Field {
	case "header checksum", "checksum", "frame length", "parameter length", "payload length":
		return true
	}
	return false
}

// Publish returns a reader for the frame in r, which has the header h. The
// reader replaces the frame's family by the public one, so that the parameters
// and contents can be read without the key. The checksum at the end remains
// right, because the CRC of a header followed by its own checksum is a
// constant.
func Publish(r io.Reader, h Header) io.Reader {
	h.Check = hashfam.Family{}.CheckValue()
	return &published{r, h.append(nil)}
}

// A published replaces the header of the frame that it reads.
type published struct {
	io.Reader
	header []byte
}

func (p *published) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	replaced := copy(b[:n], p.header)
	p.header = p.header[replaced:]
	return n, err
}
