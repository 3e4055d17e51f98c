package bloom

import (
	"cmp"
	"io"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

var format = frame.Format[Params, uint64]{
	Kind: frame.Bloom, Version: frame.ArrayVersion, Errs: errs, Parse: parseParams,
}

// AppendBinary appends the encoded filter to dst: 72 bytes plus the bit array.
// See Encoding in package [hashfam].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// AppendFrame appends an encoded filter to dst and returns the extended slice.
// The filter contains the keys with the given digests, which must be computed
// by c.Family. The bytes are the same as after [New], [Filter.AddAll] and
// [Filter.AppendBinary], but AppendFrame usually sets the bits directly in dst,
// without allocating a filter. There can be more or fewer digests than
// c.Capacity. If c.Capacity and c.MemoryBytes are both 0, the capacity is the
// number of digests, or 1 if there are none. If New would return an error,
// AppendFrame returns dst and this error.
//
// To build many small frames, set Capacity: computing the Params can take
// longer than adding the keys, so AppendFrame remembers the Params of the last
// Config. Without Capacity and MemoryBytes, it needs other Params whenever the
// number of digests changes.
//
// AppendFrame allocates the frame if dst is too small. It also allocates the
// bit array on big-endian platforms, in builds with the tag purego, and if the
// array in dst would not begin at a multiple of 8 bytes in memory.
func AppendFrame(dst []byte, c Config, digests []hashfam.Digest) ([]byte, error) {
	if c.Capacity == 0 && c.MemoryBytes == 0 {
		c.Capacity = max(1, uint64(len(digests)))
	}
	p, err := c.remembered()
	if err != nil {
		return dst, err
	}
	if err := p.fits(); err != nil {
		return dst, err
	}
	return frame.AppendFilled(dst, p.encoded().Header(p.Family.CheckValue()), func(words []uint64) {
		f := Filter{newReadable(p, words)}
		f.AddAll(digests)
	}), nil
}

// A plan contains the Params for a Config. Neither contains a Family, since
// that may be secret.
type plan struct {
	config Config
	params Params
}

// lastPlan is the plan of the last call of AppendFrame that needed a new one.
var lastPlan atomic.Pointer[plan]

// remembered returns the result of Params. It does not allocate if c is the
// same as in the last call.
func (c Config) remembered() (Params, error) {
	fam := c.Family
	c.Family = hashfam.Family{}
	last := lastPlan.Load()
	if last == nil || last.config != c {
		p, err := c.Params()
		if err != nil {
			return p, err
		}
		last = &plan{c, p}
		lastPlan.Store(last)
	}
	p := last.params
	p.Family = fam
	return p, nil
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

// encoded returns the parameters in the form that frames use. The payload bits
// after the last bit of the filter are zero.
func (p Params) encoded() frame.Array {
	return frame.Array{Kind: frame.Bloom, Cells: p.Bits, Hashes: p.Hashes, Layout: uint8(p.Layout)}
}

func (f *Filter) encode() (frame.Header, frame.Payload, error) {
	p := f.params
	return p.encoded().Header(p.Family.CheckValue()), frame.Numbers(f.words), p.check(hashfam.ErrParams)
}

// decode replaces f with the next filter if there is no error.
func (f *Filter) decode(r *frame.Reader) error {
	p, words, err := format.Read(r, f.params.Family)
	if err != nil {
		return err
	}
	if err := p.checkWords(words, hashfam.ErrCorrupt); err != nil {
		return err
	}
	f.readable = newReadable(p, words)
	return nil
}

// parseParams decodes a verified header and checks the payload's length.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	a, err := frame.ParseArray(h, errs)
	if err != nil {
		return Params{}, err
	}
	p := Params{Bits: a.Cells, Hashes: a.Hashes, Layout: Layout(a.Layout), Family: fam}
	return p, cmp.Or(p.check(hashfam.ErrCorrupt), h.CheckPayload(8*p.words(), errs))
}
