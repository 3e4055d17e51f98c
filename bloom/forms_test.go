package bloom

import (
	"encoding/binary"
	"iter"
)

// putUint64 returns the key of an integer.
func putUint64(i uint64) []byte { return binary.LittleEndian.AppendUint64(nil, i) }

// sequence yields all keys in the same buffer, like a scanner.
func sequence(keys [][]byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var buf []byte
		for _, key := range keys {
			if buf = append(buf[:0], key...); !yield(buf) {
				return
			}
		}
		clear(buf)
	}
}
