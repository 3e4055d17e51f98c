package frame

import (
	"encoding/binary"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A Format is the encoding of one kind of structure. P is what its header tells
// of the structure, such as its parameters, and T is a number of its payload.
type Format[P any, T number] struct {
	Kind    Kind
	Version uint8
	Errs    *fault.Maker // of the package that has the structure

	// Parse reads the parameters of a verified header. It returns an error if
	// they are invalid, or if the payload does not have the length that follows
	// from them.
	Parse func(h Header, fam hashfam.Family) (P, error)

	// Len returns how many numbers the payload has.
	Len func(P) uint64

	// Fits returns an error with the given reason if this platform cannot hold
	// the structure. It may be nil.
	Fits func(p P, reason error) error
}

// New returns the header of a structure with a payload of that many bytes.
// params is a struct of numbers, as for [EncodeParams].
func (f Format[P, T]) New(fam hashfam.Family, params any, payload uint64) Header {
	return Header{f.Kind, f.Version, fam.CheckValue(), EncodeParams(params), payload}
}

// NewWords is New for parameters in words.
func (f Format[P, T]) NewWords(fam hashfam.Family, payload uint64, words ...uint64) Header {
	return Header{f.Kind, f.Version, fam.CheckValue(), appendWords(words...), payload}
}

// Header reads the header of a structure that was encoded under fam.
func (f Format[P, T]) Header(r *Reader, fam hashfam.Family) (P, error) {
	h := r.Header(f.Kind, f.Version, fam.CheckValue())
	if r.err != nil {
		var none P
		return none, r.err
	}
	return f.Parse(h, fam)
}

// ReadHeader is Header for a stream of which it reads no more than the header.
func (f Format[P, T]) ReadHeader(r io.Reader, fam hashfam.Family) (P, error) {
	return f.Header(NewReader(r, f.Errs), fam)
}

// Read reads the header and the payload of a structure that was encoded under
// fam. It reads the payload as [Read] does.
func (f Format[P, T]) Read(r *Reader, fam hashfam.Family) (P, []T, error) {
	p, err := f.Header(r, fam)
	if err == nil && f.Fits != nil {
		err = f.Fits(p, hashfam.ErrCorrupt)
	}
	if err != nil {
		return p, nil, err
	}
	values := Read[T](r, f.Len(p))
	return p, values, r.err
}

// View returns the frame that is the whole of data, what its header tells, and
// its payload, which shares the memory of data. Only the header has been
// checked.
func (f Format[P, T]) View(data []byte, fam hashfam.Family) (View, P, []T, error) {
	var p P
	v, err := NewView(data, f.Kind, f.Version, fam.CheckValue(), f.Errs)
	if err == nil {
		p, err = f.Parse(v.Header, fam)
	}
	if err != nil {
		return View{}, p, nil, err
	}
	values, err := In[T](v, f.Len(p))
	return v, p, values, err
}

// A Glance is what frames of one kind and family begin with: magic, kind,
// version and 16 bytes of parameters, and the family's check value.
type Glance struct{ first, check uint64 }

// Glance returns the first bytes of the frames that were encoded under fam and
// have 16 bytes of parameters.
func (f Format[P, T]) Glance(fam hashfam.Family) Glance {
	b := Header{Kind: f.Kind, Version: f.Version, Check: fam.CheckValue(), Params: make([]byte, 16)}.append(nil)
	return Glance{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// Zero reports whether g is zero, and was not made by a Format.
func (g Glance) Zero() bool { return g.first == 0 }

// glanceHeader is the length of a header with 16 bytes of parameters.
const glanceHeader = 64

// At returns the parameters of the frame that is the whole of data, as two
// numbers, and its payload. It reports whether the fixed part, the padding and
// the length of the frame are valid. It takes two nanoseconds, since it does
// not compute a checksum, not even that of the header.
func (g Glance) At(data []byte) (a, b uint64, payload []byte, ok bool) {
	if len(data) < glanceHeader+sumBytes {
		return 0, 0, nil, false
	}
	h, le := (*[glanceHeader]byte)(data), binary.LittleEndian
	length := uint64(len(data) - glanceHeader - sumBytes)
	ok = le.Uint64(h[0:]) == g.first && le.Uint64(h[8:]) == g.check && le.Uint64(h[16:]) == length &&
		length%wordBytes == 0 && le.Uint64(h[40:])|le.Uint64(h[48:])|le.Uint64(h[56:])>>32 == 0
	return le.Uint64(h[24:]), le.Uint64(h[32:]), data[glanceHeader : glanceHeader+length], ok
}

// Refusal returns the error of opening the frame that is the whole of data,
// which g has refused, or whose parameters are invalid.
func (f Format[P, T]) Refusal(g Glance, data []byte) error {
	v, err := NewView(data, f.Kind, f.Version, g.check, f.Errs)
	if err == nil {
		_, err = f.Parse(v.Header, hashfam.Family{})
	}
	return err
}
