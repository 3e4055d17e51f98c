package perfect

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a function that uses its encoding in place, for example in a mapped
// file. Make one with [NewView]. Its methods give the answers of the encoded
// function at the same cost, and may run at the same time.
type View struct {
	reader
	encoded
}

// NewView returns a view of the function that data encodes under fam. It keeps
// data, which must not change, and must stay mapped, while the view is in use.
// It checks the header and the list of free places, so that every index is in
// range; Verify checks the rest. It works on every platform and with data at
// any address. O(n) time, but it reads only the list, which is an eighth of the
// function.
//
// The errors are those of [Function.UnmarshalBinary].
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	s, e, err := openView(data, frame.PerfectFunction, fam)
	if err != nil {
		return nil, err
	}
	return &View{reader{s}, e}, nil
}

// Decode returns a copy of the function that shares no memory with v. It
// verifies the data first and returns [ErrCorrupt] if it is damaged. O(n) time.
func (v *View) Decode() (*Function, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return &Function{reader{v.clone()}}, nil
}
