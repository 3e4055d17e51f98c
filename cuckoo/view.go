package cuckoo

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a filter that is read where its encoding lies, in a mapped file for
// example, and cannot be changed. Make one with [NewView]. It answers as the
// encoded filter does and costs what that does; its methods may run at the same
// time.
type View struct {
	reader
	encoded frame.View
}

// NewView returns a view of the filter that data encodes, of the family fam. It
// checks the header only: O(1) time, whatever the size. [View.Verify] checks
// the rest. data must not change, and must stay mapped, while the view is in
// use. It may begin anywhere in memory, and the platform may have any byte
// order. The errors are those of [Filter.UnmarshalBinary].
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, table, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	return &View{newReader(p.Params, table, p.count), v}, nil
}

// Verify checks all that decoding would: the checksum of the whole encoding,
// the number of fingerprints, the bits beyond the last bucket, and the order in
// compact buckets. It returns [ErrCorrupt] if the data is damaged. O(m) time.
func (v *View) Verify() error {
	if err := v.encoded.Verify(v.params.SizeBytes()); err != nil {
		return err
	}
	return v.checkTable()
}

// Decode returns a filter that shares no memory with v and can be changed. It
// verifies the data first, and returns [ErrCorrupt] if it is damaged. O(m)
// time.
func (v *View) Decode() (*Filter, error) { return frame.Decode(v.encoded, NewReceiver(v.Family())) }

// MarshalText returns the text form of the encoding, which
// [Filter.UnmarshalText] reads. O(m) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// String describes the view in one line, without its key.
func (v View) String() string { return fmt.Sprintf("cuckoo.View(%v)", v.params) }

// Format prints [View.String] for every verb and flag, like [Filter.Format].
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }

// LogValue returns [View.String] for structured logs.
func (v View) LogValue() slog.Value { return slog.StringValue(v.String()) }
