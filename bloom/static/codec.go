package static

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

var format = frame.Format[Params, uint64]{
	Kind: frame.Static, Version: frame.RibbonVersion, Errs: errs, Parse: parseParams,
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus
// Params().SizeBytes(). See Encoding in package [hashfam].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

// AppendFrame appends an encoded filter of the keys with the given digests to
// dst and returns the extended slice. The bytes are the same as after [New] and
// [Filter.AppendBinary]. Like New, AppendFrame changes the order of digests. If
// New returns an error, AppendFrame returns dst and this error.
//
// Frames of up to 60,000 digests can be built again and again with hardly any
// allocations if dst is large enough and neither MemoryBytes nor Progress is
// set. AppendFrame then uses pooled memory of up to 2 MB instead, and no
// Workers.
func AppendFrame(ctx context.Context, dst []byte, c Config, digests []hashfam.Digest) ([]byte, error) {
	if len(digests) <= ribbon.Small && c.MemoryBytes == 0 && c.Progress == nil {
		return appendSmall(ctx, dst, c, digests)
	}
	f, err := New(ctx, c, digests)
	if err != nil {
		return dst, err
	}
	return f.AppendBinary(dst)
}

// scratches pools the memory for small frames.
var scratches = sync.Pool{New: func() any { return new(ribbon.Scratch) }}

// appendSmall is AppendFrame for digests that a single worker processes. The
// ribbon uses the memory of a Scratch, so it must not be returned.
func appendSmall(ctx context.Context, dst []byte, c Config, digests []hashfam.Digest) ([]byte, error) {
	if _, err := c.columns(0); err != nil { // before digests are sorted
		return dst, err
	}
	if err := errs.Context(ctx); err != nil {
		return dst, err
	}
	s := scratches.Get().(*ribbon.Scratch)
	defer scratches.Put(s)
	list := s.Sort(digests)
	columns, err := c.columns(uint64(len(list)))
	if err != nil {
		return dst, err
	}
	r, err := s.Members(ctx, columns, list)
	if err != nil {
		return dst, buildError(err)
	}
	return frame.AppendWords(dst, r.Shape().Header(c.Family.CheckValue(), r.PayloadBytes()), s.Pieces()), nil
}

// MarshalBinary is like [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, f.encode) }

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

// MarshalText returns the encoded filter in base64.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes a filter's text form into f.
func (f *Filter) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded filter in r. It reads
// only the header, so you can check [Params.SizeBytes] before decoding. If the
// header belongs to another structure, [hashfam.ErrCorrupt] names it.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) { return format.ReadHeader(r, fam) }

// encode returns f's frame, or ErrParams if f is a zero Filter. It verifies the
// data of a view first, because the new checksum would hide any damage.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	shape := f.ribbon.Shape()
	if shape.Columns == 0 {
		return frame.Header{}, nil, paramError("receiver", "zero", "a filter that was built or decoded")
	}
	if err := f.Verify(); err != nil {
		return frame.Header{}, nil, err
	}
	family := f.Family()
	return shape.Header(family.CheckValue(), f.ribbon.PayloadBytes()), f.ribbon.Payload(), nil
}

// decode decodes a filter from r and replaces f with it. If there is an error,
// f is unchanged.
func (f *Filter) decode(r *frame.Reader) error {
	p, words, err := format.Read(r, f.Family())
	if err != nil {
		return err
	}
	decoded, err := parse(p, words, new(ribbon.Room))
	if err == nil {
		err = decoded.ribbon.Verify(errs)
	}
	if err == nil {
		*f = decoded
	}
	return err
}

// parse returns a filter with the given parameters and payload. The filter
// retains words.
func parse(p Params, words []uint64, room *ribbon.Room) (Filter, error) {
	s := ribbon.Shape{Keys: p.Keys, Columns: p.columns, Layers: p.layers}
	r, rest, err := ribbon.Parse(s, words, room, errs)
	if err != nil {
		return Filter{}, err
	}
	return Filter{hash: p.Family.Hasher(r.SizeBytes()), ribbon: r}, checkRest(p.bytes, rest)
}

// checkRest returns ErrCorrupt if there are words left. length is the payload
// length.
func checkRest(length uint64, words []uint64) error {
	if len(words) == 0 {
		return nil
	}
	return errs.Field(hashfam.ErrCorrupt, "payload length", length, fmt.Sprint(length-8*uint64(len(words))))
}

// parseParams returns the parameters in a verified header. It checks that a
// filter with these parameters can have such a payload length.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	s, err := frame.ParseRibbon(h, errs)
	if err != nil {
		return Params{}, err
	}
	if s.Columns == 0 {
		return Params{}, errs.Field(hashfam.ErrCorrupt, "columns", 0, "at least 1")
	}
	return Params{s.Keys, fam, s.Columns, s.Layers, h.Payload}, checkShapes(h.Payload, s)
}

// checkShapes returns ErrCorrupt unless ribbons with these shapes can have the
// given payload length. A shape determines the size of the first layer exactly,
// and bounds the sizes of the others.
func checkShapes(length uint64, shapes ...ribbon.Shape) error {
	least, most := uint64(0), uint64(0)
	for _, s := range shapes {
		if err := ribbon.Check(s, errs); err != nil {
			return err
		}
		from, to := ribbon.Bounds(s)
		least, most = least+from, most+to
	}
	if length < least || length > most {
		return errs.Field(hashfam.ErrCorrupt, "payload length", length, fmt.Sprintf("%d to %d", least, most))
	}
	return nil
}
