package cuckoo

import (
	"bytes"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A header holds the parameters in a frame of kind Cuckoo. The payload is the
// table.
type header struct {
	Buckets         uint64   // offset 0
	FingerprintBits uint8    // 8
	Compact         bool     // 9
	_               [6]uint8 // 10: zeros
	Count           uint64   // 16: number of fingerprints in the table
}

// A counted holds what a header says.
type counted struct {
	Params
	count uint64
}

var format = frame.Format[counted, byte]{
	Kind: frame.Cuckoo, Version: 1, Errs: errs, Parse: parseParams,
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus the table. See
// Encoding in package [hashfam].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

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
	p, err := format.ReadHeader(r, fam)
	return p.Params, err
}

// encode returns the filter's frame, or ErrParams for the zero Filter.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	p := f.params
	if err := p.check(hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	h := format.New(p.Family, header{
		Buckets: p.Buckets, FingerprintBits: uint8(p.FingerprintBits), Compact: p.Compact, Count: f.count,
	}, p.SizeBytes())
	return h, frame.Numbers(f.table.Bytes), nil
}

// decode reads a filter and, if there is no error, replaces f with it.
func (f *Filter) decode(r *frame.Reader) error {
	p, table, err := format.Read(r, f.params.Family)
	if err != nil {
		return err
	}
	g := newReadable(p.Params, table, p.count)
	if err := g.checkTable(); err != nil {
		return err
	}
	f.readable = g
	return nil
}

// parseParams reads the parameters from a verified header and checks that the
// payload has the corresponding length.
func parseParams(h frame.Header, fam hashfam.Family) (counted, error) {
	var w header
	if err := h.DecodeParams(&w, errs); err != nil {
		return counted{}, err
	}
	p := Params{Buckets: w.Buckets, FingerprintBits: int(w.FingerprintBits), Compact: w.Compact, Family: fam}
	if err := p.check(hashfam.ErrCorrupt); err != nil {
		return counted{}, err
	}
	if w.Count > p.slots() {
		return counted{}, errs.Field(hashfam.ErrCorrupt, "number of fingerprints", w.Count, fmt.Sprintf("at most %d slots", p.slots()))
	}
	return counted{p, w.Count}, h.CheckPayload(p.SizeBytes(), errs)
}

// checkTable returns ErrCorrupt unless the table contains f.count fingerprints,
// all bits after the last bucket are zero, and compact buckets are in order.
func (f *readable) checkTable() error {
	used := f.params.Buckets * f.params.shape().BucketBits() / 8 // two buckets are whole bytes
	rest := f.table.Bytes[used:]
	if !bytes.Equal(rest, make([]byte, len(rest))) {
		return errs.Field(hashfam.ErrCorrupt, "bits beyond the last bucket", fmt.Sprintf("% x", rest), "0")
	}
	if n := f.params.slots() - f.table.Free(f.params.Buckets); n != f.count {
		return errs.Field(hashfam.ErrCorrupt, "number of fingerprints", f.count, fmt.Sprintf("%d, as in the table", n))
	}
	return f.table.CheckOrder(f.params.Buckets)
}
