package frame

import (
	"encoding/binary"

	"github.com/filterfam/filterfam/hashfam"
)

// A Glance is what frames of one kind and family begin with: magic, kind,
// version and 16 bytes of parameters, and the family's check value.
type Glance struct{ first, check uint64 }

// Glance returns the first bytes of the frames that were encoded under fam and
// have 16 bytes of parameters.
func (f Format[P, T]) Glance(fam hashfam.Family) Glance {
	b := Header{Kind: f.Kind, Version: f.Version, Check: fam.CheckValue(), Params: make([]byte, 16)}.append(nil)
	return Glance{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

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
