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
func (v *View) Decode() (*Function, error) { return frame.Decode(v.view, NewReceiver(v.Family())) }

// A FilterView is a read-only filter that uses its encoding in place, for
// example in a mapped file. Make one with [NewFilterView]. Its methods give the
// answers of the encoded filter at the same cost, and may run at the same time.
type FilterView struct {
	filterReader
	encoded
}

// NewFilterView is [NewView] for a filter. O(n) time.
func NewFilterView(data []byte, fam hashfam.Family) (*FilterView, error) {
	s, e, err := openView(data, frame.PerfectFilter, fam)
	if err != nil {
		return nil, err
	}
	return &FilterView{filterReader{s}, e}, nil
}

// Decode returns a copy of the filter that shares no memory with v and can be
// changed. It verifies the data first and returns [ErrCorrupt] if it is
// damaged. O(n) time.
func (v *FilterView) Decode() (*Filter, error) {
	return frame.Decode(v.view, NewFilterReceiver(v.Family()))
}

// An encoded is the frame that a view uses in place.
type encoded struct{ view frame.View }

// Verify checks the checksum of the whole encoding. It returns [ErrCorrupt] if
// the data is damaged. O(n) time, no allocation.
func (e *encoded) Verify() error { return e.view.Verify(e.view.Payload) }

// MarshalText returns the text form of the encoded structure. O(n) time and
// memory.
func (e encoded) MarshalText() ([]byte, error) { return e.view.Text() }

// openView returns the structure whose frame is the whole of data. Only its
// header and the free places have been checked.
func openView(data []byte, kind frame.Kind, fam hashfam.Family) (stored, encoded, error) {
	v, l, payload, err := formatOf(kind).View(data, fam)
	if err != nil {
		return stored{}, encoded{}, err
	}
	s, err := open(l, payload, fam)
	return s, encoded{v}, err
}
