// Package frame stores every structure of filterfam in one binary form:
// little-endian, versioned, self-delimiting and checksummed. docs/format.md
// specifies it for readers in other languages.
//
//	offset  size  field
//	     0     4  magic, "\xf1fam"
//	     4     1  kind of structure
//	     5     1  version of that kind's encoding
//	     6     2  p, the length of the parameters, a multiple of 8
//	     8     8  check value of the hash family
//	    16     8  L, the length of the payload, a multiple of 8
//	    24     p  parameters
//	  24+p     4  CRC-32C of everything above
//	  28+p     4  zero
//	  32+p     L  payload
//	32+p+L     4  CRC-32C of everything above
//	36+p+L     4  zero
//
// The header has a checksum of its own, so that a damaged length is noticed
// before it is believed. A checksum is no signature: whoever forges a frame
// can forge it too. So a reader takes memory only in proportion to the bytes
// that have arrived, whatever the header claims.
package frame

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/filterfam/filterfam/internal/fault"
)

const (
	magic      = "\xf1fam"
	fixedBytes = 24  // the header before the parameters
	sumBytes   = 8   // a checksum and its padding
	maxParams  = 256 // longer parameters are refused
	chunkBytes = 1 << 16
	wordBytes  = 8
)

// Overhead is the size of a frame beyond its parameters and payload.
const Overhead = fixedBytes + 2*sumBytes

// A Kind says which structure a frame holds.
type Kind uint8

// The kinds of structure.
const (
	Bloom Kind = 1 + iota
	Counting
	Cuckoo
	CountMin
	HeavyHitters
	TopK
)

// A Header describes a frame: all of it but the payload.
type Header struct {
	Kind    Kind
	Version uint8
	Check   uint64 // the family's check value
	Params  []byte // a multiple of 8 bytes
	Payload uint64 // bytes, a multiple of 8
}

// Size returns the length of the whole frame in bytes.
func (h Header) Size() uint64 { return Overhead + uint64(len(h.Params)) + h.Payload }

// CheckPayload returns an error unless the payload has the length in bytes that
// follows from the parameters.
func (h Header) CheckPayload(want uint64) error {
	if h.Payload != want {
		return fault.Field(fault.ErrCorrupt, "payload length", h.Payload, fmt.Sprint(want))
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crcOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// appendSum appends a checksum and its four zero bytes.
func appendSum(dst []byte, crc uint32) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(crc))
}

// append appends the encoded header with its checksum.
func (h Header) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, magic...)
	dst = append(dst, byte(h.Kind), h.Version)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(h.Params)))
	dst = binary.LittleEndian.AppendUint64(dst, h.Check)
	dst = binary.LittleEndian.AppendUint64(dst, h.Payload)
	dst = append(dst, h.Params...)
	return appendSum(dst, crcOf(dst[start:]))
}

// parseFixed reads the first 24 bytes and returns the header without its
// parameters, and their length.
func parseFixed(b []byte) (Header, int, error) {
	if string(b[:4]) != magic {
		return Header{}, 0, fault.Field(fault.ErrCorrupt, "magic", b[:4:4], "f1 66 61 6d")
	}
	h := Header{
		Kind:    Kind(b[4]),
		Version: b[5],
		Check:   binary.LittleEndian.Uint64(b[8:]),
		Payload: binary.LittleEndian.Uint64(b[16:]),
	}
	p := int(binary.LittleEndian.Uint16(b[6:]))
	if p%wordBytes != 0 || p > maxParams {
		return Header{}, 0, fault.Field(fault.ErrCorrupt, "parameter length", p, "a multiple of 8, at most 256")
	}
	if h.Payload%wordBytes != 0 || h.Payload > 1<<62 {
		return Header{}, 0, fault.Field(fault.ErrCorrupt, "payload length", h.Payload, "a multiple of 8, at most 2^62")
	}
	return h, p, nil
}

// checkSum compares a stored checksum, with its padding, to the computed one.
func checkSum(field string, stored []byte, crc uint32) error {
	if got := binary.LittleEndian.Uint64(stored); got != uint64(crc) {
		return fault.Field(fault.ErrCorrupt, field, got, "the CRC-32C of what precedes it")
	}
	return nil
}
