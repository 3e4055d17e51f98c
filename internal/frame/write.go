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
	out, buf := summed{w: w}, h.append(make([]byte, 0, chunkBytes))
	for len(words) > 0 {
		n := min(len(words), (cap(buf)-len(buf))/wordBytes)
		buf = appendPayload(buf, words[:n])
		words = words[n:]
		if len(words) > 0 {
			if out.write(buf); out.err != nil {
				break
			}
			buf = buf[:0]
		}
	}
	out.write(buf)
	return out.end()
}

// A summed writer passes on what it is given, until the first error, and adds
// it to the checksum.
type summed struct {
	w     io.Writer
	crc   uint32
	total int64
	err   error
}

func (s *summed) write(b []byte) {
	if s.err != nil {
		return
	}
	s.crc = crc32.Update(s.crc, castagnoli, b)
	n, err := s.w.Write(b)
	s.total += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	s.err = err
}

// end writes the checksum, and returns how many bytes were written in all and
// the first error.
func (s *summed) end() (int64, error) {
	s.write(appendSum(nil, s.crc))
	return s.total, s.err
}
