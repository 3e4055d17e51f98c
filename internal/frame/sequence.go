package frame

import (
	"encoding/binary"
	"hash/crc32"
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
	buf := h.append(make([]byte, 0, chunkBytes))
	crc, total := uint32(0), int64(0)
	flush := func() error {
		crc = crc32.Update(crc, castagnoli, buf)
		n, err := w.Write(buf)
		total += int64(n)
		if err == nil && n < len(buf) {
			err = io.ErrShortWrite
		}
		buf = buf[:0]
		return err
	}
	for word := range words {
		if cap(buf)-len(buf) < wordBytes {
			if err := flush(); err != nil {
				return total, err
			}
		}
		buf = binary.LittleEndian.AppendUint64(buf, word)
	}
	if err := flush(); err != nil {
		return total, err
	}
	buf = appendSum(buf, crc)
	err := flush()
	return total, err
}
