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
	b := appendWords(a.Cells, uint64(uint8(a.Hashes))|uint64(a.Layout)<<8)
	return Header{Kind: a.Kind, Version: ArrayVersion, Check: check, Params: b, Payload: wordBytes * a.Words()}
}

// ParseArray reads the parameters of a verified header. The caller checks their
// values, and then by [Header.CheckPayload] the length of the payload.
func ParseArray(h Header, m *fault.Maker) (Array, error) {
	w, err := h.Words(m, 64, 16)
	return Array{h.Kind, w[0], int(w[1] & 0xff), uint8(w[1] >> 8)}, err
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
	b := appendWords(r.Keys, uint64(r.Columns)|uint64(uint8(r.Layers))<<32)
	return Header{Kind: Static, Version: RibbonVersion, Check: check, Params: b, Payload: payload}
}

// ParseRibbon reads the parameters of a verified header. The caller checks
// their values.
func ParseRibbon(h Header, m *fault.Maker) (Ribbon, error) {
	w, err := h.Words(m, 64, 40)
	return Ribbon{w[0], uint32(w[1]), int(w[1] >> 32)}, err
}

// appendWords returns the parameters of a header from words.
func appendWords(words ...uint64) []byte {
	b := make([]byte, 0, wordBytes*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// Words returns the parameters of a verified header in words, one for each of
// bits, the number of its lower bits that are used. It returns ErrCorrupt if
// they have another length or if a bit that is not used is not zero.
func (h Header) Words(m *fault.Maker, bits ...uint) (words [3]uint64, err error) {
	valid := len(h.Params) == wordBytes*len(bits)
	for i := 0; valid && i < len(bits); i++ {
		words[i] = binary.LittleEndian.Uint64(h.Params[wordBytes*i:])
		valid = words[i]>>bits[i] == 0
	}
	if !valid {
		return [3]uint64{}, m.Field(hashfam.ErrCorrupt, "parameters", fmt.Sprintf("% x", h.Params),
			fmt.Sprintf("%d bytes, with zeros where there is no field", wordBytes*len(bits)))
	}
	return words, nil
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

// Shortest returns h, of version 2, as version 1, which does not have the last
// word of the parameters, if that word is zero.
func (h Header) Shortest() Header {
	if n := len(h.Params) - wordBytes; binary.LittleEndian.Uint64(h.Params[n:]) == 0 {
		h.Version, h.Params = 1, h.Params[:n]
	}
	return h
}

// DecodeLongest is the inverse of [EncodeParams] and [Header.Shortest]. It
// returns ErrVersion if h has the parameters of the other version.
func (h Header) DecodeLongest(fields any, m *fault.Maker) error {
	short := binary.Size(fields) - wordBytes
	switch n := len(h.Params); {
	case h.Version == 2 && n == short, h.Version < 2 && n == short+wordBytes:
		return m.Field(hashfam.ErrVersion, "version", h.Version, fmt.Sprintf("1 for %d bytes of parameters, 2 for %d", short, short+wordBytes))
	case n == short:
		h.Params = append(h.Params[:n:n], make([]byte, wordBytes)...)
	case n == short+wordBytes && binary.LittleEndian.Uint64(h.Params[short:]) == 0:
		return m.Field(hashfam.ErrCorrupt, "the last parameter", 0, "above 0, or version 1")
	}
	return h.DecodeParams(fields, m)
}
