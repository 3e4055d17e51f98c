package frame

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// ArrayVersion is the version of frames with an [Array]. It is declared here,
// and not in the packages of the structures, because package filterbeam writes
// such frames in parts, without a structure, using [Array.Header].
const ArrayVersion = 1

// An Array holds parameters of Bloom filters and counting Bloom filters. The
// payload is the array in 64-bit words.
//
//	offset  size  field
//	     0     8  Cells
//	     8     1  Hashes
//	     9     1  Layout
//	    10     6  zero
type Array struct {
	Kind   Kind
	Cells  uint64 // bits, or 4-bit counters
	Hashes int
	Layout uint8
}

// Words returns the payload length in 64-bit words.
func (a Array) Words() uint64 {
	perWord := uint64(64)
	if a.Kind == Counting {
		perWord = 16
	}
	return a.Cells/perWord + (a.Cells%perWord+perWord-1)/perWord
}

// Header returns a frame header with the given family check value.
func (a Array) Header(check uint64) Header {
	b := EncodeParams([]uint64{a.Cells, uint64(uint8(a.Hashes)) | uint64(a.Layout)<<8})
	return Header{Kind: a.Kind, Version: ArrayVersion, Check: check, Params: b, Payload: wordBytes * a.Words()}
}

// ParseArray parses a verified header. The caller must check the values, and
// then call [Header.CheckPayload].
func ParseArray(h Header, m *fault.Maker) (Array, error) {
	w, err := h.Words(m, 64, 16)
	return Array{h.Kind, w[0], int(w[1] & 0xff), uint8(w[1] >> 8)}, err
}

// Words returns the parameters as 64-bit words. used contains, for each word,
// the number of low bits that belong to fields. Words returns ErrCorrupt if
// another bit is set, or if the number of words differs.
//
// Unlike [Header.DecodeParams], Words does not allocate memory, unless it
// returns an error.
func (h Header) Words(m *fault.Maker, used ...int) ([4]uint64, error) {
	var words [4]uint64
	if err := h.checkLength(wordBytes*len(used), m); err != nil {
		return words, err
	}
	for i, n := range used {
		words[i] = binary.LittleEndian.Uint64(h.Params[wordBytes*i:])
		if rest := words[i] >> n; rest != 0 {
			at := wordBytes*i + (n+bits.TrailingZeros64(rest))/8
			return [4]uint64{}, h.notZero(at, m)
		}
	}
	return words, nil
}

// checkLength returns ErrCorrupt unless there are want bytes of parameters.
func (h Header) checkLength(want int, m *fault.Maker) error {
	if len(h.Params) != want {
		return m.Field(hashfam.ErrCorrupt, "parameter length", len(h.Params), fmt.Sprint(want))
	}
	return nil
}

// notZero returns ErrCorrupt for a byte of the parameters that belongs to no
// field.
func (h Header) notZero(i int, m *fault.Maker) error {
	return m.Field(hashfam.ErrCorrupt, fmt.Sprintf("byte %d of the parameters", i), h.Params[i], "0")
}

// EncodeParams encodes words, or a struct with fields of fixed size. Blank
// fields are zeros.
func EncodeParams(fields any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, fields)
	if err != nil {
		panic(err) // a field without a fixed size
	}
	return b
}

// DecodeParams is the inverse of [EncodeParams]. fields is a pointer to the
// struct. DecodeParams returns ErrCorrupt if the length differs, a blank field
// is not zero, or a bool is not 0 or 1.
func (h Header) DecodeParams(fields any, m *fault.Maker) error {
	if err := h.checkLength(binary.Size(fields), m); err != nil {
		return err
	}
	return h.decode(fields, m)
}

// DecodeFirst is like DecodeParams, but more parameters can follow, which it
// returns.
func (h Header) DecodeFirst(fields any, m *fault.Maker) ([]byte, error) {
	size := binary.Size(fields)
	if len(h.Params) < size {
		return nil, m.Field(hashfam.ErrCorrupt, "parameter length", len(h.Params), fmt.Sprintf("at least %d", size))
	}
	return h.Params[size:], h.decode(fields, m)
}

// decode decodes fields from the first parameters, which are long enough.
func (h Header) decode(fields any, m *fault.Maker) error {
	if _, err := binary.Decode(h.Params, binary.LittleEndian, fields); err != nil {
		return err // never: the length is right
	}
	for i, b := range EncodeParams(fields) {
		if b != h.Params[i] {
			return h.notZero(i, m)
		}
	}
	return nil
}
