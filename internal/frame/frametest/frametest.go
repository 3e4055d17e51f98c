// Package frametest helps to test encoders and decoders. It damages and changes
// frames, corrects their checksums, compares them with golden files, and fuzzes
// decoders. It contains the numbers of docs/format.md again instead of using
// package frame. Therefore a changed format will be noticed.
package frametest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const magic = "\xf1fam"

// Offsets in a frame.
const (
	Kind     = 4
	Version  = 5
	paramLen = 6
	Payload  = 16 // the length of the payload
	Params   = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// HeaderLen returns the length of a frame's header.
func HeaderLen(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[paramLen:]))
	return (Params + p + 8 + 63) / 64 * 64
}

// Len returns the length of the first frame in b, or len(b) if the frame is
// longer.
func Len(b []byte) int {
	if len(b) >= Params {
		n := binary.LittleEndian.Uint64(b[Payload:])
		if size := uint64(HeaderLen(b)) + 8; n <= uint64(len(b)) && size+n <= uint64(len(b)) {
			return int(size + n)
		}
	}
	return len(b)
}

// Seal returns a copy of the first frame in b with correct checksums, so that a
// decoder will check the rest. Frames in the payload are corrected, too.
func Seal(b []byte) []byte {
	b = bytes.Clone(b[:Len(b)])
	for i := (len(b) - Params) &^ 7; i >= 0; i -= 8 { // inner frames come first
		f := b[i:][:Len(b[i:])]
		if header := HeaderLen(f); header+8 <= len(f) && (i == 0 || bytes.HasPrefix(f, []byte(magic))) {
			for _, end := range []int{header - 8, len(f) - 8} {
				binary.LittleEndian.PutUint32(f[end:], crc32.Checksum(f[:end], castagnoli))
			}
		}
	}
	return b
}

// Set returns a copy of a frame with other words at some offsets and correct
// checksums.
func Set(b []byte, words map[int]uint64) []byte {
	b = bytes.Clone(b)
	for at, word := range words {
		binary.LittleEndian.PutUint64(b[at:], word)
	}
	return Seal(b)
}

// Damage calls do with damaged copies of a frame. The frame is truncated
// anywhere, or a bit is flipped: each bit in the header and at the end, and one
// bit in each other byte, since a checksum covers them.
func Damage(b []byte, do func(bad []byte)) {
	for i := range b {
		do(b[:i])
	}
	for i := range 8 * len(b) {
		at, bit := i/8, i%8
		if at < HeaderLen(b)+8 || at >= len(b)-16 || bit == at%8 {
			bad := bytes.Clone(b)
			bad[at] ^= 1 << bit
			do(bad)
		}
	}
}
