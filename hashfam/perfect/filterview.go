package perfect

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

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
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return &Filter{filterReader{v.clone()}}, nil
}
