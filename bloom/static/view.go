package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// NewView returns a filter that uses data in place, for example a mapped file.
// It checks only the header and the sizes of the layers, so call
// [Filter.Verify] to check the rest. See Views in package [hashfam].
func NewView(data []byte, fam hashfam.Family) (*Filter, error) {
	encoded, p, words, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	v := &struct {
		filter  Filter
		encoded frame.View
		room    ribbon.Room
	}{encoded: encoded}
	v.filter, err = parse(p, words, &v.room)
	if err != nil {
		return nil, err
	}
	v.filter.view = &v.encoded
	return &v.filter, nil
}

// Verify checks all the data of a filter made by [NewView], including the
// checksum. It returns [ErrCorrupt] if the data is damaged. Other filters were
// checked when they were decoded, so Verify returns nil.
func (f *Filter) Verify() error {
	if f.view == nil {
		return nil
	}
	if err := f.view.Verify(f.view.Payload); err != nil {
		return err
	}
	return f.ribbon.Verify(errs)
}

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
// [Filter.Verify] to check a frame.
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
