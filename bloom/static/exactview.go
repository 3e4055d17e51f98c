package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// An ExactView is a read-only [Exact] that uses its encoding in place, for
// example in a mapped file. Use [NewExactView] to create one.
type ExactView struct {
	exactReader
	encoded frame.View
}

// NewExactView returns a view of the Exact that data encodes. It checks only
// the header and the sizes of the layers. See Views in package [hashfam].
func NewExactView(data []byte, fam hashfam.Family) (*ExactView, error) {
	v, s, words, err := exactFormat.View(data, fam)
	if err != nil {
		return nil, err
	}
	e, err := s.levels(words)
	if err != nil {
		return nil, err
	}
	return &ExactView{e, v}, nil
}

// Verify checks the rest of the data, including its checksum. It returns
// [ErrCorrupt] if the data is damaged. Verify reads all the data.
func (v *ExactView) Verify() error {
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.verify()
}

// Decode verifies the data and returns a deep copy of the Exact. It returns
// [ErrCorrupt] if the data is damaged.
func (v *ExactView) Decode() (*Exact, error) {
	return frame.Decode(v.encoded, NewExactReceiver(v.Family()))
}

// MarshalText returns the encoded Exact in base64.
func (v ExactView) MarshalText() ([]byte, error) { return v.encoded.Text() }
