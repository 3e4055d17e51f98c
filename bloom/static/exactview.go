package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// An ExactView is an [Exact] that uses its encoding in place, for example in a
// mapped file. Make one with [NewExactView]. Its methods give the answers of
// the encoded Exact at the same cost, and may run at the same time.
type ExactView struct {
	exactReader
	encoded frame.View
}

// NewExactView returns a view of the Exact that data encodes under fam. It
// keeps data, which must not change while the view is in use. It checks only
// the lengths; [ExactView.Verify] checks the rest. O(1) time. The errors are
// those of [NewView].
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

// Verify checks what decoding would check: the checksum of the whole encoding,
// and that the bits that no level uses are zero. It returns [ErrCorrupt] if the
// data is damaged. O(m) time, no allocation.
func (v *ExactView) Verify() error {
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.verify()
}

// Decode returns a copy of the Exact that shares no memory with v. It verifies
// the data first and returns [ErrCorrupt] if it is damaged. O(m) time, one
// allocation of both levels.
func (v *ExactView) Decode() (*Exact, error) {
	return frame.Decode(v.encoded, NewExactReceiver(v.Family()))
}

// MarshalText returns the text form of the Exact, which [Exact.UnmarshalText]
// reads. O(m) time and memory.
func (v ExactView) MarshalText() ([]byte, error) { return v.encoded.Text() }
