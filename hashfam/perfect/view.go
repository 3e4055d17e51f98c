package perfect

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a function that queries its encoded form, for example in a mapped
// file. Use [NewView] to create one. Queries are as fast as in a [Function].
type View struct {
	reader
	encoded
}

// NewView returns a view of the function that data encodes. See Views in
// package [hashfam]. Unlike other views it works on every platform and with
// data at any address. In addition to the header, NewView checks the list of
// free places, which is an eighth of the function, so that every index is below
// Len.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	s, e, err := openView(data, frame.PerfectFunction, fam)
	if err != nil {
		return nil, err
	}
	return &View{reader{s}, e}, nil
}

// Decode returns a deep copy of the function. It verifies the data first and
// returns [ErrCorrupt] if the data is damaged.
func (v *View) Decode() (*Function, error) { return frame.Decode(v.view, NewReceiver(v.Family())) }

// An encoded holds the frame that a view uses.
type encoded struct{ view frame.View }

// Verify checks the checksum of all data. It returns [ErrCorrupt] if the data
// is damaged.
func (e *encoded) Verify() error { return e.view.Verify(e.view.Payload) }

// MarshalText returns the encoded structure in base64.
func (e encoded) MarshalText() ([]byte, error) { return e.view.Text() }

// openView returns the structure whose frame is data. It has only checked the
// header and the list of free places.
func openView(data []byte, kind frame.Kind, fam hashfam.Family) (stored, encoded, error) {
	v, l, payload, err := formatOf(kind).View(data, fam)
	if err != nil {
		return stored{}, encoded{}, err
	}
	s, err := open(l, payload, fam)
	return s, encoded{v}, err
}
