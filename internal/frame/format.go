package frame

import (
	"encoding/binary"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A Format describes how a structure is encoded. P is the type of the parsed
// header, and T is the type of the payload's numbers.
type Format[P any, T number] struct {
	Kind    Kind
	Also    Kind // another kind that can be read, or 0
	Version uint8
	Errs    *fault.Maker // creates errors of the structure's package

	// Parse parses a header with a correct checksum. It returns an error if the
	// parameters are invalid, or if the payload does not have the length that
	// they require.
	Parse func(h Header, fam hashfam.Family) (P, error)
}

// New returns a header for a payload of the given length in bytes. params is a
// struct of numbers; see [EncodeParams].
func (f Format[P, T]) New(fam hashfam.Family, params any, payload uint64) Header {
	return Header{f.Kind, f.Version, fam.CheckValue(), EncodeParams(params), payload}
}

// NewWords is like New, but with 64-bit words as parameters.
func (f Format[P, T]) NewWords(fam hashfam.Family, payload uint64, words ...uint64) Header {
	return f.New(fam, words, payload)
}

// Header reads a header that was encoded with fam. It returns the result of
// Parse and the number of bytes in the payload. After an error, P is zero.
func (f Format[P, T]) Header(r *Reader, fam hashfam.Family) (P, uint64, error) {
	var zero P
	h := r.HeaderOf(f.Version, fam.CheckValue(), f.kinds()...)
	if r.err != nil {
		return zero, 0, r.err
	}
	p, err := f.Parse(h, fam)
	if err != nil {
		return zero, 0, err
	}
	return p, h.Payload, nil
}

// kinds returns the kinds that can be read.
func (f Format[P, T]) kinds() []Kind {
	if f.Also == 0 {
		return []Kind{f.Kind}
	}
	return []Kind{f.Kind, f.Also}
}

// ReadHeader is like Header for a stream, of which it reads only the header.
func (f Format[P, T]) ReadHeader(r io.Reader, fam hashfam.Family) (P, error) {
	p, _, err := f.Header(NewReader(r, f.Errs), fam)
	return p, err
}

// Read reads the header and, using the function [Read], the payload.
func (f Format[P, T]) Read(r *Reader, fam hashfam.Family) (P, []T, error) {
	p, bytes, err := f.Header(r, fam)
	if err == nil {
		err = f.Errs.Fits(hashfam.ErrCorrupt, "payload length", bytes, bytes)
	}
	if err != nil {
		return p, nil, err
	}
	values := Read[T](r, bytes/uint64(sizeOf[T]()))
	return p, values, r.err
}

// View returns a view of data, the parsed header, and the payload, which shares
// the memory of data. It checks only the header.
func (f Format[P, T]) View(data []byte, fam hashfam.Family) (View, P, []T, error) {
	var p P
	v, err := NewView(data, f.Kind, f.Version, fam.CheckValue(), f.Errs)
	if err == nil {
		p, err = f.Parse(v.Header, fam)
	}
	if err != nil {
		return View{}, p, nil, err
	}
	values, err := In[T](v, v.Payload/uint64(sizeOf[T]()))
	return v, p, values, err
}

// A Glance recognizes frames with few instructions, for structures that query a
// frame without decoding it. It holds the first 16 bytes of a frame, which are
// the same in all frames that have the same kind, version, family and length of
// the parameters. This length must be from 16 to 32 bytes.
type Glance struct{ first, check uint64 }

// Glance returns the Glance for frames that were encoded with fam and have
// params bytes of parameters.
func (f Format[P, T]) Glance(fam hashfam.Family, params int) Glance {
	b := Header{Kind: f.Kind, Version: f.Version, Check: fam.CheckValue(), Params: make([]byte, params)}.append(nil)
	return Glance{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// Made reports whether g is not the zero value. The first byte of a frame is
// never zero.
func (g Glance) Made() bool { return g.first != 0 }

const glanceHeader = 64

// At returns the first two 64-bit parameters and the payload of the frame in
// data. ok reports whether the first 16 bytes, the payload length and the
// padding of the header are valid, and whether all further parameters are zero.
// At computes no checksum.
func (g Glance) At(data []byte) (a, b uint64, payload []byte, ok bool) {
	if len(data) < glanceHeader+sumBytes {
		return 0, 0, nil, false
	}
	le := binary.LittleEndian
	h := (*[glanceHeader]byte)(data)
	length := uint64(len(data) - glanceHeader - sumBytes)
	ok = le.Uint64(h[0:]) == g.first && le.Uint64(h[8:]) == g.check && le.Uint64(h[16:]) == length &&
		length%wordBytes == 0 && le.Uint64(h[40:])|le.Uint64(h[48:])|le.Uint64(h[56:])>>32 == 0
	return le.Uint64(h[24:]), le.Uint64(h[32:]), data[glanceHeader : glanceHeader+length], ok
}

// Refusal is called for data that [Glance.At] or its caller has refused. It
// returns the error of the header. If the header is valid, Refusal returns the
// parsed header instead, so that the caller can say what else is wrong.
func (f Format[P, T]) Refusal(g Glance, data []byte) (P, error) {
	v, err := NewView(data, f.Kind, f.Version, g.check, f.Errs)
	if err != nil {
		var none P
		return none, err
	}
	return f.Parse(v.Header, hashfam.Family{})
}
