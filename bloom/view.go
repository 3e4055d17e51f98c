package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
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
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return newFilter(v.params, slices.Clone(v.words)), nil
}

// MarshalText returns the text form of the filter, as [Filter.MarshalText]
// does. O(m) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }
