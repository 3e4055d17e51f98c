package frame

import (
	"encoding/binary"
	"io"
	"iter"
	"slices"
)

// AppendSeq is [AppendWords] for a payload that is not a slice of words as it
// stands. h.Payload says how long it is: words yields that many bytes.
func AppendSeq(dst []byte, h Header, words iter.Seq[uint64]) []byte {
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	for w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return appendSum(dst, crcOf(dst[start:]))
}

// WriteSeq writes the bytes of [AppendSeq] to w without building them in
// memory, as [WriteWords] does.
func WriteSeq(w io.Writer, h Header, words iter.Seq[uint64]) (int64, error) {
	out, buf := summed{w: w}, h.append(make([]byte, 0, chunkBytes))
	for word := range words {
		if cap(buf)-len(buf) < wordBytes {
			if out.write(buf); out.err != nil {
				break
			}
			buf = buf[:0]
		}
		buf = binary.LittleEndian.AppendUint64(buf, word)
	}
	out.write(buf)
	return out.end()
}
