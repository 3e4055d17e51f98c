package counting

import (
	"cmp"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

var format = frame.Format[Params, uint64]{
	Kind: frame.Counting, Version: frame.ArrayVersion, Errs: errs, Parse: parseParams,
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus the counters.
// See Encoding in package [hashfam]. If a peer only queries the filter, encode
// the result of [Filter.Bloom] instead, which needs a quarter of the bytes.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// MarshalBinary is like [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, f.encode) }

// MarshalText returns the encoded filter in base64.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalBinary decodes data into f. See Encoding in package [hashfam].
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next filter from r into f. See Encoding in package
// [hashfam].
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := f.decode(fr)
	return fr.Bytes(), err
}

// UnmarshalText decodes a filter's text form into f.
func (f *Filter) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded filter in r. It reads
// only the header, so you can check [Params.SizeBytes] before decoding. If the
// header belongs to another structure, [hashfam.ErrCorrupt] names it.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	return format.ReadHeader(r, fam)
}

// encoded returns the parameters in the form that a frame contains; frame.Array
// describes it. Unused counters at the end of the payload are zero.
func (p Params) encoded() frame.Array {
	return frame.Array{Kind: frame.Counting, Cells: p.Counters, Hashes: p.Hashes, Layout: uint8(p.Layout)}
}

// encode returns f's frame, or ErrParams if f is a zero Filter.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	p := f.params
	return p.encoded().Header(p.Family.CheckValue()), frame.Numbers(f.counters), p.check(hashfam.ErrParams)
}

// decode decodes a filter from r and replaces f with it. If there is an error,
// f is unchanged.
func (f *Filter) decode(r *frame.Reader) error {
	p, counters, err := format.Read(r, f.params.Family)
	if err != nil {
		return err
	}
	if r := p.Counters % perWord; r != 0 && counters[len(counters)-1]>>(4*r) != 0 {
		return errs.Field(hashfam.ErrCorrupt, "counters beyond the last", fmt.Sprintf("%#x", counters[len(counters)-1]>>(4*r)), "0")
	}
	*f = *newFilter(p, counters)
	return nil
}

// parseParams returns the parameters in a verified header. It checks that the
// payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	a, err := frame.ParseArray(h, errs)
	if err != nil {
		return Params{}, err
	}
	p := Params{Counters: a.Cells, Hashes: a.Hashes, Layout: bloom.Layout(a.Layout), Family: fam}
	return p, cmp.Or(p.check(hashfam.ErrCorrupt), h.CheckPayload(8*p.words(), errs))
}
