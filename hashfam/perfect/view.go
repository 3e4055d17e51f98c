package perfect

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// NewView returns a function that uses data in place, for example a mapped
// file. It checks only the header and the list of free places, which is about
// an eighth of a large function, or less if it is compact. Every index is then
// below Len; call [Function.Verify] to check the rest. data can start at any
// address, on any platform. See Views in package [hashfam].
func NewView(data []byte, fam hashfam.Family) (*Function, error) {
	v := &struct {
		function Function
		encoded  frame.View
	}{}
	if err := v.function.openView(&v.encoded, data, frame.PerfectFunction, fam); err != nil {
		return nil, err
	}
	return &v.function, nil
}

// NewFilterView is like [NewView] for a filter.
func NewFilterView(data []byte, fam hashfam.Family) (*Filter, error) {
	v := &struct {
		filter  Filter
		encoded frame.View
	}{}
	if err := v.filter.openView(&v.encoded, data, frame.PerfectFilter, fam); err != nil {
		return nil, err
	}
	return &v.filter, nil
}

// openView sets s to the structure of the given kind that data encodes, and
// sets view to the view of data.
func (s *stored) openView(view *frame.View, data []byte, kind frame.Kind, fam hashfam.Family) error {
	encoded, sh, payload, err := formatOf(kind).View(data, fam)
	if err != nil {
		return err
	}
	opened, err := openPayload(sh, payload, fam)
	if err != nil {
		return err
	}
	*view = encoded
	*s = opened
	s.view = view
	return nil
}

// Verify checks all the data of a structure made by [NewView] or
// [NewFilterView], including the checksum. It returns [hashfam.ErrCorrupt] if
// the data is damaged. For other structures, which were built or were checked
// when they were decoded, Verify returns nil.
func (s *stored) Verify() error {
	if s.view == nil {
		return nil
	}
	return s.view.Verify(s.view.Payload)
}
