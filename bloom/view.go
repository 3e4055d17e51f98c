package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A View is a read-only filter that uses its encoding in place, for example in
// a mapped file. Make one with [NewView]. Its methods give the answers of the
// encoded filter at the same cost, and may run at the same time.
type View struct {
	reader
	encoded frame.View
}

// NewView returns a view of the filter that data encodes under fam. It keeps
// data, which must not change, and must stay mapped, while the view is in use.
// It checks only the header; [View.Verify] checks the rest. O(1) time.
//
// The errors are those of [Filter.UnmarshalBinary]. NewView also returns
// [ErrParams] if the address of the bit array is not a multiple of 8, and
// errors.ErrUnsupported on a big-endian platform or in a build with the tag
// purego. Blocked filters are fastest if the address of data is a multiple of
// 64, as that of a mapped file is.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, words, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	return &View{newReader(p, words), v}, nil
}

// Verify checks what decoding would check: the checksum of the whole encoding,
// and that the bits beyond the last one are zero. It returns [ErrCorrupt] if
// the data is damaged. O(m) time, no allocation.
func (v *View) Verify() error {
	if err := v.encoded.Verify(8 * v.params.words()); err != nil {
		return err
	}
	return v.params.checkWords(v.words, ErrCorrupt)
}

// Decode returns a copy of the filter that shares no memory with v. It verifies
// the data first and returns [ErrCorrupt] if it is damaged. O(m) time, one
// allocation of the bit array.
func (v *View) Decode() (*Filter, error) {
	return frame.Decode(v.encoded, NewReceiver(v.params.Family))
}

// MarshalText returns the text form of the filter, as [Filter.MarshalText]
// does. O(m) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// A FrameReader answers from encodings of a [Filter], whatever its layout,
// without opening them: for the filter of a block or a footer that is asked
// once and then given back to a cache. Make one for each family with
// [NewFrameReader]. It keeps no frame, and may be copied and used by many
// goroutines. It cannot be stored: make it again from its family.
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
		return inArray(array, bits, 0, k, d.Probe()), nil
	case ok && layout == Partitioned && bits%uint64(k) == 0:
		return inArray(array, bits/uint64(k), bits/uint64(k), k, d.Probe()), nil
	}
	if r.frames.Zero() {
		errs.Zero("FrameReader", "NewFrameReader")
	}
	return true, format.Refusal(r.frames, frame)
}

// inArray reports whether the k bits of a key are set in an array of bytes. The
// i-th value of the probe sequence p selects one of the span bits that begin at
// bit i*step. Bit i%64 of word i/64 is bit i%8 of byte i/8.
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
// because it needs no multiplication to select a bit of the line.
func inBlocked(array []byte, lines uint64, k int, d hashfam.Digest) bool {
	line, missing := (*[lineBits / 8]byte)(array[d.Probe().In(lines)*(lineBits/8):]), byte(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= ^line[p>>58] >> (p >> 55 & 7)
	}
	return missing&1 == 0
}
