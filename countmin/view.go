package countmin

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a sketch that is read where its encoding lies, in a mapped file for
// example, and cannot be changed. Make one with [NewView]. It answers as the
// encoded sketch does and costs what that does; its methods may run at the same
// time.
type View struct {
	reader
	encoded frame.View
}

// NewView returns a view of the sketch that data encodes, of the family fam. It
// checks the header only: O(1) time, whatever the size. [View.Verify] checks
// the rest. data must not change, and must stay mapped, while the view is in
// use.
//
// The errors are those of [Sketch.UnmarshalBinary]. Also, it returns ErrParams
// if the counters would not begin at a multiple of their size in memory, and
// errors.ErrUnsupported on a big-endian platform or in a build with the tag
// purego, unless the counters have 8 bits.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	encoded, err := frame.NewView(data, format.Kind, format.Version, fam.CheckValue(), errs)
	if err != nil {
		return nil, err
	}
	r, err := parseParams(encoded.Header, fam)
	if err != nil {
		return nil, err
	}
	v := &View{r, encoded}
	if err := v.rows().view(encoded, r.params.cells()); err != nil {
		return nil, err
	}
	return v, nil
}

func (c *cells[C]) view(v frame.View, n uint64) (err error) {
	*c, err = frame.In[C](v, n)
	return err
}

// Verify checks all that decoding would: the checksum of the whole encoding,
// and the counters against the total. It returns ErrCorrupt if the data is
// damaged. O(w d) time.
func (v *View) Verify() error {
	rows := v.rows()
	if err := v.encoded.Verify(v.params.SizeBytes()); err != nil {
		return err
	}
	return rows.check(&v.reader)
}

// Decode returns a sketch that shares no memory with v and can be changed. It
// verifies the data first, and returns ErrCorrupt if it is damaged. O(w d)
// time.
func (v *View) Decode() (*Sketch, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	s := Sketch{v.reader}
	return s.Clone(), nil
}

// MarshalText returns the text form of the sketch, as [Sketch.MarshalText]
// does. O(w d) time and memory.
func (v View) MarshalText() ([]byte, error) { return v.encoded.Text() }

// String describes v in one line, without its key.
func (v View) String() string { return fmt.Sprintf("countmin.View(%v)", v.params) }

// Format prints [View.String] for every verb, as [hashfam.Family.Format] does.
func (v View) Format(f fmt.State, _ rune) { fmt.Fprint(f, v.String()) }

// LogValue returns [View.String] for package log/slog.
func (v View) LogValue() slog.Value { return slog.StringValue(v.String()) }
