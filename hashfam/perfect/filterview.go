package perfect

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A FilterView is a read-only filter that uses its encoding in place, for
// example in a mapped file. Make one with [NewFilterView]. Its methods give the
// answers of the encoded filter at the same cost, and may run at the same time.
type FilterView struct {
	filterReader
	encoded frame.View
}

// NewFilterView is [NewView] for a filter. O(n) time.
func NewFilterView(data []byte, fam hashfam.Family) (*FilterView, error) {
	s, v, err := openView(data, frame.PerfectFilter, fam)
	if err != nil {
		return nil, err
	}
	return &FilterView{filterReader{s}, v}, nil
}

// Verify checks the checksum of the whole encoding. It returns [ErrCorrupt] if
// the data is damaged. O(n) time, no allocation.
func (v *FilterView) Verify() error { return v.encoded.Verify(v.encoded.Payload) }

// Decode returns a copy of the filter that shares no memory with v and can be
// changed. It verifies the data first and returns [ErrCorrupt] if it is
// damaged. O(n) time.
func (v *FilterView) Decode() (*Filter, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return &Filter{filterReader{v.clone()}}, nil
}

// MarshalText returns the text form of the filter, which [Filter.UnmarshalText]
// reads. O(n) time and memory.
func (v FilterView) MarshalText() ([]byte, error) { return v.encoded.Text() }

// String describes v in one line, without the key of the family.
func (v FilterView) String() string { return fmt.Sprintf("perfect.FilterView(%v)", v.Params()) }

// Format prints [FilterView.String] for every verb, as [hashfam.Family.Format]
// explains.
func (v FilterView) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }

// LogValue returns [FilterView.String] for package log/slog.
func (v FilterView) LogValue() slog.Value { return slog.StringValue(v.String()) }
