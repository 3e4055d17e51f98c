package frame

import (
	"io"
	"slices"
)

// AppendBytes appends the frame of a payload of bytes, a multiple of 8, to dst
// and returns the extended slice; h.Payload is set from the bytes. It allocates
// once at most, where dst is too small.
func AppendBytes(dst []byte, h Header, payload []byte) []byte {
	h.Payload = uint64(len(payload))
	dst = slices.Grow(dst, int(h.Size()))
	start := len(dst)
	dst = h.append(dst)
	dst = append(dst, payload...)
	return appendSum(dst, crcOf(dst[start:]))
}

// WriteBytes writes the bytes of [AppendBytes] to w, the payload in one call
// and from where it is. It returns how many bytes were written and the
// writer's error.
func WriteBytes(w io.Writer, h Header, payload []byte) (int64, error) {
	h.Payload = uint64(len(payload))
	out := summed{w: w}
	out.write(h.append(nil))
	out.write(payload)
	return out.end()
}

// Bytes reads a payload of n bytes and the checksum behind it. Memory grows
// with what has arrived: at most twice that, and 64 KiB.
func (r *Reader) Bytes(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	payload := make([]byte, 0, min(n, max(r.have, chunkBytes)))
	for uint64(len(payload)) < n && r.err == nil {
		have, more := len(payload), int(min(n-uint64(len(payload)), chunkBytes))
		if cap(payload)-have < more {
			grown := make([]byte, have, min(n, 2*uint64(cap(payload))))
			copy(grown, payload)
			payload = grown
		}
		payload = payload[:have+more]
		r.fill(payload[have:])
	}
	r.sum("checksum")
	if r.err != nil {
		return nil
	}
	return payload
}
