package static

import (
	"context"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

var format = frame.Format[Params, uint64]{
	Kind: frame.Static, Version: frame.RibbonVersion, Errs: errs, Parse: parseParams,
	Len: func(p Params) uint64 { return p.Bytes / 8 },
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus Params().Bytes.
// See Encoding in package [hashfam].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

// AppendFrame builds a filter of digests with [New] and appends its encoding to
// dst. Like New, it sorts digests in place. If New fails, its error and the
// original dst are returned.
func AppendFrame(ctx context.Context, dst []byte, c Config, digests []hashfam.Digest) ([]byte, error) {
	f, err := New(ctx, c, digests)
	if err != nil {
		return dst, err
	}
	return f.AppendBinary(dst)
}

// MarshalBinary is like [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f. See Encoding in package [hashfam].
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next filter from r into f.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, f.decode) }

// MarshalText returns the encoded filter in base64.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes the text form of a filter into f.
func (f *Filter) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded filter in r. It reads
// only the header. Use it to check a file's [Params.SizeBytes] before you
// decode the file.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) { return format.ReadHeader(r, fam) }

// encode returns f's frame, or ErrParams if f is a zero Filter.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	shape := f.ribbon.Shape()
	if shape.Columns == 0 {
		return frame.Header{}, nil, paramError("Params.Columns", 0, "a filter that was built or decoded")
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
		f.reader = decoded
	}
	return err
}

// parse returns a reader with the given parameters and payload. The reader
// retains words.
func parse(p Params, words []uint64, room *ribbon.Room) (reader, error) {
	s := ribbon.Shape{Keys: p.Keys, Columns: p.Columns, Layers: p.Layers}
	r, rest, err := ribbon.Parse(s, words, room, errs)
	if err != nil {
		return reader{}, err
	}
	return reader{p.Family.Hasher(r.SizeBytes()), r, true}, checkRest(p.Bytes, rest)
}

// checkRest returns ErrCorrupt if there are words left. length is the payload
// length.
func checkRest(length uint64, words []uint64) error {
	if len(words) == 0 {
		return nil
	}
	return errs.Field(ErrCorrupt, "payload length", length, fmt.Sprint(length-8*uint64(len(words))))
}

// parseParams returns the parameters in a verified header. It checks that a
// filter with these parameters can have such a payload length.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	s, err := frame.ParseRibbon(h, errs)
	if err != nil {
		return Params{}, err
	}
	if s.Columns == 0 {
		return Params{}, errs.Field(ErrCorrupt, "columns", 0, "at least 1")
	}
	return Params{s.Keys, s.Columns, s.Layers, h.Payload, fam}, checkShapes(h.Payload, s)
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
		return errs.Field(ErrCorrupt, "payload length", length, fmt.Sprintf("%d to %d", least, most))
	}
	return nil
}

// A View is a read-only filter that uses its encoding in place, for example in
// a mapped file. Use [NewView] to create one.
type View struct {
	reader
	encoded frame.View
	room    ribbon.Room
}

// NewView returns a view of the filter that data encodes. It checks only the
// header and the sizes of the layers. See Views in package [hashfam].
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, words, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	view := &View{encoded: v}
	view.reader, err = parse(p, words, &view.room)
	if err != nil {
		return nil, err
	}
	return view, nil
}

// Verify checks all the data, including its checksum. It returns [ErrCorrupt]
// if the data is damaged.
func (v *View) Verify() error {
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.ribbon.Verify(errs)
}

// Decode verifies the data and returns a deep copy of the filter. It returns
// [ErrCorrupt] if the data is damaged.
func (v *View) Decode() (*Filter, error) { return frame.Decode(v.encoded, NewReceiver(v.Family())) }

// MarshalText returns the encoded filter in base64.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// A FrameReader queries an encoded [Filter] without opening it. This is faster
// if the filter is queried only once, for example when its block or footer does
// not stay in a cache. Use [NewFrameReader] to create a single FrameReader for
// each family. It does not retain frames, and it can be copied and used
// concurrently. It cannot be stored, but can be created again from its family.
type FrameReader struct{ frames frame.Glance }

// NewFrameReader returns a FrameReader for filters of the family. It should be
// reused, because NewFrameReader computes a hash.
func NewFrameReader(fam hashfam.Family) FrameReader { return FrameReader{format.Glance(fam)} }

// ContainsDigest returns the same result as [Filter.ContainsDigest] for the
// filter that frame encodes. The digest d must be computed by the reader's
// family. frame can start at any address, on any platform.
//
// ContainsDigest returns the errors of [Filter.UnmarshalBinary]. The result is
// then true, so that no key is missed. It reads only what it needs and computes
// no checksum, so the result can be wrong if the frame is damaged, but it never
// panics or reads outside the frame. Use [Filter.UnmarshalBinary] or
// [View.Verify] to check a frame.
func (r FrameReader) ContainsDigest(frame []byte, d hashfam.Digest) (bool, error) {
	keys, rest, payload, ok := r.frames.At(frame)
	s := ribbon.Shape{Keys: keys, Columns: uint32(rest), Layers: int(rest >> 32)}
	if ok && s.Columns > 0 {
		if found, ok := ribbon.ContainsIn(s, payload, d); ok {
			return found, nil
		}
	}
	if r.frames.Zero() {
		panic(errs.Zero("FrameReader", "NewFrameReader"))
	}
	if err := format.Refusal(r.frames, frame); err != nil {
		return true, err
	}
	return true, errs.Field(ErrCorrupt, "payload length", len(payload), "the length of its layers")
}
