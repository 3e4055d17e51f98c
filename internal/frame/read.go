package frame

import (
	"bytes"
	"cmp"
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

// A Reader reads a frame from a stream, and no byte after it. After the first
// error, Header and the function Read return zero values, so a decoder only
// needs to call Err at the end.
type Reader struct {
	r    io.Reader
	make *fault.Maker
	crc  uint32
	n    int64
	err  error
	have uint64 // bytes that will follow, as far as known
	buf  []byte

	chunk []byte // used to convert a payload to numbers
}

// maxKnown is the largest number of bytes that a source is trusted to contain,
// because a sparse file can claim any size. It is 4 GiB, or 1 GiB with 32-bit
// addresses.
const maxKnown = min(1<<32, sizing.MaxBytes)

// NewReader returns a Reader for the next frame in r. Use a new Reader for each
// frame.
func NewReader(r io.Reader, m *fault.Maker) *Reader {
	fr := &Reader{r: r, make: m, have: min(remaining(r), maxKnown), buf: make([]byte, 0, maxHeader)}
	if r == nil {
		fr.err = m.Field(hashfam.ErrParams, "r", nil, "a reader")
	}
	return fr
}

// remaining returns the number of bytes left in r if r is a regular file or has
// a Len method, and 0 otherwise.
func remaining(r io.Reader) uint64 {
	switch r := r.(type) {
	case interface{ Len() int }:
		return uint64(max(0, r.Len()))
	case interface {
		io.Seeker
		Stat() (fs.FileInfo, error)
	}:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			if at, err := r.Seek(0, io.SeekCurrent); err == nil {
				return uint64(max(0, info.Size()-at))
			}
		}
	}
	return 0
}

// Memory returns an upper bound for the bytes that are live while a frame is
// read. file is the size of the file that contains the frame, or -1 if it is
// not known, as for a pipe.
func (h Header) Memory(file int64) uint64 {
	largest := min(h.Size(), 1<<60) // does not overflow below
	if file >= 0 {
		largest = min(largest, 2*uint64(file)) // see Read
	}
	arrays := uint64(2)
	if file >= 0 && largest <= min(uint64(file), maxKnown) {
		arrays = 1
	}
	switch h.Kind {
	case HeavyHitters, TopK, Window, ScalableCuckoo: // not used as they are encoded
		arrays += 2
	}
	return arrays * largest
}

// NewBytesReader returns a Reader for the frame data. It fails immediately if
// data does not have the length in its header.
func NewBytesReader(data []byte, m *fault.Maker) *Reader {
	r := NewReader(bytes.NewReader(data), m)
	_, _, r.err = split(data, m)
	return r
}

// split parses the fixed part of the frame data and checks the length. It
// returns the same values as parseFixed.
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

// Bytes returns the number of bytes that were read.
func (r *Reader) Bytes() int64 { return r.n }

func (r *Reader) Err() error { return r.err }

// Corrupt returns ErrCorrupt for a field in the frame.
func (r *Reader) Corrupt(field string, value any, allowed string) error {
	return r.make.Field(hashfam.ErrCorrupt, field, value, allowed)
}

// read reads len(b) bytes and updates the checksum, or clears b after an error.
func (r *Reader) read(b []byte) {
	if r.err == nil {
		r.err = r.readFull(b)
	}
	if r.err != nil {
		clear(b)
		return
	}
	r.crc = crc32.Update(r.crc, castagnoli, b)
}

// patience is the number of consecutive empty reads before an error.
const patience = 100

// readFull reads len(b) bytes. Its error wraps io.EOF only if the stream ends
// before the frame begins. If the stream ends within the frame, the error wraps
// io.ErrUnexpectedEOF instead, even if the stream's error wraps io.EOF.
// Otherwise, a loop that reads frames until io.EOF would mistake a truncated
// frame for the end.
func (r *Reader) readFull(b []byte) error {
	for idle := 0; len(b) > 0; {
		n, err := r.r.Read(b)
		if n < 0 || n > len(b) {
			return r.make.Errorf("reading a frame: the reader returned %d bytes of at most %d", n, len(b))
		}
		r.n += int64(n)
		b = b[n:]
		idle++
		if n > 0 {
			idle = 0
		}
		switch {
		case len(b) == 0:
			return nil
		case err == nil && idle == patience:
			return r.make.Errorf("reading a frame: %w", io.ErrNoProgress)
		case err == nil:
		case errors.Is(err, io.EOF) && r.n == 0:
			return r.make.Errorf("%w: no more frames: %w", hashfam.ErrCorrupt, io.EOF)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return r.endsEarly(err)
		default:
			return r.make.Errorf("reading a frame: %w", err)
		}
	}
	return nil
}

// endsEarly returns the error for a stream that ends within a frame. It
// contains the text of err only if err says more than that.
func (r *Reader) endsEarly(err error) error {
	cause := ""
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		cause = fmt.Sprintf(" (%v)", err)
	}
	return r.make.Errorf("%w: the frame ends after %d bytes: %w%s", hashfam.ErrCorrupt, r.n, io.ErrUnexpectedEOF, cause)
}

// Header reads and verifies a header, which must have this kind, this check
// value, and this version or an older one. After an error, it returns a zero
// Header. The parameters are valid until r is used again.
func (r *Reader) Header(kind Kind, version uint8, check uint64) Header {
	return r.HeaderOf(version, check, kind)
}

// HeaderOf is like Header, but the frame can have any of these kinds.
func (r *Reader) HeaderOf(version uint8, check uint64, kinds ...Kind) Header {
	var h Header
	var p int // bytes of parameters
	b := r.buf[:fixedBytes]
	r.read(b)
	if r.err == nil {
		h, p, r.err = parseFixed(b, r.make)
	}
	if r.err == nil {
		b = r.buf[:headerBytes(p)]
		r.read(b[fixedBytes:])
	}
	if r.err == nil {
		r.have -= min(r.have, uint64(len(b)))
		h, r.err = h.parseRest(b, p, r.make)
	}
	if r.err == nil {
		r.err = h.expect(version, check, r.make, kinds...)
	}
	if r.err != nil {
		return Header{}
	}
	return h
}

// Read reads a payload of n numbers and the checksum after it. If the payload
// is at most 64 KiB, or if the stream is known to contain all of it, Read
// allocates the numbers at once. Otherwise, Read begins with a shorter slice:
// it halves the length until the slice needs at most 64 KiB, or at most the
// bytes that are known to follow. Whenever the slice is full, Read doubles its
// length. So no later slice needs more than twice the bytes that have arrived,
// and at most about 1.5 times the payload is live.
//
// After an error, Read returns nil. The error is ErrCorrupt if no slice on this
// platform can hold the payload.
func Read[T number](r *Reader, n uint64) []T {
	size := uint64(sizeOf[T]())
	if n > sizing.Addresses/size {
		err := r.Corrupt("payload length", n*size, fmt.Sprintf("at most %d on this platform", uint64(sizing.Addresses)))
		r.err = cmp.Or(r.err, err)
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
	r.finish((wordBytes - n*size%wordBytes) % wordBytes)
	if r.err != nil {
		return nil
	}
	return values
}

func readInto[T number](r *Reader, values []T) {
	size := sizeOf[T]()
	for len(values) > 0 && r.err == nil {
		n := min(len(values), chunkBytes/size)
		if piece, ok := bytesOf(values[:n]); ok {
			r.read(piece)
		} else {
			r.chunk = slices.Grow(r.chunk[:0], n*size)[:n*size]
			r.read(r.chunk)
			binary.Decode(r.chunk, binary.LittleEndian, values[:n])
		}
		values = values[n:]
	}
}

// finish reads n bytes of padding, which must be zero, and the checksum.
func (r *Reader) finish(n uint64) {
	padding := r.buf[:n]
	r.read(padding)
	if r.err == nil {
		r.err = checkPadding("payload", padding, r.make)
	}
	crc := r.crc // of everything before the checksum
	sum := r.buf[:sumBytes]
	r.read(sum)
	if r.err == nil {
		r.err = checkSum("checksum", sum, crc, r.make)
	}
}

// checkPadding returns ErrCorrupt unless b is zero.
func checkPadding(field string, b []byte, m *fault.Maker) error {
	if !bytes.Equal(b, make([]byte, len(b))) {
		return m.Field(hashfam.ErrCorrupt, "padding of the "+field, fmt.Sprintf("% x", b), "zeros")
	}
	return nil
}

// A View is a frame in the caller's memory, for example in a mapped file.
// NewView has checked only its header.
type View struct {
	Header
	data []byte
	make *fault.Maker
}

// NewView checks the header of the frame data. The View retains data.
func NewView(data []byte, kind Kind, version uint8, check uint64, m *fault.Maker) (View, error) {
	h, p, err := split(data, m)
	if err == nil {
		h, err = h.parseRest(data[:headerBytes(p)], p, m)
	}
	if err == nil {
		err = h.expect(version, check, m, kind)
	}
	if err != nil {
		return View{}, err
	}
	return View{h, data, m}, nil
}

var errZero = &hashfam.FieldError{
	Package: "view", Err: hashfam.ErrParams, Field: "receiver", Value: "zero", Allowed: "a view of an encoding",
}

func (v View) payload() []byte {
	return v.data[headerBytes(len(v.Params)) : len(v.data)-sumBytes]
}

// In returns the first n numbers of the payload, without copying them. It
// returns an error if the platform or the address prevents this.
func In[T number](v View, n uint64) ([]T, error) {
	size := sizeOf[T]()
	b := v.payload()[:n*uint64(size)]
	if size == 1 {
		return any(b).([]T), nil
	}
	if !viewable {
		return nil, v.make.Errorf("a view needs a little-endian platform and a build without the tag purego: %w", errors.ErrUnsupported)
	}
	numbers, ok := numbersIn[T](b)
	if !ok {
		return nil, v.make.Field(hashfam.ErrParams, "address of data", fmt.Sprintf("%p", b),
			fmt.Sprintf("a multiple of %d, as in a mapped file", size))
	}
	return numbers, nil
}

// Verify checks the checksum at the end of the frame. It also checks that all
// bytes of the payload are zero except for the first n.
func (v View) Verify(n uint64) error {
	if v.make == nil {
		return errZero
	}
	end := len(v.data) - sumBytes
	if err := checkSum("checksum", v.data[end:], crcOf(v.data[:end]), v.make); err != nil {
		return err
	}
	return checkPadding("payload", v.payload()[n:], v.make)
}
