package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A FrameReader answers from encodings of a [Filter] without opening them: for
// the filter of a block or a footer that is asked once and then given back to a
// cache. Make one for each family with [NewFrameReader]. It keeps no frame, and
// may be copied and used by many goroutines.
type FrameReader struct{ frames frame.Glance }

// NewFrameReader returns a FrameReader of filters that were encoded under fam.
// O(1) time; it hashes once, so keep the FrameReader.
func NewFrameReader(fam hashfam.Family) FrameReader { return FrameReader{format.Glance(fam)} }

// ContainsDigest answers as [Filter.ContainsDigest] does, for the filter whose
// encoding is the whole of frame. d is a digest under the family of r, such as
// its Sum of a key. O(log 1/FPRate) time, no allocation. The frame may be at
// any address, and the platform may be big-endian.
//
// The errors match those of [Filter.UnmarshalBinary], and the answer is then
// true, so that no key is lost. No frame makes ContainsDigest panic or read
// outside of it, but it computes no checksum and looks only at what it needs: a
// damaged frame can give wrong answers. To check one, use
// [Filter.UnmarshalBinary], or [View.Verify].
func (r FrameReader) ContainsDigest(frame []byte, d hashfam.Digest) (bool, error) {
	keys, rest, payload, ok := r.frames.At(frame)
	columns, layers := uint32(rest), int(rest>>32)&0xff
	if ok && rest>>40 == 0 && columns > 0 {
		if found, ok := ribbon.ContainsIn(columns, keys, layers, payload, d); ok {
			return found, nil
		}
	}
	if err := format.Refusal(r.frames, frame); err != nil {
		return true, err
	}
	return true, errs.Field(ErrCorrupt, "payload length", len(payload), "that of its layers")
}
