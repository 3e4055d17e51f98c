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
// checksum. It returns [hashfam.ErrCorrupt] if the data is damaged. For other
// filters, which were built or were checked when they were decoded, Verify
// returns nil.
func (f *Filter) Verify() error {
	if f.view == nil {
		return nil
	}
	if err := f.view.Verify(f.view.Payload); err != nil {
		return err
	}
	return f.ribbon.Verify(errs)
}

// A FrameReader queries encoded filters without creating a [Filter]. This is
// faster if a filter is queried only once, for example because its frame is
// read from a file for a single lookup. Use [NewFrameReader] to create one
// FrameReader per family, which can be copied and used concurrently. A
// FrameReader does not retain frames. It cannot query filters with absent keys:
// use [NewView] for them. Since a FrameReader is not a filter, it has no
// encoding, and encoding/json writes {}.
type FrameReader struct{ frames frame.Glance }

// NewFrameReader returns a FrameReader for filters that were encoded with fam.
// It computes a hash, so the FrameReader should be created only once.
func NewFrameReader(fam hashfam.Family) FrameReader {
	return FrameReader{format.Glance(fam, paramBytes)}
}

// ContainsDigest is like [Filter.ContainsDigest] for the filter that frame
// encodes. d must be computed by the reader's family. frame can start at any
// address, on any platform.
//
// If ContainsDigest returns an error, the result is true, so that no key is
// lost. The errors are those of [Filter.UnmarshalBinary], and
// [hashfam.ErrParams] if the filter has absent keys. ContainsDigest never reads
// outside the frame, but it computes no checksum, so the result can be wrong if
// the frame is damaged. Use [Filter.UnmarshalBinary] or [Filter.Verify] to
// check a frame.
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
	refused, err := format.Refusal(r.frames, frame)
	if err != nil {
		return true, err
	}
	if !refused.plain() {
		return true, paramError("frame", "a static filter with absent keys", "one without them; use NewView")
	}
	return true, errs.Field(hashfam.ErrCorrupt, "payload length", len(payload), "the length of its layers")
}
