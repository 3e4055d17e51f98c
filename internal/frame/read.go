package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/filterfam/filterfam/internal/fault"
)

// A Reader takes one frame from a stream and not one byte more. Its error is
// sticky: after the first, every call does nothing and reads zeros, so that a
// decoder checks once, at the end.
type Reader struct {
	r   io.Reader
	crc uint32
	n   int64
	err error
	buf []byte

	have uint64 // bytes known to have arrived already
}

// NewReader returns a Reader of the frame that r stands at.
func NewReader(r io.Reader) *Reader { return &Reader{r: r, buf: make([]byte, 0, maxParams+sumBytes)} }

// Err returns the first error, and N how many bytes have been read.
func (r *Reader) Err() error { return r.err }

// N returns how many bytes have been read.
func (r *Reader) N() int64 { return r.n }

// Fail records err, if it is the first.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Corrupt returns an ErrCorrupt that names the field of the frame at fault, its
// value and what is allowed.
func (r *Reader) Corrupt(field string, value any, want string) error {
	return fault.Field(fault.ErrCorrupt, field, value, want)
}

// fill reads exactly len(b) bytes and adds them to the checksum.
func (r *Reader) fill(b []byte) {
	if r.err != nil {
		clear(b)
		return
	}
	n, err := io.ReadFull(r.r, b)
	r.n += int64(n)
	switch {
	case err == io.EOF && r.n > 0:
		err = io.ErrUnexpectedEOF
		fallthrough
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		err = fmt.Errorf("filterfam: %w: the frame ends after %d bytes: %w", fault.ErrCorrupt, r.n, err)
	case err != nil:
		err = fmt.Errorf("filterfam: reading a frame: %w", err)
	}
	if err != nil {
		clear(b)
		r.Fail(err)
		return
	}
	r.crc = crc32.Update(r.crc, castagnoli, b)
}

// sum reads a checksum and compares it to that of all bytes before it.
func (r *Reader) sum(field string) {
	crc := r.crc
	var b [sumBytes]byte
	r.fill(b[:])
	if r.err == nil {
		r.Fail(checkSum(field, b[:], crc))
	}
}

// Header reads and verifies the header of a frame that must be of the given
// kind and version, written under the family with the given check value. The
// parameters are valid until the next call.
func (r *Reader) Header(kind Kind, version uint8, check uint64) Header {
	b := r.buf[:fixedBytes]
	r.fill(b)
	if r.err != nil {
		return Header{}
	}
	h, p, err := parseFixed(b)
	if err != nil {
		r.Fail(err)
		return Header{}
	}
	h.Params = r.buf[:p]
	r.fill(h.Params)
	r.sum("header checksum")
	switch {
	case r.err != nil:
	case h.Kind != kind:
		r.Fail(fault.Field(fault.ErrCorrupt, "kind", h.Kind, fmt.Sprint(kind)))
	case h.Version != version:
		r.Fail(fault.Field(fault.ErrVersion, "version", h.Version, fmt.Sprint(version)))
	case h.Check != check:
		r.Fail(fault.Field(fault.ErrFamily, "family check value", fmt.Sprintf("%x", h.Check), fmt.Sprintf("%x", check)))
	}
	if r.err != nil {
		return Header{}
	}
	return h
}

// Words reads a payload of n words and the checksum behind it. Memory grows
// with what has arrived: at most twice that, and 64 KiB.
func (r *Reader) Words(n uint64) []uint64 {
	if r.err != nil {
		return nil
	}
	words := make([]uint64, 0, min(n, max(r.have, chunkBytes)/wordBytes))
	chunk := make([]byte, min(n*wordBytes, chunkBytes))
	for uint64(len(words)) < n && r.err == nil {
		c := chunk[:min((n-uint64(len(words)))*wordBytes, chunkBytes)]
		r.fill(c)
		if r.err != nil {
			return nil
		}
		words = growTo(words, len(c)/wordBytes, n)
		for ; len(c) > 0; c = c[wordBytes:] {
			words = append(words, binary.LittleEndian.Uint64(c))
		}
	}
	r.sum("checksum")
	if r.err != nil {
		return nil
	}
	return words
}

// growTo makes room for more words, doubling up to n in all.
func growTo(words []uint64, more int, n uint64) []uint64 {
	if cap(words)-len(words) >= more {
		return words
	}
	grown := make([]uint64, len(words), min(n, 2*uint64(cap(words))))
	copy(grown, words)
	return grown
}

// NewBytesReader returns a Reader of a frame that is the whole of data. It
// fails at once if data is shorter or longer than its header says, so that no
// length is believed that the data does not bear out.
func NewBytesReader(data []byte) *Reader {
	r := NewReader(bytes.NewReader(data))
	r.have = uint64(len(data))
	if len(data) < fixedBytes {
		r.n = int64(len(data))
		r.Fail(fmt.Errorf("filterfam: %w: %d bytes are shorter than any frame: %w",
			fault.ErrCorrupt, len(data), io.ErrUnexpectedEOF))
		return r
	}
	h, p, err := parseFixed(data)
	if err != nil {
		r.Fail(err)
		return r
	}
	h.Params = data[fixedBytes:fixedBytes]
	if want := h.Size() + uint64(p); uint64(len(data)) != want {
		r.Fail(fault.Field(fault.ErrCorrupt, "frame length", len(data), fmt.Sprintf("%d bytes, as the header says", want)))
	}
	return r
}
