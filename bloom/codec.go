package bloom

import (
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

var format = frame.Format[Params, uint64]{
	Kind: frame.Bloom, Version: frame.ArrayVersion, Errs: errs, Parse: parseParams, Len: Params.words, Fits: Params.fits,
}

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 72 bytes plus the bit array. It depends only on the
// Params and the bits, and contains the family's check value but not its key.
// AppendBinary returns [ErrParams] if f is the zero Filter. O(m) time; it
// allocates the frame once if dst is too small.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// AppendFrame appends the encoded filter of digests to dst and returns the
// extended slice: what [New], [Filter.AddAll] and [Filter.AppendBinary] return,
// without a bit array beside dst. The digests are under c.Family; they may be
// more or fewer than c.Capacity, which may be 0 if c.MemoryBytes is: then it is
// their number, but at least 1. It returns dst and the errors of
// [Config.Params]. O(m + kn) time; it allocates the frame once if dst is too
// small, and the bit array if it would not begin at a multiple of 8 in memory,
// on a big-endian platform, or with the tag purego.
func AppendFrame(dst []byte, c Config, digests []hashfam.Digest) ([]byte, error) {
	if c.Capacity == 0 && c.MemoryBytes == 0 {
		c.Capacity = max(1, uint64(len(digests)))
	}
	p, err := c.Params()
	if err == nil {
		err = p.fits(ErrParams)
	}
	if err != nil {
		return dst, err
	}
	return frame.AppendFilled(dst, p.encoded().Header(p.Family.CheckValue()), func(words []uint64) {
		f := Filter{newReader(p, words)}
		f.AddAll(digests)
	}), nil
}

// MarshalBinary is [Filter.AppendBinary] with a nil dst.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(m) time, less than a
// kilobyte of memory (64 KiB on a big-endian platform, or with the tag purego).
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// MarshalText returns the text form of f, the base64 of its encoding, which
// packages such as encoding/json store. Its errors are those of
// [Filter.AppendBinary]. O(m) time and memory.
func (f Filter) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalBinary decodes data into f and does not keep data. f then has the
// Params of data. data must have been encoded under the family of f: that of a
// filter in use, the one given to [NewReceiver], or the public family of a zero
// Filter.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error f is unchanged. O(m) time, one
// allocation of the bit array.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into f. It reads no byte after it,
// so that filters can follow one another in a stream. The family and the errors
// are those of [Filter.UnmarshalBinary]; ReadFrom also returns any error of r.
// At the end of the stream the error is io.EOF too, by errors.Is. O(m) time.
//
// ReadFrom allocates the bit array once if r tells that enough bytes follow: a
// regular file, or a reader with a method Len such as bytes.Reader. From other
// readers it uses memory in proportion to the bytes that have arrived, and at
// most one and a half times the size of the filter.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, f.decode) }

// UnmarshalText decodes the text form of a filter into f. The family and the
// errors are those of [Filter.UnmarshalBinary]. O(m) time and memory.
func (f *Filter) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams reads the header of an encoded filter from r, and no byte after
// it, and returns the filter's parameters. Use it to check a file's
// [Params.SizeBytes] before you decode it. The errors are those of
// [Filter.ReadFrom]; if the header is that of another structure, ReadParams
// returns [ErrCorrupt] and names that structure. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	return format.ReadHeader(r, fam)
}

// encoded returns the parameters as a frame has them: see frame.Array for the
// layout. The bits of the payload beyond the last one are zero.
func (p Params) encoded() frame.Array {
	return frame.Array{Kind: frame.Bloom, Cells: p.Bits, Hashes: p.Hashes, Layout: uint8(p.Layout)}
}

// encode returns f's frame, or ErrParams if f is a zero Filter.
func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	p := f.params
	return p.encoded().Header(p.Family.CheckValue()), frame.Numbers(f.words), p.check(ErrParams)
}

// decode reads a filter and, if there was no error, replaces f with it.
func (f *Filter) decode(r *frame.Reader) error {
	p, words, err := format.Read(r, f.params.Family)
	if err != nil {
		return err
	}
	if err := p.checkWords(words, ErrCorrupt); err != nil {
		return err
	}
	*f = *newFilter(p, words)
	return nil
}

// parseParams reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	a, err := frame.ParseArray(h, errs)
	if err != nil {
		return Params{}, err
	}
	p := Params{Bits: a.Cells, Hashes: a.Hashes, Layout: Layout(a.Layout), Family: fam}
	if err := p.check(ErrCorrupt); err != nil {
		return Params{}, err
	}
	return p, h.CheckPayload(8*p.words(), errs)
}
