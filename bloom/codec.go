package bloom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Bloom, version 1. The payload is the array
// in 64-bit words; the bits beyond the last one are zero.
//
//	offset  size  field
//	     0     8  Bits
//	     8     1  Hashes
//	     9     1  Layout
//	    10     6  zero
const (
	version    = 1
	paramBytes = 16
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 72 bytes plus the bit array. It depends only on the
// Params and the bits, and contains the family's check value but not its key.
// AppendBinary returns [ErrParams] if f is the zero Filter. O(m) time; it
// allocates the frame once if dst is too small.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	h, err := f.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, frame.Numbers(f.words)), nil
}

// MarshalBinary returns the encoded filter. It is [Filter.AppendBinary] with a
// nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(m) time, less than a
// kilobyte of memory (64 KiB on a big-endian platform, or with the tag purego).
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	h, err := f.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, frame.Numbers(f.words))
}

// UnmarshalBinary decodes data into f and does not keep data. f then has the
// Params of data. data must have been encoded under the family of f: that of a
// filter in use, the one given to [NewReceiver], or the public family of a zero
// Filter.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error f is unchanged. O(m) time, one
// allocation of the bit array.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into f. It reads no byte after it,
// so that filters can follow one another in a stream. The family and the errors
// are those of [Filter.UnmarshalBinary]; ReadFrom also returns any error of r.
// At the end of the stream the error is io.EOF too, by errors.Is. O(m) time.
//
// ReadFrom allocates the bit array once if r tells that enough bytes follow: a
// regular file, or a reader with a method Len such as bytes.Reader. From other
// readers it uses memory in proportion to the bytes that have arrived, and at
// most one and a half times the size of the filter.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := f.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of f, the base64 of its encoding, to dst.
// Its errors are those of [Filter.AppendBinary]. O(m) time and memory.
func (f *Filter) AppendText(dst []byte) ([]byte, error) {
	encoded, err := f.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of f. It is [Filter.AppendText] with a nil
// dst. Packages such as encoding/xml store a pointer to a filter as that text.
func (f *Filter) MarshalText() ([]byte, error) { return f.AppendText(nil) }

// MarshalJSON returns the text form of f as a JSON string. O(m) time and
// memory. Its receiver is a value so that a Filter that is a value in a struct
// is encoded, too.
func (f Filter) MarshalJSON() ([]byte, error) { return frame.JSON(f.AppendBinary(nil)) }

// UnmarshalText decodes the text form of a filter into f. The family and the
// errors are those of [Filter.UnmarshalBinary]. O(m) time and memory.
func (f *Filter) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return f.UnmarshalBinary(encoded)
}

// ReadParams reads the header of an encoded filter from r, and no byte after
// it, and returns the filter's parameters. Use it to check a file's
// [Params.SizeBytes] before you decode it. The errors are those of
// [Filter.ReadFrom]; if the header is that of another structure, ReadParams
// returns [ErrCorrupt] and names that structure. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	fr := frame.NewReader(r, errs)
	return readParams(fr, fam)
}

// header returns the header of f's frame, or ErrParams if f is a zero Filter.
func (f *Filter) header() (frame.Header, error) {
	if f == nil {
		return frame.Header{}, errs.Nil()
	}
	p := f.params
	if err := p.check(ErrParams); err != nil {
		return frame.Header{}, err
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), p.Bits)
	params = append(params, byte(p.Hashes), byte(p.Layout), 0, 0, 0, 0, 0, 0)
	return frame.Header{
		Kind:    frame.Bloom,
		Version: version,
		Check:   p.Family.CheckValue(),
		Params:  params,
		Payload: 8 * p.words(),
	}, nil
}

// decode reads a filter and, if there was no error, replaces f with it.
func (f *Filter) decode(r *frame.Reader) error {
	if f == nil {
		return errs.Nil()
	}
	p, err := readParams(r, f.params.Family)
	if err != nil {
		return err
	}
	words := frame.Read[uint64](r, p.words())
	if err := r.Err(); err != nil {
		return err
	}
	if err := p.checkWords(words, ErrCorrupt); err != nil {
		return err
	}
	*f = *newFilter(p, words)
	return nil
}

// readParams reads the header of a filter that was encoded under fam.
func readParams(r *frame.Reader, fam hashfam.Family) (Params, error) {
	h := r.Header(frame.Bloom, version, fam.CheckValue())
	if err := r.Err(); err != nil {
		return Params{}, err
	}
	return parseParams(h, fam)
}

// parseParams reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	b := h.Params
	if len(b) != paramBytes || !bytes.Equal(b[10:], make([]byte, 6)) {
		return Params{}, errs.Field(ErrCorrupt, "parameters", fmt.Sprintf("% x", b), "16 bytes, the last 6 of them zero")
	}
	p := Params{
		Bits:   binary.LittleEndian.Uint64(b),
		Hashes: int(b[8]),
		Layout: Layout(b[9]),
		Family: fam,
	}
	if err := p.check(ErrCorrupt); err != nil {
		return Params{}, err
	}
	return p, h.CheckPayload(8*p.words(), errs)
}
