package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A View is a read-only filter that uses encoded data in place, for example in
// a mapped file. Its methods are as fast as for a [Filter], and can be called
// concurrently. Use [NewView] to create one.
type View struct {
	readable
	encoded frame.View
}

// NewView returns a view of the filter that data encodes. See Views in package
// [hashfam]. A Blocked filter is fastest if data begins at a multiple of 64
// bytes, as mapped files do.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, words, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	return &View{newReadable(p, words), v}, nil
}

// Verify checks the checksum of the data, and that the bits after the last one
// are zero. It returns [hashfam.ErrCorrupt] if the data is damaged.
func (v *View) Verify() error {
	if err := v.encoded.Verify(8 * v.params.words()); err != nil {
		return err
	}
	return v.params.checkWords(v.words, hashfam.ErrCorrupt)
}

// A FrameReader queries encoded filters of any layout without a [View]. This is
// faster if a filter is queried only once, for example because the file block
// that contains it does not stay in a cache. Use [NewFrameReader] to create one
// FrameReader per family, which can be copied and used concurrently. A
// FrameReader does not retain frames. Since it is not a filter, it has no
// encoding, and encoding/json writes {}.
type FrameReader struct{ frames frame.Glance }

// NewFrameReader returns a FrameReader for filters that were encoded with fam.
// It computes a hash, so the FrameReader should be created only once.
func NewFrameReader(fam hashfam.Family) FrameReader { return FrameReader{format.Glance(fam, 16)} }

// ContainsDigest is like [Filter.ContainsDigest] for the filter that frame
// encodes. d must be computed by the reader's family. frame can start at any
// address, on any platform.
//
// ContainsDigest returns the errors of [Filter.UnmarshalBinary]. The result is
// then true, so that no key is lost. A damaged frame never causes a panic or a
// read outside the frame, but ContainsDigest computes no checksum, so the
// result can be wrong. Use [Filter.UnmarshalBinary] or [View.Verify] to check a
// frame.
func (r FrameReader) ContainsDigest(frame []byte, d hashfam.Digest) (bool, error) {
	bits, rest, array, ok := r.frames.At(frame)
	k, layout := int(rest&0xff), Layout(rest>>8)
	ok = ok && k > 0 && rest>>16 == 0 && bits-1 < sizing.MaxBits && (bits+63)/64*8 == uint64(len(array))
	switch {
	case ok && layout == Blocked && bits%lineBits == 0:
		return inBlocked(array, bits/lineBits, k, d), nil
	case ok && layout == Classic:
		return inArray(array, bits, 0, k, d.Probe()), nil
	case ok && layout == Partitioned && bits%uint64(k) == 0:
		return inArray(array, bits/uint64(k), bits/uint64(k), k, d.Probe()), nil
	}
	if !r.frames.Made() {
		panic(errs.Zero("FrameReader", "NewFrameReader"))
	}
	_, err := format.Refusal(r.frames, frame)
	return true, err
}

// inArray reports whether all k bits of a key are set. Value i of the probe
// sequence p selects one of the span bits that begin at bit i*step. Bit j%64 of
// a filter's word j/64 is bit j%8 of byte j/8.
func inArray(array []byte, span, step uint64, k int, p hashfam.Probe) bool {
	base, missing := uint64(0), byte(0)
	for ; k > 0; k, p = k-1, p.Next() {
		i := base + p.In(span)
		missing |= ^array[i/8] >> (i % 8)
		base += step
	}
	return missing&1 == 0
}

// inBlocked is like hasBlocked for an array of bytes. It is faster than inArray
// because it selects a bit by shifting a value, where inArray multiplies.
func inBlocked(array []byte, lines uint64, k int, d hashfam.Digest) bool {
	line := (*[lineBits / 8]byte)(array[d.Probe().In(lines)*(lineBits/8):])
	missing := byte(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= ^line[p>>58] >> (p >> 55 & 7)
	}
	return missing&1 == 0
}
