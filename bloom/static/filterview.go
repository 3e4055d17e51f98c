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
func (v *View) Decode() (*Filter, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return &Filter{newReader(v.Family(), v.ribbon.Clone())}, nil
}

// MarshalText returns the text form of the filter, which [Filter.UnmarshalText]
// reads. O(n) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }
