package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Reader reads one frame from a stream, and no byte after it. Its error is
// sticky: after the first one every call does nothing and returns zeros. So a
// decoder needs to check the error only once, at the end.
type Reader struct {
	r    io.Reader
	make *fault.Maker
	crc  uint32
	n    int64
	err  error
	have uint64 // number of bytes that are known to follow
	buf  []byte

	chunk []byte // a piece of the payload that has to be converted to numbers
}

// maxKnown is how many bytes a source is believed to have: 4 GiB, or 1 GiB if
// addresses have 32 bits. A sparse file may claim any size.
const maxKnown = min(1<<32, sizing.MaxBytes)

// NewReader returns a Reader of the next frame in r. m makes its errors.
func NewReader(r io.Reader, m *fault.Maker) *Reader {
	return &Reader{r: r, make: m, have: min(remaining(r), maxKnown), buf: make([]byte, 0, maxHeader)}
}

// remaining returns the number of bytes left in r, or 0 if it is not known. It
// is known for regular files and for readers with a method Len.
func remaining(r io.Reader) uint64 {
	if memory, ok := r.(interface{ Len() int }); ok {
		return uint64(max(0, memory.Len()))
	}
	file, ok := r.(interface {
		io.Seeker
		Stat() (fs.FileInfo, error)
	})
	if !ok {
		return 0
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return uint64(max(0, info.Size()-at))
}

// NewBytesReader returns a Reader of a frame that is the whole of data. It
// fails at once if data is shorter or longer than its header says.
func NewBytesReader(data []byte, m *fault.Maker) *Reader {
	r := NewReader(bytes.NewReader(data), m)
	if _, _, err := split(data, m); err != nil {
		r.n = int64(min(len(data), fixedBytes))
		r.Fail(err)
	}
	return r
}

// split parses the fixed part of the header of a frame that is the whole of
// data. It returns what parseFixed does.
func split(data []byte, m *fault.Maker) (Header, int, error) {
	if len(data) < fixedBytes {
		err := fmt.Errorf("%w: %w", hashfam.ErrCorrupt, io.ErrUnexpectedEOF)
		return Header{}, 0, m.Field(err, "frame length", len(data), fmt.Sprintf("at least %d bytes", fixedBytes))
	}
	h, p, err := parseFixed(data, m)
	if err != nil {
		return Header{}, 0, err
	}
	if want := uint64(headerBytes(p)) + h.Payload + sumBytes; uint64(len(data)) != want {
		return Header{}, 0, m.Field(hashfam.ErrCorrupt, "frame length", len(data), fmt.Sprintf("%d bytes, as the header says", want))
	}
	return h, p, nil
}

// ReadFrom calls decode with a Reader of r. It returns the number of bytes read
// and the error of decode.
func ReadFrom(r io.Reader, m *fault.Maker, decode func(*Reader) error) (int64, error) {
	fr := NewReader(r, m)
	err := decode(fr)
	return fr.n, err
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// N returns the number of bytes read so far.
func (r *Reader) N() int64 { return r.n }

// Fail records err if it is the first.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Corrupt returns ErrCorrupt for a field of the frame.
func (r *Reader) Corrupt(field string, value any, allowed string) error {
	return r.make.Field(hashfam.ErrCorrupt, field, value, allowed)
}

// fill reads exactly len(b) bytes and adds them to the checksum.
func (r *Reader) fill(b []byte) {
	if r.err == nil {
		r.Fail(r.readFull(b))
	}
	if r.err != nil {
		clear(b)
		return
	}
	r.crc = crc32.Update(r.crc, castagnoli, b)
}

// patience is the number of consecutive reads that may return neither a byte
// nor an error.
const patience = 100

// readFull reads exactly len(b) bytes. It returns io.EOF if the stream ends
// between two frames. If the stream ends within a frame, it returns
// io.ErrUnexpectedEOF and never io.EOF, even if the reader's error wraps
// io.EOF: a loop that reads until io.EOF must not mistake a truncated frame for
// the end.
func (r *Reader) readFull(b []byte) error {
	for idle := 0; len(b) > 0; {
		n, err := r.r.Read(b)
		if n < 0 || n > len(b) {
			return r.make.Errorf("reading a frame: the reader returned %d bytes of at most %d", n, len(b))
		}
		r.n += int64(n)
		b = b[n:]
		switch idle++; {
		case len(b) == 0:
			return nil
		case n > 0:
			idle = 0
		}
		switch {
		case err == nil && idle == patience:
			return r.make.Errorf("reading a frame: %w", io.ErrNoProgress)
		case err == nil:
		case errors.Is(err, io.EOF) && r.n == 0:
			return r.make.Errorf("%w: no more frames: %w", hashfam.ErrCorrupt, io.EOF)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return r.make.Errorf("%w: the frame ends after %d bytes: %w (%v)", hashfam.ErrCorrupt, r.n, io.ErrUnexpectedEOF, err)
		default:
			return r.make.Errorf("reading a frame: %w", err)
		}
	}
	return nil
}

// Header reads and verifies the header of a frame. The frame must have the
// given kind and version, and must have been written under the family with the
// given check value. The parameters are valid until the next call.
func (r *Reader) Header(kind Kind, version uint8, check uint64) Header {
	h, err := r.header()
	if err == nil {
		err = h.expect(kind, version, check, r.make)
	}
	if err != nil {
		r.Fail(err)
		return Header{}
	}
	return h
}

// header reads a header and verifies its checksum.
func (r *Reader) header() (Header, error) {
	b := r.buf[:fixedBytes]
	if r.fill(b); r.err != nil {
		return Header{}, r.err
	}
	h, p, err := parseFixed(b, r.make)
	if err != nil {
		return Header{}, err
	}
	b = r.buf[:headerBytes(p)]
	if r.fill(b[fixedBytes:]); r.err != nil {
		return Header{}, r.err
	}
	r.have -= min(r.have, uint64(len(b)))
	return h.parseRest(b, p, r.make)
}

// Read reads a payload of n numbers and the checksum after it. It allocates the
// numbers once if it is known that enough bytes follow. Otherwise it allocates
// in steps that double and end with the exact size. So it never allocates more
// than twice the bytes that have arrived, and at the peak one and a half times
// the payload is live. A payload that no slice can hold is ErrCorrupt.
func Read[T number](r *Reader, n uint64) []T {
	size := uint64(sizeOf[T]())
	if n > sizing.Addresses/size {
		r.Fail(r.Corrupt("payload length", n*size, fmt.Sprintf("at most %d on this platform", uint64(sizing.Addresses))))
		return nil
	}
	room := n
	for room*size > max(r.have, chunkBytes) {
		room -= room / 2
	}
	var values []T
	for r.err == nil {
		grown := make([]T, room)
		copy(grown, values)
		readInto(r, grown[len(values):])
		values = grown
		if room == n {
			break
		}
		room = min(n, 2*room)
	}
	r.skipZeros((wordBytes - n*size%wordBytes) % wordBytes)
	r.sum()
	if r.err != nil {
		return nil
	}
	return values
}

// readInto fills values from the payload.
func readInto[T number](r *Reader, values []T) {
	size := sizeOf[T]()
	for len(values) > 0 && r.err == nil {
		n := min(len(values), chunkBytes/size)
		if piece, ok := bytesOf(values[:n]); ok {
			r.fill(piece)
		} else {
			r.chunk = slices.Grow(r.chunk[:0], n*size)[:n*size]
			r.fill(r.chunk)
			binary.Decode(r.chunk, binary.LittleEndian, values[:n])
		}
		values = values[n:]
	}
}

// skipZeros reads n bytes of padding, which must be zero.
func (r *Reader) skipZeros(n uint64) {
	b := r.buf[:n]
	r.fill(b)
	if err := checkPadding(b, r.make); err != nil {
		r.Fail(err)
	}
}

// sum reads the checksum and compares it with that of all bytes before it.
func (r *Reader) sum() {
	crc, b := r.crc, r.buf[:sumBytes]
	r.fill(b)
	if r.err == nil {
		r.Fail(checkSum("checksum", b, crc, r.make))
	}
}

// checkPadding returns ErrCorrupt unless b, the bytes after the last number of
// a payload, is zero.
func checkPadding(b []byte, m *fault.Maker) error {
	for _, c := range b {
		if c != 0 {
			return m.Field(hashfam.ErrCorrupt, "padding of the payload", fmt.Sprintf("% x", b), "zeros")
		}
	}
	return nil
}
