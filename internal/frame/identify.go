package frame

import (
	"encoding/binary"
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

// Publish verifies the checksum of the frame data, and then changes the frame
// as if it had been encoded with the public family. Its parameters and contents
// can then be read without the key.
func Publish(data []byte) error {
	h, err := Identify(data)
	if err != nil {
		return err
	}
	if uint64(len(data)) != h.Size() {
		return anyKind.Field(hashfam.ErrCorrupt, "frame length", len(data), fmt.Sprintf("%d bytes, as the header says", h.Size()))
	}
	end := len(data) - sumBytes
	if err := checkSum("checksum", data[end:], crcOf(data[:end]), anyKind); err != nil {
		return err
	}
	header := headerBytes(len(h.Params)) - sumBytes
	binary.LittleEndian.PutUint64(data[8:], hashfam.Family{}.CheckValue())
	binary.LittleEndian.PutUint64(data[header:], uint64(crcOf(data[:header])))
	binary.LittleEndian.PutUint64(data[end:], uint64(crcOf(data[:end])))
	return nil
}
