package counting

import (
	"fmt"
	"log/slog"

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
// [ErrParams] if the address of the counters is not a multiple of 8, and
// errors.ErrUnsupported on a big-endian platform or in a build with the tag
// purego.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, counters, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	return &View{newReader(p, counters), v}, nil
}

// Verify checks what decoding would check: the checksum of the whole encoding,
// and that the counters beyond the last one are zero. It returns [ErrCorrupt]
// if the data is damaged. O(m) time, no allocation.
func (v *View) Verify() error {
	if err := v.encoded.Verify(8 * v.params.words()); err != nil {
		return err
	}
	return v.params.checkCounters(v.counters, ErrCorrupt)
}

// Decode returns a copy of the filter that shares no memory with v. It verifies
// the data first and returns [ErrCorrupt] if it is damaged. O(m) time, one
// allocation of the counters.
func (v *View) Decode() (*Filter, error) { return frame.Decode(v.encoded, NewReceiver(v.Family())) }

// MarshalText returns the text form of the filter, as [Filter.MarshalText]
// does. O(m) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// String describes v in one line. It does not show the key.
func (v View) String() string { return fmt.Sprintf("counting.View(%v)", v.params) }

// Format prints [View.String] for every verb, so that none shows the key.
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }

// LogValue returns [View.String] for package log/slog.
func (v View) LogValue() slog.Value { return slog.StringValue(v.String()) }
