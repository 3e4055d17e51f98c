package cuckoo

import (
	"bytes"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Cuckoo, version 1; the payload is the
// table, bucket after bucket without padding, and zeros up to a whole number of
// words, and one more word of zeros.
//
//	offset  size  field
//	     0     8  Buckets
//	     8     1  FingerprintBits
//	     9     1  1 if Compact, 0 otherwise
//	    10     6  zero
//	    16     8  number of fingerprints in the table

// A counted filter is what a header tells.
type counted struct {
	Params
	count uint64
}

var format = frame.Format[counted, byte]{
	Kind: frame.Cuckoo, Version: 1, Errs: errs, Parse: parseParams, Len: counted.SizeBytes, Fits: counted.fits,
}

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 72 bytes plus the table. It depends only on the Params
// and the table, and contains the family's check value but not its key.
// AppendBinary returns [ErrParams] if f is the zero Filter. O(m) time; it
// allocates the frame once if dst is too small.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// MarshalBinary is [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(m) time, less than a
// kilobyte of memory.
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f and does not keep data. f then has the
// Params of data. data must have been encoded under the family of f: that of a
// filter in use, the one given to [NewReceiver], or the public family of a zero
// Filter. It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it is of
// another family; f is then unchanged. O(m) time, one allocation of the table.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into f. It reads no byte after it,
// so that filters can follow one another in a stream. The family and the errors
// are those of [Filter.UnmarshalBinary]; ReadFrom also returns any error of r.
// At the end of the stream the error is io.EOF too, by errors.Is. O(m) time.
//
// ReadFrom allocates the table once if r tells that enough bytes follow: a
// regular file, or a reader with a method Len such as bytes.Reader. From other
// readers it uses memory in proportion to the bytes that have arrived, and at
// most one and a half times the size of the filter.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, f.decode)
}

// MarshalText returns the text form of f, the base64 of its encoding. Packages
// such as encoding/json store a filter as that text. The errors are those of
// [Filter.AppendBinary]. O(m) time and memory.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes the text form of a filter into f. The family and the
// errors are those of [Filter.UnmarshalBinary]. O(m) time and memory.
func (f *Filter) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(f, text, errs)
}

// ReadParams reads the header of an encoded filter from r, and no byte after
// it, and returns the filter's parameters. Use it to check a file's
// [Params.SizeBytes] before you decode it. The errors are those of
// [Filter.ReadFrom]; if the header is that of another structure, ReadParams
// returns [ErrCorrupt] and names that structure. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	p, err := format.ReadHeader(r, fam)
	return p.Params, err
}

// encode returns f's frame, or ErrParams if f is a zero Filter.
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
	return h, frame.Numbers(f.table.Bytes()), nil
}

// decode reads a filter and replaces f by it at the end, if there was no error.
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

// parseParams reads the parameters of a verified header, and the number of
// fingerprints. It checks that the payload has the length that follows.
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

// checkTable checks that the table is one that adding keys can lead to: it has
// as many fingerprints as f counts, what follows its buckets is zero, and
// compact buckets are in order.
func (f *reader) checkTable() error {
	used := f.params.Buckets * f.params.shape().BucketBits() / 8 // two buckets are whole bytes
	rest := f.table.Bytes()[used:]
	if !bytes.Equal(rest, make([]byte, len(rest))) {
		return errs.Field(ErrCorrupt, "bits beyond the last bucket", fmt.Sprintf("% x", rest), "0")
	}
	if n := f.params.slots() - f.table.Free(f.params.Buckets); n != f.count {
		return errs.Field(ErrCorrupt, "number of fingerprints", f.count, fmt.Sprintf("%d, as in the table", n))
	}
	if !f.params.Compact {
		return nil
	}
	for i := range f.params.Buckets {
		if !f.table.InOrder(i) {
			return errs.Field(ErrCorrupt, "bucket", i, "four fingerprints in ascending order")
		}
	}
	return nil
}
