package perfect

import (
	"encoding/binary"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in frames of the kinds PerfectFunction and PerfectFilter,
// version 1. Those of a Function have zeros from offset 16 to 23. The payload
// is that of the mapping, and then, in a Filter, the slots.
//
//	offset  size  field
//	     0     8  Keys
//	     8     1  Compact: 0 or 1
//	     9     1  k, the number of levels of buckets
//	    10     2  zero
//	    12     4  seed of the last level
//	    16     4  bits of a slot in 1/65536
//	    20     1  ValueBits
//	    21     3  zero
//	    24    8k  number of keys of each level after the first
const (
	version    = 1
	fixedBytes = 24
)

// formatOf returns the format of a kind.
func formatOf(kind frame.Kind) frame.Format[layout, byte] {
	return frame.Format[layout, byte]{
		Kind: kind, Version: version, Errs: errs, Parse: parseHeader,
		Len: func(l layout) uint64 { return l.bytes() },
	}
}

// header returns the header of a frame of layout l.
func (l *layout) header(kind frame.Kind, fam hashfam.Family) frame.Header {
	b := make([]byte, fixedBytes, fixedBytes+8*len(l.bumped))
	binary.LittleEndian.PutUint64(b, l.keys)
	if l.compact {
		b[8] = 1
	}
	b[9] = byte(len(l.bumped))
	binary.LittleEndian.PutUint32(b[12:], l.seed)
	binary.LittleEndian.PutUint32(b[16:], uint32(l.slots.width))
	b[20] = byte(l.slots.value)
	for _, n := range l.bumped {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return frame.Header{
		Kind:    kind,
		Version: version,
		Check:   fam.CheckValue(),
		Params:  b,
		Payload: l.bytes(),
	}
}

// parseHeader reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseHeader(h frame.Header, _ hashfam.Family) (layout, error) {
	b := h.Params
	if len(b) < fixedBytes || len(b) != fixedBytes+8*int(b[9]) || b[8] > 1 || b[10]|b[11]|b[21]|b[22]|b[23] != 0 {
		return layout{}, errs.Field(ErrCorrupt, "parameters", fmt.Sprintf("% x", b),
			"24 bytes and 8 for each level, with zeros at 10, 11 and 21 to 23")
	}
	l := layout{
		keys:    binary.LittleEndian.Uint64(b),
		compact: b[8] == 1,
		seed:    binary.LittleEndian.Uint32(b[12:]),
		slots:   slotSize{uint64(binary.LittleEndian.Uint32(b[16:])), uint(b[20])},
	}
	for at := fixedBytes; at < len(b); at += 8 {
		l.bumped = append(l.bumped, binary.LittleEndian.Uint64(b[at:]))
	}
	if err := l.check(); err != nil {
		return layout{}, err
	}
	if err := l.slots.check(h.Kind); err != nil {
		return layout{}, err
	}
	return l, h.CheckPayload(l.bytes(), errs)
}
