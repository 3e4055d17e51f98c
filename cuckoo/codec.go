package cuckoo

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A counted holds the parameters in a frame, which docs/format.md describes.
type counted struct {
	Params
	count uint64
}

var format = frame.Format[counted, byte]{
	Kind: frame.Cuckoo, Version: 1, Errs: errs, Parse: parseParams, Len: counted.SizeBytes, Fits: counted.fits,
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus the table. See
// Encoding in package [hashfam].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

// MarshalBinary is like [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f. See Encoding in package [hashfam].
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next filter from r into f. See Encoding in package
// [hashfam].
func (f *Filter) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, f.decode) }

// MarshalText returns the encoded filter in base64.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes the text form of a filter into f.
func (f *Filter) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded filter in r. It reads
// only the header. Use it to check [Params.SizeBytes] before decoding. If the
// header belongs to another structure, [ErrCorrupt] names it.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	p, err := format.ReadHeader(r, fam)
	return p.Params, err
}

// encode returns the filter's frame, or ErrParams for the zero Filter.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	p := f.params
	if err := p.check(ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	flags := uint64(p.FingerprintBits)
	if p.Compact {
		flags |= 1 << 8
	}
	h := format.NewWords(p.Family, p.SizeBytes(), p.Buckets, flags, f.count)
	return h, frame.Numbers(f.table.Bytes), nil
}

// decode reads a filter and, if there is no error, replaces f with it.
func (f *Filter) decode(r *frame.Reader) error {
	p, table, err := format.Read(r, f.params.Family)
	if err != nil {
		return err
	}
	g := newReader(p.Params, table, p.count)
	if err := g.checkTable(); err != nil {
		return err
	}
	f.reader = g
	return nil
}

// parseParams reads the parameters from a verified header and checks that the
// payload has the corresponding length.
func parseParams(h frame.Header, fam hashfam.Family) (counted, error) {
	w, err := h.Words(errs, 64, 9, 64)
	if err != nil {
		return counted{}, err
	}
	p := Params{Buckets: w[0], FingerprintBits: int(w[1] & 0xff), Compact: w[1]>>8 == 1, Family: fam}
	if err := p.check(ErrCorrupt); err != nil {
		return counted{}, err
	}
	if w[2] > p.slots() {
		return counted{}, errs.Field(ErrCorrupt, "number of fingerprints", w[2], fmt.Sprintf("at most %d slots", p.slots()))
	}
	return counted{p, w[2]}, h.CheckPayload(p.SizeBytes(), errs)
}

// checkTable checks that adding keys can result in this table: it contains
// f.count fingerprints, all bits after the last bucket are zero, and compact
// buckets are in order.
func (f *reader) checkTable() error {
	used := f.params.Buckets * f.params.shape().BucketBits() / 8 // two buckets are whole bytes
	rest := f.table.Bytes[used:]
	if !bytes.Equal(rest, make([]byte, len(rest))) {
		return errs.Field(ErrCorrupt, "bits beyond the last bucket", fmt.Sprintf("% x", rest), "0")
	}
	if n := f.params.slots() - f.table.Free(f.params.Buckets); n != f.count {
		return errs.Field(ErrCorrupt, "number of fingerprints", f.count, fmt.Sprintf("%d, as in the table", n))
	}
	return f.table.CheckOrder(f.params.Buckets)
}

// A View is a read-only filter that queries an encoded filter in place, for
// example in a mapped file. Use [NewView] to create one.
type View struct {
	reader
	encoded frame.View
}

// NewView returns a view of the filter that data encodes. See Views in package
// [hashfam]. Unlike in other packages, data may start at any address, and the
// platform may use any byte order.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, table, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	return &View{newReader(p.Params, table, p.count), v}, nil
}

// Verify checks everything that decoding would check: the checksum, the number
// of fingerprints (see Len), the bits after the last bucket, and the order in
// compact buckets. It returns [ErrCorrupt] if the data is damaged.
func (v *View) Verify() error {
	if err := v.encoded.Verify(v.params.SizeBytes()); err != nil {
		return err
	}
	return v.checkTable()
}

// Decode verifies the data and returns a deep copy as a Filter, which can be
// changed. It returns [ErrCorrupt] if the data is damaged.
func (v *View) Decode() (*Filter, error) { return frame.Decode(v.encoded, NewReceiver(v.Family())) }

// scalableParams are the parameters in a frame of kind ScalableCuckoo, version
// 2. If MemoryBytes is zero, the frame has version 1, which does not contain
// that field. LogBuckets and Plots can be computed from the other fields; they
// are included for other programs. Package pages describes the payload.
type scalableParams struct {
	Expected   uint64   // offset 0
	FPRate     float64  // 8
	Count      uint64   // 16: number of keys
	Compact    bool     // 24
	LogBuckets uint8    // 25: base-2 logarithm of the number of buckets in a page
	_          [6]uint8 // 26: zeros
	Plots      uint64   // 32

	MemoryBytes uint64 // 40
}

// A scalableHeader holds the parameters in a header.
type scalableHeader struct {
	ScalableConfig
	count, payload uint64
}

var scalableFormat = frame.Format[scalableHeader, byte]{
	Kind: frame.ScalableCuckoo, Version: 2, Errs: errs, Parse: parseScalable,
	Len: func(h scalableHeader) uint64 { return h.payload }, Fits: scalableHeader.fits,
}

// AppendBinary appends the encoded filter to dst: the pages, 8 bytes for each
// page and each plot, and 136 bytes. See Encoding in package [hashfam].
func (s *Scalable) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary is like [Scalable.AppendBinary] with a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (s *Scalable) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, s.encode) }

// UnmarshalBinary decodes data into s, which temporarily uses twice the memory
// of the filter. See Encoding in package [hashfam].
func (s *Scalable) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next filter from r into s. See Encoding in package
// [hashfam].
func (s *Scalable) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, s.decode) }

// MarshalText returns the encoded filter in base64.
func (s Scalable) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalText decodes the text form of a filter into s.
func (s *Scalable) UnmarshalText(text []byte) error { return frame.UnmarshalText(s, text, errs) }

// encode returns the filter's frame, or ErrParams for the zero Scalable.
func (s *Scalable) encode() (frame.Header, frame.Payload, error) {
	c := s.config
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	size := uint64(0)
	for piece := range s.pages.Payload {
		size += uint64(len(piece))
	}
	h := scalableFormat.New(c.Family, scalableParams{
		Expected: c.Expected, FPRate: c.FPRate, Count: s.Len(), Compact: c.Compact,
		LogBuckets: uint8(bits.TrailingZeros64(s.pages.Buckets)), Plots: s.pages.Roots, MemoryBytes: c.MemoryBytes,
	}, size)
	return h.Shortest(), s.pages.Payload, nil
}

// decode reads a filter and, if there is no error, replaces s with it.
func (s *Scalable) decode(r *frame.Reader) error {
	h, payload, err := scalableFormat.Read(r, s.config.Family)
	if err != nil {
		return err
	}
	set, err := pages.Parse(h.geometry(), partnersKey(h.Family), payload)
	if err != nil {
		return err
	}
	if set.Len() != h.count {
		return errs.Field(ErrCorrupt, "number of keys", h.count, fmt.Sprintf("%d, as in the pages", set.Len()))
	}
	*s = Scalable{h.ScalableConfig, *set}
	return nil
}

// parseScalable reads the parameters from a verified header.
func parseScalable(h frame.Header, fam hashfam.Family) (scalableHeader, error) {
	var p scalableParams
	if err := h.DecodeLongest(&p, errs); err != nil {
		return scalableHeader{}, err
	}
	c := ScalableConfig{Expected: p.Expected, FPRate: p.FPRate, MemoryBytes: p.MemoryBytes, Compact: p.Compact, Family: fam}
	if err := c.check(ErrCorrupt); err != nil {
		return scalableHeader{}, err
	}
	g := c.geometry()
	if p.Plots != g.Roots || 1<<p.LogBuckets != g.Buckets {
		return scalableHeader{}, errs.Field(ErrCorrupt, "number of plots, and of buckets",
			fmt.Sprint(p.Plots, ", 2^", p.LogBuckets), fmt.Sprint(g.Roots, ", ", g.Buckets))
	}
	return scalableHeader{c, p.Count, h.Payload}, nil
}
