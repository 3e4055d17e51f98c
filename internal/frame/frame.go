// Package frame implements the binary format of all structures. docs/format.md
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
//	  24+p        zeros, so that the header is H bytes, a multiple of 64
//	   H-8     4  CRC-32C of everything above
//	   H-4     4  zero
//	     H     L  payload
//	   H+L     4  CRC-32C of everything above
//	 H+L+4     4  zero
//
// Since the header has its own checksum, a reader rejects a damaged length
// instead of using it. But anyone who can change a frame can also correct its
// checksums. Therefore, whatever length the header contains, a reader allocates
// memory only in proportion to the bytes that have arrived or that are known to
// follow.
//
// To read the code, start with frame.go, which parses and writes headers. The
// other files are
//
//   - headers.go: parameters that several kinds share
//   - format.go: what all encoders and decoders of a kind have in common
//   - read.go: frames in streams and in memory
//   - write.go: writing frames
//   - numbers.go, numbers_*.go: payloads of numbers
//   - identify.go: frames of any kind
package frame

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// Magic is the beginning of each frame.
const Magic = "\xf1fam"

const (
	fixedBytes = 24  // the header before the parameters
	sumBytes   = 8   // a checksum and four zero bytes
	alignment  = 64  // the payload begins at a multiple of this
	maxParams  = 256 // largest parameter length in bytes
	maxHeader  = (fixedBytes + maxParams + sumBytes + alignment - 1) / alignment * alignment
	chunkBytes = 1 << 16 // size of the pieces that are read and written
	wordBytes  = 8
)

// A Kind is a kind of structure.
type Kind uint8

const (
	Bloom Kind = 1 + iota
	Counting
	Cuckoo
	CountMin
	HeavyHitters
	TopK
	Static
	_ // no frame has kind 8
	PerfectFunction
	PerfectFilter
	ScalableBloom
	ScalableCuckoo
	RotatingBloom
	Window
	BloomDelta
	Journal
)

var kinds = [...]string{
	Bloom:           "a Bloom filter",
	Counting:        "a counting Bloom filter",
	Cuckoo:          "a cuckoo filter",
	CountMin:        "a count-min sketch",
	HeavyHitters:    "heavy hitters",
	TopK:            "a top k",
	Static:          "a static filter",
	PerfectFunction: "a minimal perfect hash function",
	PerfectFilter:   "a perfect hash filter",
	ScalableBloom:   "a scalable Bloom filter",
	ScalableCuckoo:  "a scalable cuckoo filter",
	RotatingBloom:   "a rotating Bloom filter",
	Window:          "a window of heavy hitters",
	BloomDelta:      "a Bloom filter delta",
	Journal:         "a journal",
}

// String returns the structure's name with an article.
func (k Kind) String() string {
	if int(k) < len(kinds) && kinds[k] != "" {
		return kinds[k]
	}
	return fmt.Sprintf("unknown kind %d", uint8(k))
}

// A Header describes a frame, except for the payload.
type Header struct {
	Kind    Kind
	Version uint8
	Check   uint64 // the family's check value
	Params  []byte // a multiple of 8 bytes
	Payload uint64 // bytes, a multiple of 8
}

// headerBytes returns the header length for p bytes of parameters.
func headerBytes(p int) int {
	return (fixedBytes + p + sumBytes + alignment - 1) / alignment * alignment
}

// Size returns the frame length in bytes.
func (h Header) Size() uint64 { return uint64(headerBytes(len(h.Params))) + h.Payload + sumBytes }

// CheckPayload returns ErrCorrupt unless the payload has want bytes.
func (h Header) CheckPayload(want uint64, m *fault.Maker) error {
	if h.Payload != want {
		return m.Field(hashfam.ErrCorrupt, "payload length", h.Payload, fmt.Sprint(want))
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crcOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

func appendSum(dst []byte, crc uint32) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(crc))
}

// append appends the encoded header, including its checksum.
func (h Header) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, Magic...)
	dst = append(dst, byte(h.Kind), h.Version)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(h.Params)))
	dst = binary.LittleEndian.AppendUint64(dst, h.Check)
	dst = binary.LittleEndian.AppendUint64(dst, h.Payload)
	dst = append(dst, h.Params...)
	for len(dst)-start < headerBytes(len(h.Params))-sumBytes {
		dst = append(dst, 0)
	}
	return appendSum(dst, crcOf(dst[start:]))
}

// parseFixed parses the first 24 bytes. It returns a header without parameters,
// and the length of the parameters.
func parseFixed(b []byte, m *fault.Maker) (Header, int, error) {
	if string(b[:4]) != Magic {
		return Header{}, 0, m.Field(hashfam.ErrCorrupt, "magic", fmt.Sprintf("% x", b[:4]), fmt.Sprintf("% x", Magic))
	}
	h := Header{
		Kind:    Kind(b[4]),
		Version: b[5],
		Check:   binary.LittleEndian.Uint64(b[8:]),
		Payload: binary.LittleEndian.Uint64(b[16:]),
	}
	p := int(binary.LittleEndian.Uint16(b[6:]))
	if p%wordBytes != 0 || p > maxParams {
		return Header{}, 0, m.Field(hashfam.ErrCorrupt, "parameter length", p, "a multiple of 8, at most 256")
	}
	if h.Payload%wordBytes != 0 || h.Payload > 1<<62 {
		return Header{}, 0, m.Field(hashfam.ErrCorrupt, "payload length", h.Payload, "a multiple of 8, at most 2^62")
	}
	return h, p, nil
}

// parseRest parses the whole header b, which contains p bytes of parameters.
// The parameters of the result share the memory of b.
func (h Header) parseRest(b []byte, p int, m *fault.Maker) (Header, error) {
	end := len(b) - sumBytes
	if err := checkSum("header checksum", b[end:], crcOf(b[:end]), m); err != nil {
		return Header{}, err
	}
	h.Params = b[fixedBytes : fixedBytes+p : fixedBytes+p]
	return h, checkPadding("header", b[fixedBytes+p:end], m)
}

// expect returns an error unless the frame has one of the wanted kinds, this
// family, and this version or an older one. If the kind has a higher number
// than all known ones, the error is ErrVersion, because a later version of this
// module may have written the frame.
func (h Header) expect(version uint8, check uint64, m *fault.Maker, wanted ...Kind) error {
	switch {
	case int(h.Kind) >= len(kinds):
		return m.Field(hashfam.ErrVersion, "kind", h.Kind, listed(wanted))
	case !slices.Contains(wanted, h.Kind):
		return m.Field(hashfam.ErrCorrupt, "kind", h.Kind, listed(wanted))
	case h.Version < 1 || h.Version > version:
		return m.Field(hashfam.ErrVersion, "version", h.Version, fmt.Sprint(version))
	case h.Check != check:
		return m.Field(hashfam.ErrFamily, "family", familyText(h.Check), familyText(check))
	}
	return nil
}

// listed returns the names of kinds.
func listed(kinds []Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return strings.Join(names, " or ")
}

// familyText returns the same text as Family.String, using only a check value.
func familyText(check uint64) string {
	public := hashfam.Family{}
	if check == public.CheckValue() {
		return public.String()
	}
	return fmt.Sprintf("keyed:%016x", check)
}

// checkSum compares the computed checksum with the stored one, which four zero
// bytes follow.
func checkSum(field string, stored []byte, crc uint32, m *fault.Maker) error {
	if got := binary.LittleEndian.Uint64(stored); got != uint64(crc) {
		return m.Field(hashfam.ErrCorrupt, field, fmt.Sprintf("%x", got), fmt.Sprintf("%x", crc))
	}
	return nil
}
