package perfect

import (
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding depends only on the set of keys, the FilterConfig and the
// slots that were changed, and contains the family's check value but not its
// key. AppendBinary returns [ErrParams] if f is a zero Filter. O(n) time; it
// allocates at most twice.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// MarshalBinary returns the encoded filter. It is [Filter.AppendBinary] with a
// nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, as [Function.WriteTo] does.
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f and does not keep data. data must have
// been encoded under the family of f: that of a filter in use, the one given to
// [NewFilterReceiver], or the public family of a zero Filter. The errors are
// those of [Function.UnmarshalBinary]. After an error f is unchanged. O(n)
// time.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into f, and no byte after it. The
// family is that of [Filter.UnmarshalBinary], and the errors and the memory are
// those of [Function.ReadFrom]. O(n) time.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, f.decode)
}

// MarshalText returns the text form of f, the base64 of its encoding. Packages
// such as encoding/json store a filter as that text. The errors are those of
// [Filter.AppendBinary]. O(n) time and memory.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes the text form of a filter into f. The family and the
// errors are those of [Filter.UnmarshalBinary]. O(n) time and memory.
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
