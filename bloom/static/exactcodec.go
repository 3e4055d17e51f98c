package static

import (
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// An exactHeader contains the parameters in a frame of kind Exact, version 1.
// The payload consists of two ribbons: the first level, which contains the
// rarer class, and the second level.
type exactHeader struct {
	Members      uint64   // offset 0
	Others       uint64   // 8
	Passed       uint64   // 16: number of keys that pass the first level
	FilterLayers uint8    // 24: layers of the first level
	ClassLayers  uint8    // 25: layers of the second level
	_            [6]uint8 // 26: zeros
}

var exactFormat = frame.Format[exactShape, uint64]{
	Kind: frame.Exact, Version: 1, Errs: errs, Parse: parseShape,
}

// An exactShape contains the sizes that follow from the header.
type exactShape struct {
	ExactParams
	filter, class ribbon.Shape
}

// AppendBinary appends the encoded Exact to dst: 72 bytes plus
// Params().SizeBytes(). See Encoding in package [hashfam].
func (e *Exact) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, e.encode) }

// MarshalBinary is like [Exact.AppendBinary] with a nil dst.
func (e *Exact) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// WriteTo writes the encoded Exact to w. See Encoding in package [hashfam].
func (e *Exact) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, e.encode) }

// UnmarshalBinary decodes data into e. See Encoding in package [hashfam].
func (e *Exact) UnmarshalBinary(data []byte) error {
	return e.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next Exact from r into e. See Encoding in package
// [hashfam].
func (e *Exact) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := e.decode(fr)
	return fr.Bytes(), err
}

// MarshalText returns the encoded Exact in base64.
func (e Exact) MarshalText() ([]byte, error) { return frame.MarshalText(&e) }

// UnmarshalText decodes an Exact's text form into e.
func (e *Exact) UnmarshalText(text []byte) error { return frame.UnmarshalText(e, text, errs) }

// ReadExactParams returns the parameters of the next encoded [Exact] in r. It
// reads only the header.
func ReadExactParams(r io.Reader, fam hashfam.Family) (ExactParams, error) {
	s, err := exactFormat.ReadHeader(r, fam)
	return s.ExactParams, err
}

// encode returns e's frame, or ErrParams if e is a zero Exact. It verifies the
// data of a view first, because the new checksum would hide any damage.
func (e *Exact) encode() (frame.Header, frame.Payload, error) {
	filter, class := e.filter.Shape(), e.class.Shape()
	if class.Columns == 0 {
		return frame.Header{}, nil, paramError("receiver", "zero", "an Exact that was built or decoded")
	}
	if err := e.Verify(); err != nil {
		return frame.Header{}, nil, err
	}
	p := e.params
	h := exactFormat.New(p.Family, exactHeader{
		Members: p.Members, Others: p.Others, Passed: class.Keys,
		FilterLayers: uint8(filter.Layers), ClassLayers: uint8(class.Layers),
	}, p.bytes)
	return h, ribbon.Concat(e.filter.Payload(), e.class.Payload()), nil
}

// decode decodes an Exact from r and replaces e with it. If there is an error,
// e is unchanged.
func (e *Exact) decode(r *frame.Reader) error {
	s, words, err := exactFormat.Read(r, e.params.Family)
	if err != nil {
		return err
	}
	decoded, err := s.levels(words)
	if err == nil {
		err = decoded.checkUnused()
	}
	if err == nil {
		*e = decoded
	}
	return err
}

// parseShape reads the parameters of a verified header.
func parseShape(h frame.Header, fam hashfam.Family) (exactShape, error) {
	var p exactHeader
	if err := h.DecodeParams(&p, errs); err != nil {
		return exactShape{}, err
	}
	s := exactShape{ExactParams: ExactParams{Members: p.Members, Others: p.Others, bytes: h.Payload, Family: fam}}
	rare, common := s.classes()
	s.filter = ribbon.Shape{Keys: rare, Columns: filterColumns(rare, common), Layers: int(p.FilterLayers)}
	s.class = ribbon.Shape{Keys: p.Passed, Columns: classColumns, Layers: int(p.ClassLayers)}
	return s, s.check()
}

// check returns ErrCorrupt if these numbers cannot come from two lists.
func (s exactShape) check() error {
	if s.Members > ribbon.MaxKeys {
		return errs.Field(hashfam.ErrCorrupt, "members", s.Members, "at most 2^48")
	}
	if s.Others > ribbon.MaxKeys {
		return errs.Field(hashfam.ErrCorrupt, "others", s.Others, "at most 2^48")
	}
	rare, common := s.classes()
	least, most := rare, rare+common
	switch {
	case rare == 0:
		most = 0
	case s.filter.Columns == 0:
		least = most
	}
	if s.class.Keys < least || s.class.Keys > most {
		return errs.Field(hashfam.ErrCorrupt, "keys that pass", s.class.Keys, fmt.Sprintf("%d to %d", least, most))
	}
	return checkShapes(s.bytes, s.filter, s.class)
}

// levels returns an Exact with shape s and the payload words, which it retains.
func (s exactShape) levels(words []uint64) (Exact, error) {
	filter, words, err := ribbon.Parse(s.filter, words, new(ribbon.Room), errs)
	if err != nil {
		return Exact{}, err
	}
	class, words, err := ribbon.Parse(s.class, words, new(ribbon.Room), errs)
	if err != nil {
		return Exact{}, err
	}
	e := Exact{params: s.ExactParams}
	e.set(&filter, &class)
	return e, checkRest(s.bytes, words)
}
