package bloom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind RotatingBloom, version 1:
//
//	offset  size  field
//	     0     8  Capacity
//	     8     8  FPRate, the bits of a 64-bit IEEE 754 number
//	    16     8  Span in nanoseconds
//	    24     8  Bits of each generation
//	    32     1  Hashes
//	    33     1  Layout
//	    34     1  G, the number of Generations
//	    35     5  zero
//	    40     8  position of the window: the number of keys in the newest
//	              generation if Span is 0, else the number of that generation
//	              since 1970, or -2^63 if no time is known
//
// The payload is the arrays of the G+1 generations, the oldest first, each
// followed by zeros up to a multiple of 64 bytes.
const (
	rotatingVersion = 1
	rotatingBytes   = 48
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 136 bytes and the bit arrays, each in whole lines of
// 64 bytes. It depends only on the RotatingConfig, the bits and the position of
// the window, and contains the family's check value but not its key.
// AppendBinary returns [ErrParams] if r is the zero Rotating. O(m) time; it
// allocates the frame once if dst is too small.
func (r *Rotating) AppendBinary(dst []byte) ([]byte, error) {
	h, err := r.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, r.generations.yield), nil
}

// MarshalBinary returns the encoded filter. It is [Rotating.AppendBinary] with
// a nil dst.
func (r *Rotating) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(m) time, a few
// kilobytes of memory (64 KiB more on a big-endian platform, or with the tag
// purego).
func (r *Rotating) WriteTo(w io.Writer) (int64, error) {
	h, err := r.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, r.generations.yield)
}

// UnmarshalBinary decodes data into r and does not keep data. data must have
// been encoded under the family of r: that of a filter in use, the one given to
// [NewRotatingReceiver], or the public family of a zero Rotating.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error r is unchanged. O(m) time, one
// allocation for all bit arrays.
func (r *Rotating) UnmarshalBinary(data []byte) error {
	return r.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from in into r, and no byte after it. The
// family and the errors are those of [Rotating.UnmarshalBinary]; ReadFrom also
// returns any error of in. At the end of the stream the error is io.EOF too, by
// errors.Is. O(m) time; its use of memory is that of [Filter.ReadFrom].
func (r *Rotating) ReadFrom(in io.Reader) (int64, error) {
	fr := frame.NewReader(in, errs)
	err := r.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of r, the base64 of its encoding, to dst.
// Its errors are those of [Rotating.AppendBinary]. O(m) time and memory.
func (r *Rotating) AppendText(dst []byte) ([]byte, error) {
	encoded, err := r.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of r. It is [Rotating.AppendText] with a
// nil dst.
func (r *Rotating) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// MarshalJSON returns the text form of r as a JSON string. O(m) time and
// memory. Its receiver is a value so that a Rotating that is a value in a
// struct is encoded, too.
func (r Rotating) MarshalJSON() ([]byte, error) { return frame.JSON(r.AppendBinary(nil)) }

// UnmarshalText decodes the text form of a filter into r. The family and the
// errors are those of [Rotating.UnmarshalBinary]. O(m) time and memory.
func (r *Rotating) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return r.UnmarshalBinary(encoded)
}

// header returns the header of r's frame, or ErrParams if r is a zero Rotating.
func (r *Rotating) header() (frame.Header, error) {
	if r == nil {
		return frame.Header{}, errs.Nil()
	}
	if len(r.generations) == 0 {
		return frame.Header{}, r.config.check(ErrParams)
	}
	p := r.generations.newest().params
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, rotatingBytes), r.config.Capacity)
	params = binary.LittleEndian.AppendUint64(params, math.Float64bits(r.config.FPRate))
	params = binary.LittleEndian.AppendUint64(params, uint64(r.config.Span))
	params = binary.LittleEndian.AppendUint64(params, p.Bits)
	params = append(params, byte(p.Hashes), byte(p.Layout), byte(r.config.Generations), 0, 0, 0, 0, 0)
	return frame.Header{
		Kind:    frame.RotatingBloom,
		Version: rotatingVersion,
		Check:   p.Family.CheckValue(),
		Params:  binary.LittleEndian.AppendUint64(params, r.position()),
		Payload: 8 * p.paddedWords() * uint64(len(r.generations)),
	}, nil
}

// decode reads a filter and, if there was no error, replaces r with it.
func (r *Rotating) decode(fr *frame.Reader) error {
	if r == nil {
		return errs.Nil()
	}
	h := fr.Header(frame.RotatingBloom, rotatingVersion, r.config.Family.CheckValue())
	if err := fr.Err(); err != nil {
		return err
	}
	t := NewRotatingReceiver(r.config.Family)
	p, err := t.parse(h.Params)
	if err != nil {
		return err
	}
	list := make([]Params, t.config.Generations+1)
	for i := range list {
		list[i] = p
	}
	if err := h.CheckPayload(8*p.paddedWords()*uint64(len(list)), errs); err != nil {
		return err
	}
	words := frame.Read[uint64](fr, h.Payload/8)
	if err := fr.Err(); err != nil {
		return err
	}
	if t.generations, err = cut(words, list); err != nil {
		return err
	}
	*r = *t
	return nil
}

// parse reads the parameters of a verified header into r, except the arrays. It
// returns the parameters of each generation.
func (r *Rotating) parse(b []byte) (Params, error) {
	if len(b) != rotatingBytes || !bytes.Equal(b[35:40], make([]byte, 5)) {
		return Params{}, errs.Field(ErrCorrupt, "parameters", fmt.Sprintf("% x", b), "48 bytes, five of them zero")
	}
	r.config.Capacity = binary.LittleEndian.Uint64(b)
	r.config.FPRate = math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
	r.config.Span = time.Duration(binary.LittleEndian.Uint64(b[16:]))
	r.config.Layout = Layout(b[33])
	r.config.Generations = int(b[34])
	if err := r.config.check(ErrCorrupt); err != nil {
		return Params{}, err
	}
	p := Params{Bits: binary.LittleEndian.Uint64(b[24:]), Hashes: int(b[32]), Layout: Layout(b[33]), Family: r.config.Family}
	if err := p.check(ErrCorrupt); err != nil {
		return Params{}, err
	}
	return p, r.setPosition(binary.LittleEndian.Uint64(b[40:]))
}
