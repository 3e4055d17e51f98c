package frame

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
)

// A number is a payload element. Its bytes are in little-endian order.
type number interface {
	uint8 | uint16 | uint32 | uint64
}

func sizeOf[T number]() int { return bits.Len64(uint64(^T(0))) / 8 }

// A Payload iterates over pieces of the payload's bytes. The iterator may reuse
// the memory of a piece, so a piece is valid only until the next one.
type Payload = iter.Seq[[]byte]

// Numbers returns the payload of values, padded with zeros to a multiple of 8
// bytes. It uses a buffer of up to 64 KiB.
func Numbers[T number](values []T) Payload {
	return func(yield func([]byte) bool) {
		var buf []byte
		size := sizeOf[T]()
		for rest := values; len(rest) > 0; {
			n := min(len(rest), chunkBytes/size)
			piece, ok := bytesOf(rest[:n])
			if !ok {
				buf, _ = binary.Append(slices.Grow(buf[:0], n*size), binary.LittleEndian, rest[:n])
				piece = buf
			}
			if !yield(piece) {
				return
			}
			rest = rest[n:]
		}
		if over := len(values) * size % wordBytes; over != 0 {
			yield(make([]byte, wordBytes-over))
		}
	}
}

// Words returns a payload of n words. It uses a buffer of up to 64 KiB.
func Words(n uint64, words iter.Seq[uint64]) Payload {
	return func(yield func([]byte) bool) {
		buf := make([]byte, 0, wordBytes*min(n, chunkBytes/wordBytes))
		for w := range words {
			buf = binary.LittleEndian.AppendUint64(buf, w)
			if len(buf) == chunkBytes {
				if !yield(buf) {
					return
				}
				buf = buf[:0]
			}
		}
		if len(buf) > 0 {
			yield(buf)
		}
	}
}
