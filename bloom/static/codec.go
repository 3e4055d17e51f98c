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

// A frame contains the following parameters, then the payload of the first
// ribbon and, if Absent or byte 14 is not zero, the payload of the second.
//
//	offset  size  field
//	     0     8  Keys
//	     8     4  Columns of the first ribbon, in units of 1/65536
//	    12     1  layers of the first ribbon
//	    13     1  layers of the second ribbon
//	    14     1  1 if the first ribbon contains the absent keys, otherwise 0
//	    15     1  zero
//	    16     8  Absent
//	    24     8  number of keys in the second ribbon
const paramBytes = 32

var format = frame.Format[shape, uint64]{Kind: frame.Static, Version: 1, Errs: errs, Parse: parseShape}

// A shape contains the parameters in a header, and the values derived from
// them.
type shape struct {
	Params
	lists
	first ribbon.Shape
	class ribbon.Shape // the second ribbon, if there is one
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus
// Params().SizeBytes(). See Encoding in package [hashfam].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

// AppendFrame appends an encoded filter of the keys with the given digests to
// dst and returns the extended slice. The bytes are the same as after [New] and
// [Filter.AppendBinary]. Like New, AppendFrame changes the order of digests. If
// New would return an error, AppendFrame returns dst and this error.
//
// Use AppendFrame to build many small filters: for up to 60,000 digests, and
// without MemoryBytes and Progress, it uses a single goroutine and up to 2 MB
// of memory from a pool. If dst is large enough, it then usually does not
// allocate.
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

// appendSmall is like AppendFrame for up to ribbon.Small digests, without
// MemoryBytes and Progress. The ribbon is in the memory of a pooled Scratch, so
// appendSmall encodes the ribbon before it returns the Scratch to the pool.
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
	if err := ribbon.CheckHashes(list, errs); err != nil {
		return dst, err
	}
	columns, err := c.columns(uint64(len(list)))
	if err != nil {
		return dst, err
	}
	r, err := s.Members(ctx, columns, list)
	if err != nil {
		return dst, buildError(err)
	}
	f := Filter{hash: c.Family.Hasher(0), ribbon: *r}
	return frame.AppendWords(dst, f.header(), s.Pieces()), nil
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
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	s, err := format.ReadHeader(r, fam)
	return s.Params, err
}

// encode returns f's frame, or ErrParams if f is a zero Filter. It verifies the
// data of a view first, because the new checksum would hide any damage.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	if f.ribbon.IsZero() {
		return frame.Header{}, nil, paramError("receiver", "zero", "a filter that was built or decoded")
	}
	if err := f.Verify(); err != nil {
		return frame.Header{}, nil, err
	}
	return f.header(), f.ribbon.Payload(), nil
}

// header returns the header of f's frame.
func (f *Filter) header() frame.Header {
	p := f.Params()
	ribbons := uint64(p.columns) | uint64(p.layers)<<32
	passed := uint64(0)
	if class := f.ribbon.Class(); class != nil {
		ribbons |= uint64(class.Shape().Layers) << 40
		passed = class.Shape().Keys
	}
	if f.ribbon.Inverse() {
		ribbons |= 1 << 48
	}
	return format.NewWords(p.Family, p.bytes, p.Keys, ribbons, p.Absent, passed)
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

// parse returns a filter with shape s and the payload words, which it retains.
// The layers of the first ribbon are stored in room if they fit.
func parse(s shape, words []uint64, room *ribbon.Room) (Filter, error) {
	first, words, err := ribbon.Parse(s.first, words, room, errs)
	if err != nil {
		return Filter{}, err
	}
	if !s.plain() {
		var class ribbon.Ribbon
		class, words, err = ribbon.Parse(s.class, words, new(ribbon.Room), errs)
		if err != nil {
			return Filter{}, err
		}
		first.Separate(&class, s.inverse)
	}
	if len(words) > 0 {
		return Filter{}, errs.Field(hashfam.ErrCorrupt, "payload length", s.bytes, fmt.Sprint(s.bytes-8*uint64(len(words))))
	}
	return Filter{hash: s.Family.Hasher(first.SizeBytes()), ribbon: first, others: s.others}, nil
}

// parseShape returns the shape in a verified header. It checks that a filter
// with these parameters can have a payload of this length.
func parseShape(h frame.Header, fam hashfam.Family) (shape, error) {
	w, err := h.Words(errs, 64, 49, 64, 64)
	if err != nil {
		return shape{}, err
	}
	p := Params{
		Keys:    w[0],
		Absent:  w[2],
		columns: uint32(w[1]),
		layers:  int(uint8(w[1] >> 32)),
		Family:  fam,
		bytes:   h.Payload,
	}
	l := lists{inside: p.Keys, others: p.Absent}
	if w[1]>>48 == 1 {
		l = lists{inside: p.Absent, others: p.Keys, inverse: true}
	}
	s := shape{
		Params: p,
		lists:  l,
		first:  ribbon.Shape{Keys: l.inside, Columns: p.columns, Layers: p.layers},
		class:  ribbon.Shape{Keys: w[3], Columns: ribbon.OneColumn, Layers: int(uint8(w[1] >> 40))},
	}
	return s, s.check()
}

// check returns ErrCorrupt if no two lists of keys result in this shape.
func (s shape) check() error {
	if s.Keys > ribbon.MaxKeys {
		return errs.Field(hashfam.ErrCorrupt, "keys", s.Keys, "at most 2^48")
	}
	if s.Absent > ribbon.MaxKeys {
		return errs.Field(hashfam.ErrCorrupt, "absent keys", s.Absent, "at most 2^48")
	}
	if s.inverse && s.Absent >= s.Keys {
		return errs.Field(hashfam.ErrCorrupt, "absent keys", s.Absent, "fewer than keys, because the first ribbon contains them")
	}
	if s.plain() {
		return s.checkPlain()
	}
	least := s.inside
	most := s.inside + s.others
	switch {
	case s.inside == 0: // no key passes a ribbon of no keys
		most = 0
	case s.columns == 0: // all keys pass a ribbon without columns
		least = most
	}
	if s.class.Keys < least || s.class.Keys > most {
		return errs.Field(hashfam.ErrCorrupt, "keys that pass", s.class.Keys, fmt.Sprintf("%d to %d", least, most))
	}
	return s.checkPayload(s.first, s.class)
}

// checkPlain is check for a filter without a second ribbon.
func (s shape) checkPlain() error {
	if s.columns == 0 {
		return errs.Field(hashfam.ErrCorrupt, "columns", 0, "at least 1, because there are no absent keys")
	}
	if s.class.Keys > 0 {
		return errs.Field(hashfam.ErrCorrupt, "keys that pass", s.class.Keys, "0, because there are no absent keys")
	}
	if s.class.Layers > 0 {
		return errs.Field(hashfam.ErrCorrupt, "layers of the second ribbon", s.class.Layers, "0, because there are no absent keys")
	}
	return s.checkPayload(s.first)
}

// checkPayload returns ErrCorrupt if a ribbon's shape is invalid, or if ribbons
// of these shapes cannot have a payload of this length. A shape determines the
// size of the ribbon's first layer, and limits the sizes of later layers.
func (s shape) checkPayload(ribbons ...ribbon.Shape) error {
	least := uint64(0)
	most := uint64(0)
	for _, r := range ribbons {
		if err := ribbon.Check(r, errs); err != nil {
			return err
		}
		from, to := ribbon.Bounds(r)
		least += from
		most += to
	}
	if s.bytes < least || s.bytes > most {
		return errs.Field(hashfam.ErrCorrupt, "payload length", s.bytes, fmt.Sprintf("%d to %d", least, most))
	}
	return nil
}
