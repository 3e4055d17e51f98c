package frame

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

// AppendWords appends the frame of a payload of 64-bit words to dst and
// returns the extended slice; h.Payload is set from the words. It allocates
// once at most, where dst is too small.
func AppendWords(dst []byte, h Header, words []uint64) []byte {
	h.Payload = uint64(len(words)) * wordBytes
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	dst = appendPayload(dst, words)
	return appendSum(dst, crcOf(dst[start:]))
}

func appendPayload(dst []byte, words []uint64) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// WriteWords writes the bytes of [AppendWords] to w without building them in
// memory: it holds at most 64 KiB. It returns how many bytes were written and
// the writer's error.
func WriteWords(w io.Writer, h Header, words []uint64) (int64, error) {
	h.Payload = uint64(len(words)) * wordBytes
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
	for len(words) > 0 {
		n := min(len(words), (cap(buf)-len(buf))/wordBytes)
		buf = appendPayload(buf, words[:n])
		words = words[n:]
		if len(words) > 0 {
			if err := flush(); err != nil {
				return total, err
			}
		}
	}
	if err := flush(); err != nil {
		return total, err
	}
	buf = appendSum(buf, crc)
	err := flush()
	return total, err
}
