package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// This file has the headers of structures that are also written without being
// built, by jobs that hold only pieces of them.

// The versions of these encodings.
const (
	ArrayVersion  = 1
	RibbonVersion = 1
)

// An Array has the parameters of a frame of kind Bloom or Counting. The payload
// is the array in 64-bit words.
//
//	offset  size  field
//	     0     8  Cells
//	     8     1  Hashes
//	     9     1  Layout
//	    10     6  zero
type Array struct {
	Kind   Kind
	Cells  uint64 // bits of a Bloom filter, 4-bit counters of a counting one
	Hashes int
	Layout uint8
}

// Words returns the number of 64-bit words in the payload.
func (a Array) Words() uint64 {
	perWord := uint64(64)
	if a.Kind == Counting {
		perWord = 16
	}
	return a.Cells/perWord + (a.Cells%perWord+perWord-1)/perWord
}

// Header returns the header of a's frame under the family with the given check
// value.
func (a Array) Header(check uint64) Header {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), a.Cells)
	b = append(b, byte(a.Hashes), a.Layout, 0, 0, 0, 0, 0, 0)
	return Header{Kind: a.Kind, Version: ArrayVersion, Check: check, Params: b, Payload: wordBytes * a.Words()}
}

// ParseArray reads the parameters of a verified header. The caller checks their
// values, and then by [Header.CheckPayload] the length of the payload.
func ParseArray(h Header, m *fault.Maker) (Array, error) {
	if err := h.checkParams(10, m); err != nil {
		return Array{}, err
	}
	b := h.Params
	return Array{h.Kind, binary.LittleEndian.Uint64(b), int(b[8]), b[9]}, nil
}

// A Ribbon has the parameters of a frame of kind Static.
//
//	offset  size  field
//	     0     8  Keys
//	     8     4  Columns
//	    12     1  Layers
//	    13     3  zero
type Ribbon struct {
	Keys    uint64
	Columns uint32
	Layers  int
}

// Header returns the header of r's frame under the family with the given check
// value, if the payload has that many bytes.
func (r Ribbon) Header(check, payload uint64) Header {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), r.Keys)
	b = binary.LittleEndian.AppendUint32(b, r.Columns)
	b = append(b, byte(r.Layers), 0, 0, 0)
	return Header{Kind: Static, Version: RibbonVersion, Check: check, Params: b, Payload: payload}
}

// ParseRibbon reads the parameters of a verified header. The caller checks
// their values.
func ParseRibbon(h Header, m *fault.Maker) (Ribbon, error) {
	if err := h.checkParams(13, m); err != nil {
		return Ribbon{}, err
	}
	b := h.Params
	return Ribbon{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), int(b[12])}, nil
}

// checkParams returns ErrCorrupt unless h has 16 bytes of parameters that are
// zero after the first n.
func (h Header) checkParams(n int, m *fault.Maker) error {
	if b := h.Params; len(b) != 16 || !bytes.Equal(b[n:], make([]byte, 16-n)) {
		return m.Field(hashfam.ErrCorrupt, "parameters", fmt.Sprintf("% x", b),
			fmt.Sprintf("16 bytes, the last %d of them zero", 16-n))
	}
	return nil
}

// EncodeParams returns the parameters of a header from a struct of numbers of
// fixed size: its fields, one after another, with zeros for blank fields.
func EncodeParams(fields any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, fields)
	if err != nil {
		panic(err) // a field has no fixed size
	}
	return b
}

// DecodeParams is the inverse of [EncodeParams]: it sets fields, a pointer to
// the struct, from the parameters of a verified header. It returns ErrCorrupt
// if they have another length or if a blank field is not zero.
func (h Header) DecodeParams(fields any, m *fault.Maker) error {
	_, err := binary.Decode(h.Params, binary.LittleEndian, fields)
	if err != nil || !bytes.Equal(EncodeParams(fields), h.Params) {
		return m.Field(hashfam.ErrCorrupt, "parameters", fmt.Sprintf("% x", h.Params),
			fmt.Sprintf("%d bytes, with zeros where there is no field", binary.Size(fields)))
	}
	return nil
}
