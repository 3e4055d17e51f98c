package counting

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Counting, version 1; the payload is the
// counters, sixteen to a word, the unused last ones zero.
//
//	offset  size  field
//	     0     8  Counters
//	     8     1  Hashes
//	     9     1  Layout
//	    10     6  zero
const (
	version    = 1
	paramBytes = 16
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 72 bytes and the counters. It depends only on the
// Params and the counters, and holds the family's check value but not its key.
// AppendBinary returns ErrParams if f is the zero Filter. O(m) time; it
// allocates if dst is too small. To send only what a peer needs for queries,
// encode [Filter.Bloom]: a quarter of the bytes.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	h, err := f.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, frame.Numbers(f.counters)), nil
}

// MarshalBinary returns the encoded filter: [Filter.AppendBinary] to nil.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns the
// number of bytes written. Its error is that of w; what has been written then
// is not a valid encoding. O(m) time, less than a kilobyte of memory.
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	h, err := f.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, frame.Numbers(f.counters))
}

// UnmarshalBinary decodes data into f. It decodes under the family that f
// already has: that of a filter in use, the one given to [NewReceiver], or the
// public one of a zero Filter. It returns ErrCorrupt if data is damaged, too
// short or too long, ErrVersion if a later version has encoded it, and
// ErrFamily if it was encoded under another family; f is then unchanged. data
// is not kept. O(m) time.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into f, and not one byte more, so
// that filters can follow one another in a stream. Its family and errors are
// those of [Filter.UnmarshalBinary]. At the end of the stream the error is also
// io.EOF, by errors.Is; an error of r is passed on.
//
// If r is a regular file or has a method Len, as readers of memory do, and the
// rest of it is long enough, ReadFrom allocates the counters once. From other
// sources it takes memory in proportion to what has arrived, and at most one
// and a half times that of the filter.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := f.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of f, the base64 of its encoding, to dst. Its
// errors are those of [Filter.AppendBinary].
func (f *Filter) AppendText(dst []byte) ([]byte, error) {
	encoded, err := f.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of f: [Filter.AppendText] to nil. So
// packages such as encoding/json store a pointer to a filter as a string.
func (f *Filter) MarshalText() ([]byte, error) { return f.AppendText(nil) }

// MarshalJSON returns the text form as a JSON string. Unlike MarshalText it also
// serves a Filter that is a value in a struct.
func (f Filter) MarshalJSON() ([]byte, error) { return frame.JSON(f.AppendBinary(nil)) }

// UnmarshalText decodes the text form of a filter into f. Its family and errors
// are those of [Filter.UnmarshalBinary].
func (f *Filter) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return f.UnmarshalBinary(encoded)
}

// ReadParams reads the header of an encoded filter from r, and no more, and
// returns the parameters without the filter: to look at what a file holds, and
// at [Params.SizeBytes], before decoding it. The errors are those of
// [Filter.ReadFrom]; the header of another structure is ErrCorrupt and names
// it. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	fr := frame.NewReader(r, errs)
	return readParams(fr, fam)
}

func (f *Filter) header() (frame.Header, error) {
	if f == nil {
		return frame.Header{}, errs.Nil()
	}
	p := f.params
	if err := p.check(ErrParams); err != nil {
		return frame.Header{}, err
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), p.Counters)
	params = append(params, byte(p.Hashes), byte(p.Layout), 0, 0, 0, 0, 0, 0)
	return frame.Header{
		Kind:    frame.Counting,
		Version: version,
		Check:   p.Family.CheckValue(),
		Params:  params,
		Payload: 8 * p.words(),
	}, nil
}

// decode reads a filter and replaces f by it at the end, if there was no error.
func (f *Filter) decode(r *frame.Reader) error {
	if f == nil {
		return errs.Nil()
	}
	p, err := readParams(r, f.params.Family)
	if err != nil {
		return err
	}
	counters := frame.Read[uint64](r, p.words())
	if err := r.Err(); err != nil {
		return err
	}
	if err := p.checkCounters(counters, ErrCorrupt); err != nil {
		return err
	}
	*f = *newFilter(p, counters)
	return nil
}

// readParams reads the header of a filter of the family.
func readParams(r *frame.Reader, fam hashfam.Family) (Params, error) {
	h := r.Header(frame.Counting, version, fam.CheckValue())
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
		Counters: binary.LittleEndian.Uint64(b),
		Hashes:   int(b[8]),
		Layout:   Layout(b[9]),
		Family:   fam,
	}
	if err := p.check(ErrCorrupt); err != nil {
		return Params{}, err
	}
	return p, h.CheckPayload(8*p.words(), errs)
}
