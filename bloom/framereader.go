package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A FrameReader answers from encodings of a [Filter], whatever its layout,
// without opening them: for the filter of a block or a footer that is asked
// once and then given back to a cache. Make one for each family with
// [NewFrameReader]. It keeps no frame, and may be copied and used by many
// goroutines.
type FrameReader struct{ frames frame.Glance }

// NewFrameReader returns a FrameReader of filters that were encoded under fam.
// O(1) time; it hashes once, so keep the FrameReader.
func NewFrameReader(fam hashfam.Family) FrameReader { return FrameReader{format.Glance(fam)} }

// ContainsDigest answers as [Filter.ContainsDigest] does, for the filter whose
// encoding is the whole of frame. d is a digest under the family of r, such as
// its Sum of a key. O(k) time, no allocation. The frame may be at any address,
// and the platform may be big-endian.
//
// The errors match those of [Filter.UnmarshalBinary], and the answer is then
// true, so that no key is lost. No frame makes ContainsDigest panic or read
// outside of it, but it does not compute checksums: a damaged frame can give
// wrong answers. To check one, use [Filter.UnmarshalBinary], or [View.Verify].
func (r FrameReader) ContainsDigest(frame []byte, d hashfam.Digest) (bool, error) {
	bits, rest, array, ok := r.frames.At(frame)
	k, layout := int(rest&0xff), Layout(rest>>8)
	ok = ok && k > 0 && rest>>16 == 0 && bits-1 < sizing.MaxBits && (bits+63)/64*8 == uint64(len(array))
	switch {
	case ok && layout == Blocked && bits%lineBits == 0:
		return inBlocked(array, bits/lineBits, k, d), nil
	case ok && layout == Classic:
		return inArray(array, bits, 0, k, d), nil
	case ok && layout == Partitioned && bits%uint64(k) == 0:
		return inArray(array, bits/uint64(k), bits/uint64(k), k, d), nil
	}
	return true, format.Refusal(r.frames, frame)
}

// inArray is hasClassic for an array of bytes if step is 0, and hasPartitioned
// if it is the range of a position. Bit i%64 of word i/64 is bit i%8 of byte
// i/8.
func inArray(array []byte, span, step uint64, k int, d hashfam.Digest) bool {
	base, missing := uint64(0), byte(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(span)
		missing |= ^array[i/8] >> (i % 8)
		base += step
	}
	return missing&1 == 0
}

// inBlocked is hasBlocked for an array of bytes.
func inBlocked(array []byte, lines uint64, k int, d hashfam.Digest) bool {
	line, missing := (*[lineBits / 8]byte)(array[d.Probe().In(lines)*(lineBits/8):]), byte(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= ^line[p>>58] >> (p >> 55 & 7)
	}
	return missing&1 == 0
}
