package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A View is a filter that uses its encoding in place, for example in a mapped
// file. Make one with [NewView]. Its methods give the answers of the encoded
// filter at the same cost, and may run at the same time.
type View struct {
	reader
	encoded frame.View
	room    ribbon.Room
}

// NewView returns a view of the filter that data encodes under fam. It keeps
// data, which must not change, and must stay mapped, while the view is in use.
// It checks only the header and the sizes of the layers; [View.Verify] checks
// the rest. O(1) time, one allocation.
//
// The errors are those of [Filter.UnmarshalBinary]. NewView also returns
// [ErrParams] if the address of the payload is not a multiple of 8, and
// errors.ErrUnsupported on a big-endian platform or in a build with the tag
// purego.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, words, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	view := &View{encoded: v}
	view.reader, err = parse(p, words, &view.room)
	if err != nil {
		return nil, err
	}
	return view, nil
}

// Verify checks what decoding would check: the checksum of the whole encoding,
// and that the bits after the last threshold of each layer are zero. It returns
// [ErrCorrupt] if the data is damaged. O(n) time, no allocation.
func (v *View) Verify() error {
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.ribbon.Verify(errs)
}

// Decode returns a copy of the filter that shares no memory with v. It verifies
// the data first and returns [ErrCorrupt] if it is damaged. O(n) time, one
// allocation of the payload.
func (v *View) Decode() (*Filter, error) { return frame.Decode(v.encoded, NewReceiver(v.Family())) }

// MarshalText returns the text form of the filter, which [Filter.UnmarshalText]
// reads. O(n) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// A FrameReader answers from encodings of a [Filter] without opening them: for
// the filter of a block or a footer that is asked once and then given back to a
// cache. Make one for each family with [NewFrameReader]. It keeps no frame, and
// may be copied and used by many goroutines. It cannot be stored: make it again
// from its family.
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
	s := ribbon.Shape{Keys: keys, Columns: uint32(rest), Layers: int(rest >> 32)}
	if ok && s.Columns > 0 {
		if found, ok := ribbon.ContainsIn(s, payload, d); ok {
			return found, nil
		}
	}
	if r.frames.Zero() {
		errs.Zero("FrameReader", "NewFrameReader")
	}
	if err := format.Refusal(r.frames, frame); err != nil {
		return true, err
	}
	return true, errs.Field(ErrCorrupt, "payload length", len(payload), "that of its layers")
}
