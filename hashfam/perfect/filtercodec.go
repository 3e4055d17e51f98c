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
