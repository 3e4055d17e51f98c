package frame

import (
	"fmt"
	"hash/crc32"
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

// Publish returns a reader for the frame in r, which has the header h, as if it
// had been encoded with the public family. Its parameters and contents can then
// be read without the key. A wrong checksum stays wrong.
func Publish(r io.Reader, h Header) io.Reader {
	h.Check = hashfam.Family{}.CheckValue()
	return &published{r: r, header: h.append(nil), end: h.Size() - sumBytes}
}

type published struct {
	r      io.Reader
	header []byte
	at     uint64 // the number of bytes that have been read
	end    uint64 // the number of bytes before the checksum
	old    uint32 // the checksum of the bytes in r
	new    uint32 // the checksum of the bytes that were returned
}

func (p *published) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	before := b[:min(uint64(n), p.end-min(p.at, p.end))]
	p.old = crc32.Update(p.old, castagnoli, before)
	if p.at < uint64(len(p.header)) {
		copy(before, p.header[p.at:])
	}
	p.new = crc32.Update(p.new, castagnoli, before)
	p.at += uint64(len(before))
	for i := len(before); i < n; i++ {
		b[i] ^= byte(uint64(p.old^p.new) >> (8 * (p.at - p.end))) // zero after the checksum
		p.at++
	}
	return n, err
}
