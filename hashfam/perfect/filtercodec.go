package perfect

import (
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding depends only on the set of keys, the FilterConfig and the
// slots that were changed, and contains the family's check value but not its
// key. AppendBinary returns [ErrParams] if f is the zero Filter. O(n) time; it
// allocates at most twice.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	h, err := f.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, frame.Numbers(f.payload)), nil
}

// MarshalBinary returns the encoded filter. It is [Filter.AppendBinary] with a
// nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(n) time, less than a
// kilobyte of memory.
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	h, err := f.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, frame.Numbers(f.payload))
}

// UnmarshalBinary decodes data into f and does not keep data. data must have
// been encoded under the family of f: that of a filter in use, the one given to
// [NewFilterReceiver], or the public family of a zero Filter.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error f is unchanged. O(n) time.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into f. It reads no byte after it,
// so that encodings can follow one another in a stream. The family and the
// errors are those of [Filter.UnmarshalBinary]; ReadFrom also returns any error
// of r. At the end of the stream the error is io.EOF too, by errors.Is. O(n)
// time. It uses memory in proportion to the bytes that have arrived, or that r
// tells will.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := f.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of f, the base64 of its encoding, to dst.
// Its errors are those of [Filter.AppendBinary]. O(n) time and memory.
func (f *Filter) AppendText(dst []byte) ([]byte, error) {
	encoded, err := f.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of f. It is [Filter.AppendText] with a nil
// dst.
func (f *Filter) MarshalText() ([]byte, error) { return f.AppendText(nil) }

// MarshalJSON returns the text form of f as a JSON string. O(n) time and
// memory. Its receiver is a value so that a Filter that is a value in a struct
// is encoded, too.
func (f Filter) MarshalJSON() ([]byte, error) { return frame.JSON(f.AppendBinary(nil)) }

// UnmarshalText decodes the text form of a filter into f. The family and the
// errors are those of [Filter.UnmarshalBinary]. O(n) time and memory.
func (f *Filter) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return f.UnmarshalBinary(encoded)
}

// ReadFilterParams is [ReadParams] for an encoded filter.
func ReadFilterParams(r io.Reader, fam hashfam.Family) (FilterParams, error) {
	s, slots, err := readHeader(frame.NewReader(r, errs), frame.PerfectFilter, fam)
	if err != nil {
		return FilterParams{}, err
	}
	return s.filterParams(slots, fam), nil
}

// header returns the header of f's frame, or ErrParams if f is a zero Filter.
func (f *Filter) header() (frame.Header, error) {
	if f == nil {
		return frame.Header{}, errs.Nil()
	}
	if f.isZero() {
		return frame.Header{}, paramError("receiver", "a zero Filter", "a filter that was built or decoded")
	}
	return f.shape.header(frame.PerfectFilter, f.params.Family, f.slots.slotSize), nil
}

// decode reads a filter and, if there was no error, replaces f with it.
func (f *Filter) decode(r *frame.Reader) error {
	if f == nil {
		return errs.Nil()
	}
	s, slots, err := readHeader(r, frame.PerfectFilter, f.params.Family)
	if err != nil {
		return err
	}
	payload, err := readPayload(r, &s, slots)
	if err != nil {
		return err
	}
	g, err := newFilter(s, slots, payload, f.params.Family)
	if err != nil {
		return err
	}
	*f = *g
	return nil
}
