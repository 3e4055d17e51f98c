package frame

import (
	"encoding/binary"
	"iter"
	"slices"
)

// A number is an element of a payload. Its bytes are in little-endian order.
type number interface {
	uint8 | uint16 | uint32 | uint64
}

// sizeOf returns the size of a number in bytes.
func sizeOf[T number]() int {
	switch any(T(0)).(type) {
	case uint8:
		return 1
	case uint16:
		return 2
	case uint32:
		return 4
	}
	return 8
}

// A Payload yields the bytes of a payload in pieces. A piece is valid until the
// next one is yielded.
type Payload = iter.Seq[[]byte]

// Numbers returns the payload of the values, padded with zeros to a multiple of
// 8 bytes. It uses at most 64 KiB of memory.
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

// Words returns the payload of a sequence of words.
func Words(words iter.Seq[uint64]) Payload {
	return func(yield func([]byte) bool) {
		buf := make([]byte, 0, chunkBytes)
		for w := range words {
			if len(buf) == chunkBytes {
				if !yield(buf) {
					return
				}
				buf = buf[:0]
			}
			buf = binary.LittleEndian.AppendUint64(buf, w)
		}
		if len(buf) > 0 {
			yield(buf)
		}
	}
}
