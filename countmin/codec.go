package countmin

import (
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind CountMin. Version 1 has counters of 32 or
// 64 bits, version 2 of 8 or 16. The payload is the rows, one after another,
// and zeros up to a whole number of 8 bytes.
//
//	offset  size  field
//	     0     8  Width
//	     8     1  Depth
//	     9     1  CounterBits
//	    10     1  1 if Conservative, 0 otherwise
//	    11     5  zero
//	    16     8  Total

// What the header tells is a reader without counters. Those may have more bits.
var format = frame.Format[reader, uint8]{
	Kind: frame.CountMin, Version: 2, Errs: errs, Parse: parseParams,
	Len: func(r reader) uint64 { return r.params.cells() },
}

// AppendBinary appends the encoded sketch to dst and returns the extended
// slice. The encoding is 72 bytes plus the counters. It depends only on the
// Params and the counters, and contains the family's check value but not its
// key. AppendBinary returns [ErrParams] if s is the zero Sketch. O(w d) time,
// at most one allocation.
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary returns the encoded sketch. It is [Sketch.AppendBinary] with a
// nil dst.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded sketch to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(w d) time, less than a
// kilobyte of memory (64 KiB on a big-endian platform, or with the tag purego).
func (s *Sketch) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, s.encode) }

// UnmarshalBinary decodes data into s and does not keep data. s then has the
// Params of data, which must have been encoded under the family of s: that of a
// sketch in use, the one given to [NewReceiver], or the public family of a zero
// Sketch. It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error s is unchanged. O(w d) time, one
// allocation of the counters.
func (s *Sketch) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded sketch from r into s, and no byte after it, so
// that sketches can follow one another in a stream. The family and the errors
// are those of [Sketch.UnmarshalBinary], and any error of r; at the end of the
// stream it is io.EOF too, by errors.Is. O(w d) time.
//
// The counters are allocated once if r tells that enough bytes follow: a
// regular file, or a reader with a method Len such as bytes.Reader. From other
// readers memory grows with the bytes that have arrived, to at most one and a
// half times the size of the sketch.
func (s *Sketch) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, s.decode)
}

// MarshalText returns the text form of s, the base64 of its encoding. Its
// errors are those of [Sketch.AppendBinary]. O(w d) time and memory.
func (s Sketch) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalText decodes the text form of a sketch into s. The family and the
// errors are those of [Sketch.UnmarshalBinary]. O(w d) time and memory.
func (s *Sketch) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(s, text, errs)
}

// ReadParams reads the header of an encoded sketch from r, and no byte after
// it, and returns the parameters: check their [Params.SizeBytes] before you
// decode a file. The errors are those of [Sketch.ReadFrom]; if the header is
// that of another structure, [ErrCorrupt] names it. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	h, err := format.ReadHeader(r, fam)
	return h.params, err
}

// encode returns the frame of s, or ErrParams if s is zero.
func (s *Sketch) encode() (frame.Header, frame.Payload, error) {
	p := s.params
	if err := p.check("Params", ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	flags := uint64(p.Depth) | uint64(p.CounterBits)<<8
	if p.Conservative {
		flags |= 1 << 16
	}
	h := format.NewWords(p.Family, p.payloadBytes(), p.Width, flags, s.total)
	h.Version = p.version()
	return h, s.rows().payload(), nil
}

// version returns the lowest version of a frame that can have p.
func (p Params) version() uint8 {
	if p.CounterBits < 32 {
		return 2
	}
	return 1
}

// payloadBytes returns the length of the payload: that of the counters, in
// whole words.
func (p Params) payloadBytes() uint64 { return (p.SizeBytes() + 7) / 8 * 8 }

func (c cells[C]) payload() frame.Payload { return frame.Numbers(c) }

func (c *cells[C]) read(r *frame.Reader, n uint64) { *c = frame.Read[C](r, n) }

// decode reads a sketch and replaces s by it at the end, if there was no error.
func (s *Sketch) decode(r *frame.Reader) error {
	t, err := format.Header(r, s.params.Family)
	if err == nil {
		err = t.params.fits(ErrCorrupt)
	}
	if err != nil {
		return err
	}
	t.rows().read(r, t.params.cells())
	if err := r.Err(); err != nil {
		return err
	}
	if err := t.rows().check(&t); err != nil {
		return err
	}
	s.reader = t
	return nil
}

// check checks the counters of r against the total, which is at least the sum
// of each row, and equal to it if the update is plain. It does not check a row
// with a counter at its maximum, or with a sum that does not fit in 64 bits.
func (c cells[C]) check(r *reader) error {
	for row := 0; len(c) > 0; row, c = row+1, c[r.params.Width:] {
		sum, full := uint64(0), r.total == math.MaxUint64
		for _, n := range c[:r.params.Width] {
			full = full || n == ^C(0)
			sum = tracker.AddSat(sum, uint64(n))
		}
		full = full || sum == math.MaxUint64
		if !full && (sum > r.total || sum < r.total && !r.params.Conservative) {
			return errs.Field(ErrCorrupt, fmt.Sprint("sum of row ", row), sum, fmt.Sprint("the total, ", r.total))
		}
	}
	return nil
}

// parseParams reads the parameters of a verified header, and the total. It
// checks that the payload has the length that follows.
func parseParams(h frame.Header, fam hashfam.Family) (reader, error) {
	w, err := h.Words(errs, 64, 17, 64)
	if err != nil {
		return reader{}, err
	}
	p := Params{
		Width:        w[0],
		Depth:        int(w[1] & 0xff),
		CounterBits:  int(w[1] >> 8 & 0xff),
		Conservative: w[1]>>16 == 1,
		Family:       fam,
	}
	if err := p.check("Params", ErrCorrupt); err != nil {
		return reader{}, err
	}
	if h.Version != p.version() {
		return reader{}, errs.Field(ErrVersion, "version", h.Version, fmt.Sprintf("%d for counters of %d bits", p.version(), p.CounterBits))
	}
	return newReader(p, w[2]), h.CheckPayload(p.payloadBytes(), errs)
}
