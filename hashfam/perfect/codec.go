package perfect

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The following table describes the parameters in frames of the kinds
// PerfectFunction and PerfectFilter, version 1. In a Function, the bytes from
// offset 16 to 23 are zero. The payload consists of the mapping and, in a
// Filter, the slots.
//
//	offset  size  field
//	     0     8  Keys
//	     8     1  Compact: 0 or 1
//	     9     1  k, the number of levels with buckets
//	    10     2  zero
//	    12     4  the last level's seed
//	    16     4  bits per slot in units of 1/65536
//	    20     1  ValueBits
//	    21     3  zero
//	    24    8k  number of keys in each level after the first
const (
	version    = 1
	fixedBytes = 24
)

func formatOf(kind frame.Kind) frame.Format[layout, byte] {
	return frame.Format[layout, byte]{
		Kind: kind, Version: version, Errs: errs, Parse: parseHeader,
		Len: func(l layout) uint64 { return l.bytes() },
	}
}

// AppendBinary appends the encoded function to dst. The result depends only on
// the set of keys and the [Config]. See Encoding in package [hashfam].
func (f *Function) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

// MarshalBinary is like [Function.AppendBinary] with a nil dst.
func (f *Function) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded function to w. See Encoding in package [hashfam].
func (f *Function) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f. See Encoding in package [hashfam].
//
// A checksum detects damage, but not forgery. When a function is forged, all
// indexes will be below Len, but several keys can have the same index.
func (f *Function) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next function from r into f.
func (f *Function) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, f.decode) }

// MarshalText returns the encoded function in base64.
func (f Function) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes a function's text form into f.
func (f *Function) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded function in r. It reads
// only the header.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	l, err := formatOf(frame.PerfectFunction).ReadHeader(r, fam)
	return l.params(fam), err
}

func (f *Function) decode(r *frame.Reader) error { return f.decodeAs(frame.PerfectFunction, r) }

// encode returns the frame. It returns ErrParams if s is zero.
func (s *stored) encode() (frame.Header, frame.Payload, error) {
	l, kind := &s.layout, frame.PerfectFunction
	switch {
	case s.payload == nil:
		return frame.Header{}, nil, paramError("receiver", "zero", "a Function or Filter that was built or decoded")
	case l.slots.width > 0:
		kind = frame.PerfectFilter
	}
	second := uint64(len(l.bumped))<<8 | uint64(l.seed)<<32
	if l.compact {
		second |= 1
	}
	words := append(make([]uint64, 0, 3+maxLevels), l.keys, second, l.slots.width|uint64(l.slots.value)<<32)
	h := formatOf(kind).NewWords(s.Family(), l.bytes(), append(words, l.bumped...)...)
	return h, frame.Numbers(s.payload), nil
}

// parseHeader reads the parameters from a verified header. It checks that the
// payload has the length that they require.
func parseHeader(h frame.Header, _ hashfam.Family) (layout, error) {
	b := h.Params
	if len(b) < fixedBytes || len(b) != fixedBytes+8*int(b[9]) || b[8] > 1 || b[10]|b[11]|b[21]|b[22]|b[23] != 0 {
		return layout{}, errs.Field(ErrCorrupt, "parameters", fmt.Sprintf("% x", b),
			"24 bytes and 8 for each level, with zeros at 10, 11 and 21 to 23")
	}
	l := layout{
		keys:    binary.LittleEndian.Uint64(b),
		compact: b[8] == 1,
		seed:    binary.LittleEndian.Uint32(b[12:]),
		slots:   slotSize{uint64(binary.LittleEndian.Uint32(b[16:])), uint(b[20])},
	}
	for at := fixedBytes; at < len(b); at += 8 {
		l.bumped = append(l.bumped, binary.LittleEndian.Uint64(b[at:]))
	}
	if err := l.check(h.Kind); err != nil {
		return layout{}, err
	}
	return l, h.CheckPayload(l.bytes(), errs)
}

// decodeAs reads a structure of the given kind. It changes s only if there is
// no error.
func (s *stored) decodeAs(kind frame.Kind, r *frame.Reader) error {
	l, payload, err := formatOf(kind).Read(r, s.Family())
	if err != nil {
		return err
	}
	decoded, err := open(l, payload, s.Family())
	if err == nil {
		*s = decoded
	}
	return err
}
