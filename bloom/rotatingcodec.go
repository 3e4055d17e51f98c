package bloom

import (
	"cmp"
	"io"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// rotatingParams are the parameters in a frame of kind RotatingBloom, version
// 1. The payload consists of the bit arrays of the G+1 generations, oldest
// first. Zeros fill each array up to a multiple of 64 bytes.
type rotatingParams struct {
	Capacity    uint64        // offset 0
	FPRate      float64       // 8
	Span        time.Duration // 16: in nanoseconds
	Bits        uint64        // 24: of each generation
	Hashes      uint8         // 32
	Layout      Layout        // 33
	Generations uint8         // 34: G
	_           [5]uint8      // 35: zeros
	// 40: position of the window. If Span is 0, this is the number of keys in
	// the newest generation. Otherwise, it is the number of the newest
	// generation, counted from 1970, or -2^63 if the time is unknown.
	Position uint64
}

var rotatingFormat = frame.Format[Rotating, uint64]{
	Kind: frame.RotatingBloom, Version: 1, Errs: errs, Parse: parseRotating,
}

// AppendBinary appends the encoded filter to dst: 136 bytes plus the bit
// arrays, each rounded up to 64 bytes. See Encoding in package [hashfam].
func (r *Rotating) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, r.encode)
}

// MarshalBinary is like [Rotating.AppendBinary] with a nil dst.
func (r *Rotating) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (r *Rotating) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, r.encode) }

// MarshalText returns the encoded filter in base64.
func (r Rotating) MarshalText() ([]byte, error) { return frame.MarshalText(&r) }

// UnmarshalBinary decodes data into r. See Encoding in package [hashfam].
func (r *Rotating) UnmarshalBinary(data []byte) error {
	return r.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next filter from in into r. See Encoding in package
// [hashfam].
func (r *Rotating) ReadFrom(in io.Reader) (int64, error) {
	fr := frame.NewReader(in, errs)
	err := r.decode(fr)
	return fr.Bytes(), err
}

// UnmarshalText decodes a filter's text form into r.
func (r *Rotating) UnmarshalText(text []byte) error { return frame.UnmarshalText(r, text, errs) }

func (r *Rotating) encode() (frame.Header, frame.Payload, error) {
	c := r.config
	if err := c.check(hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	p := r.newest().params
	h := rotatingFormat.New(r.Family(), rotatingParams{
		Capacity: c.Keys, FPRate: c.FPRate, Span: c.Span, Bits: p.Bits, Hashes: uint8(p.Hashes),
		Layout: c.Layout, Generations: uint8(c.Parts), Position: r.ring.Word(),
	}, 8*r.words())
	return h, r.yield, nil
}

// decode replaces r with the next filter if there is no error.
func (r *Rotating) decode(fr *frame.Reader) error {
	next, words, err := rotatingFormat.Read(fr, r.Family())
	if err == nil {
		err = next.use(words)
	}
	if err == nil {
		*r = next
	}
	return err
}

// parseRotating decodes a verified header and checks the payload's length. The
// generations of the result have no words yet.
func parseRotating(h frame.Header, fam hashfam.Family) (r Rotating, err error) {
	var f rotatingParams
	if err := h.DecodeParams(&f, errs); err != nil {
		return r, err
	}
	r.config = RotatingConfig{
		Keys: f.Capacity, Span: f.Span, Parts: int(f.Generations),
		FPRate: f.FPRate, Layout: f.Layout, Family: fam,
	}
	p := Params{Bits: f.Bits, Hashes: int(f.Hashes), Layout: f.Layout, Family: fam}
	if err := cmp.Or(r.config.check(hashfam.ErrCorrupt), p.check(hashfam.ErrCorrupt)); err != nil {
		return r, err
	}
	r.ring = r.config.ring()
	if !r.ring.SetWord(f.Position) {
		return r, errs.Field(hashfam.ErrCorrupt, "position of the window", int64(f.Position),
			"up to the capacity of a generation, or the number of a generation from 1678 to 2262")
	}
	for range r.config.Parts + 1 {
		r.append(newFilter(p, nil))
	}
	return r, h.CheckPayload(8*r.words(), errs)
}
