package bloom

import (
	"io"
	"slices"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind RotatingBloom, version 1. The payload is
// the arrays of the G+1 generations, the oldest first, each followed by zeros
// up to a multiple of 64 bytes.
type rotatingParams struct {
	Capacity    uint64        // offset 0
	FPRate      float64       // 8
	Span        time.Duration // 16: in nanoseconds
	Bits        uint64        // 24: of each generation
	Hashes      uint8         // 32
	Layout      Layout        // 33
	Generations uint8         // 34: G
	_           [5]uint8      // 35: zeros
	// 40: position of the window: the number of keys in the newest generation
	// if Span is 0, else the number of that generation since 1970, or -2^63 if
	// no time is known
	Position uint64
}

// An openRotating is what a header tells: a filter without its generations, and
// the parameters of each of them.
type openRotating struct {
	Rotating
	params []Params
}

var rotatingFormat = frame.Format[openRotating, uint64]{
	Kind: frame.RotatingBloom, Version: 1, Errs: errs, Parse: parseRotating, Len: openRotating.words,
}

// words returns the number of words of the payload.
func (r openRotating) words() uint64 { return r.params[0].paddedWords() * uint64(len(r.params)) }

// AppendBinary is [Filter.AppendBinary] for a Rotating. The encoding is 136
// bytes and the bit arrays, each in whole lines of 64 bytes. It depends only on
// the RotatingConfig, the bits and the position of the window.
func (r *Rotating) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, r.encode)
}

// MarshalBinary is [Rotating.AppendBinary] with a nil dst.
func (r *Rotating) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// WriteTo is [Filter.WriteTo] for a Rotating.
func (r *Rotating) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, r.encode) }

// MarshalText is [Filter.MarshalText] for a Rotating.
func (r Rotating) MarshalText() ([]byte, error) { return frame.MarshalText(&r) }

// UnmarshalBinary is [Filter.UnmarshalBinary] for a Rotating, which may be from
// [NewRotatingReceiver]. It makes one allocation for all bit arrays.
func (r *Rotating) UnmarshalBinary(data []byte) error {
	return r.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom is [Filter.ReadFrom] for a Rotating.
func (r *Rotating) ReadFrom(in io.Reader) (int64, error) {
	return frame.ReadFrom(in, errs, r.decode)
}

// UnmarshalText is [Filter.UnmarshalText] for a Rotating.
func (r *Rotating) UnmarshalText(text []byte) error { return frame.UnmarshalText(r, text, errs) }

// encode returns r's frame, or ErrParams if r is a zero Rotating.
func (r *Rotating) encode() (frame.Header, frame.Payload, error) {
	c := r.config
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	p := r.newest().params
	h := rotatingFormat.New(r.Family(), rotatingParams{
		Capacity: c.Capacity, FPRate: c.FPRate, Span: c.Span, Bits: p.Bits, Hashes: uint8(p.Hashes),
		Layout: c.Layout, Generations: uint8(c.Generations), Position: r.ring.Word(),
	}, 8*p.paddedWords()*uint64(len(r.list)))
	return h, r.yield, nil
}

// decode reads a filter and, if there was no error, replaces r with it.
func (r *Rotating) decode(fr *frame.Reader) error {
	t, words, err := rotatingFormat.Read(fr, r.Family())
	if err != nil {
		return err
	}
	if t.stages, err = cut(words, t.params); err != nil {
		return err
	}
	*r = t.Rotating
	return nil
}

// parseRotating reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseRotating(h frame.Header, fam hashfam.Family) (openRotating, error) {
	var f rotatingParams
	if err := h.DecodeParams(&f, errs); err != nil {
		return openRotating{}, err
	}
	r := openRotating{Rotating: *NewRotatingReceiver(fam)}
	r.config = RotatingConfig{
		Capacity: f.Capacity, Span: f.Span, Generations: int(f.Generations),
		FPRate: f.FPRate, Layout: f.Layout, Family: r.Family(),
	}
	if err := r.config.check(ErrCorrupt); err != nil {
		return openRotating{}, err
	}
	p := Params{Bits: f.Bits, Hashes: int(f.Hashes), Layout: f.Layout, Family: r.Family()}
	if err := p.check(ErrCorrupt); err != nil {
		return openRotating{}, err
	}
	if r.ring = r.config.ring(); !r.ring.SetWord(f.Position) {
		return openRotating{}, errs.Field(ErrCorrupt, "position of the window", int64(f.Position),
			"at most the keys of a generation, or the number of one from 1678 to 2262")
	}
	r.params = slices.Repeat([]Params{p}, r.config.Generations+1)
	return r, h.CheckPayload(8*r.words(), errs)
}
