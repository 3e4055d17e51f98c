package perfect

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in frames of the kinds PerfectFunction and PerfectFilter,
// version 1. Those of a Function have zeros from offset 16 to 23. The payload
// is that of the mapping, and then, in a Filter, the slots.
//
//	offset  size  field
//	     0     8  Keys
//	     8     1  Compact: 0 or 1
//	     9     1  k, the number of levels of buckets
//	    10     2  zero
//	    12     4  seed of the last level
//	    16     4  bits of a slot in 1/65536
//	    20     1  ValueBits
//	    21     3  zero
//	    24    8k  number of keys of each level after the first
const (
	version    = 1
	fixedBytes = 24
)

// formatOf returns the format of a kind.
func formatOf(kind frame.Kind) frame.Format[layout, byte] {
	return frame.Format[layout, byte]{
		Kind: kind, Version: version, Errs: errs, Parse: parseHeader,
		Len: func(l layout) uint64 { return l.bytes() },
	}
}

// header returns the header of a frame of layout l.
func (l *layout) header(kind frame.Kind, fam hashfam.Family) frame.Header {
	second := uint64(len(l.bumped))<<8 | uint64(l.seed)<<32
	if l.compact {
		second |= 1
	}
	words := append(make([]uint64, 0, 3+maxLevels), l.keys, second, l.slots.width|uint64(l.slots.value)<<32)
	return formatOf(kind).NewWords(fam, l.bytes(), append(words, l.bumped...)...)
}

// parseHeader reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
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
	if err := l.check(); err != nil {
		return layout{}, err
	}
	if err := l.slots.check(h.Kind); err != nil {
		return layout{}, err
	}
	return l, h.CheckPayload(l.bytes(), errs)
}

// encodeAs returns the frame of the given kind. It returns ErrParams if s is
// zero.
func (s *stored) encodeAs(kind frame.Kind) (frame.Header, frame.Payload, error) {
	if s.payload == nil {
		return frame.Header{}, nil, paramError("receiver", "zero", kind.String()+" that was built or decoded")
	}
	return s.layout.header(kind, s.Family()), frame.Numbers(s.payload), nil
}

// decodeAs reads a structure of the given kind and, if there was no error,
// replaces s with it.
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

// AppendBinary appends the encoded function to dst and returns the extended
// slice. The encoding depends only on the set of keys and the Config, and
// contains the family's check value but not its key. AppendBinary returns
// [ErrParams] if f is a zero Function. O(n) time; it allocates at most twice.
func (f *Function) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// MarshalBinary is [Function.AppendBinary] with a nil dst.
func (f *Function) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded function to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(n) time, less than a
// kilobyte of memory.
func (f *Function) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f and does not keep data. data must have
// been encoded under the family of f: that of a function in use, the one given
// to [NewReceiver], or the public family of a zero Function.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error f is unchanged. O(n) time.
//
// A checksum detects damage, not forgery. Every index of a forged function is
// below Len, but two keys may have the same one.
func (f *Function) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded function from r into f. It reads no byte after it,
// so that encodings can follow one another in a stream. The family and the
// errors are those of [Function.UnmarshalBinary]; ReadFrom also returns any
// error of r. At the end of the stream the error is io.EOF too, by errors.Is.
// O(n) time. It uses memory in proportion to the bytes that have arrived, or
// that r tells will.
func (f *Function) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, f.decode)
}

// MarshalText returns the text form of f, the base64 of its encoding. Packages
// such as encoding/json store a function as that text. The errors are those of
// [Function.AppendBinary]. O(n) time and memory.
func (f Function) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes the text form of a function into f. The family and the
// errors are those of [Function.UnmarshalBinary]. O(n) time and memory.
func (f *Function) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(f, text, errs)
}

// ReadParams reads the header of an encoded function from r, and no byte after
// it, and returns the function's parameters. Use it to check a file's
// [Params.SizeBytes] before you decode it. The errors are those of
// [Function.ReadFrom]; if the header is that of another structure, ReadParams
// returns [ErrCorrupt] and names that structure. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	l, err := formatOf(frame.PerfectFunction).ReadHeader(r, fam)
	if err != nil {
		return Params{}, err
	}
	return l.params(fam), nil
}

func (f *Function) encode() (frame.Header, frame.Payload, error) {
	return f.encodeAs(frame.PerfectFunction)
}

func (f *Function) decode(r *frame.Reader) error { return f.decodeAs(frame.PerfectFunction, r) }

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding depends only on the set of keys, the FilterConfig and the
// slots that were changed, and contains the family's check value but not its
// key. AppendBinary returns [ErrParams] if f is a zero Filter. O(n) time; it
// allocates at most twice.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// MarshalBinary is [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo is [Function.WriteTo] for a filter.
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary is [Function.UnmarshalBinary] for a filter. One from
// [NewFilterReceiver] has a family.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom is [Function.ReadFrom] for a filter.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, f.decode)
}

// MarshalText is [Function.MarshalText] for a filter.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText is [Function.UnmarshalText] for a filter.
func (f *Filter) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(f, text, errs)
}

// ReadFilterParams is [ReadParams] for an encoded filter.
func ReadFilterParams(r io.Reader, fam hashfam.Family) (FilterParams, error) {
	l, err := formatOf(frame.PerfectFilter).ReadHeader(r, fam)
	if err != nil {
		return FilterParams{}, err
	}
	return l.filterParams(fam), nil
}

func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	return f.encodeAs(frame.PerfectFilter)
}

func (f *Filter) decode(r *frame.Reader) error { return f.decodeAs(frame.PerfectFilter, r) }
