package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A View is a read-only filter that uses its encoding in place, for example in
// a mapped file. Use [NewView] to create one.
type View struct {
	reader
	encoded frame.View
	room    ribbon.Room
}

// NewView returns a view of the filter that data encodes. It checks only the
// header and the sizes of the layers. See Views in package [hashfam].
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

// Verify checks all the data, including its checksum. It returns [ErrCorrupt]
// if the data is damaged.
func (v *View) Verify() error {
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.ribbon.Verify(errs)
}

// Decode verifies the data and returns a deep copy of the filter. It returns
// [ErrCorrupt] if the data is damaged.
func (v *View) Decode() (*Filter, error) { return frame.Decode(v.encoded, NewReceiver(v.Family())) }

// MarshalText returns the encoded filter in base64.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// A FrameReader queries an encoded [Filter] without opening it. This is faster
// if the filter is queried only once, for example when its block or footer does
// not stay in a cache. Use [NewFrameReader] to create a single FrameReader for
// each family. It does not retain frames, and it can be copied and used
// concurrently. It cannot be stored, but can be created again from its family.
type FrameReader struct{ frames frame.Glance }

// NewFrameReader returns a FrameReader for filters of the family. It should be
// reused, because NewFrameReader computes a hash.
func NewFrameReader(fam hashfam.Family) FrameReader { return FrameReader{format.Glance(fam)} }

// ContainsDigest returns the same result as [Filter.ContainsDigest] for the
// filter that frame encodes. The digest d must be computed by the reader's
// family. frame can start at any address, on any platform.
//
// ContainsDigest returns the errors of [Filter.UnmarshalBinary]. The result is
// then true, so that no key is missed. It reads only what it needs and computes
// no checksum, so the result can be wrong if the frame is damaged, but it never
// panics or reads outside the frame. Use [Filter.UnmarshalBinary] or
// [View.Verify] to check a frame.
func (r FrameReader) ContainsDigest(frame []byte, d hashfam.Digest) (bool, error) {
	keys, rest, payload, ok := r.frames.At(frame)
	s := ribbon.Shape{Keys: keys, Columns: uint32(rest), Layers: int(rest >> 32)}
	if ok && s.Columns > 0 {
		if found, ok := ribbon.ContainsIn(s, payload, d); ok {
			return found, nil
		}
	}
	if !r.frames.Made() {
		panic(errs.Zero("FrameReader", "NewFrameReader"))
	}
	if err := format.Refusal(r.frames, frame); err != nil {
		return true, err
	}
	return true, errs.Field(ErrCorrupt, "payload length", len(payload), "the length of its layers")
}
