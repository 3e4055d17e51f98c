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
// time. Verify and Decode return an error on a nil *View; the other methods
// panic on it.
type View struct {
	sketch  Sketch
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
// purego.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, err := frame.NewView(data, frame.CountMin, version, fam.CheckValue(), errs)
	if err != nil {
		return nil, err
	}
	p, total, err := parseParams(v.Header, fam)
	if err != nil {
		return nil, err
	}
	s := Sketch{params: p, total: total}
	if p.CounterBits == 64 {
		s.wide, err = frame.In[uint64](v, p.cells())
	} else {
		s.narrow, err = frame.In[uint32](v, p.cells())
	}
	if err != nil {
		return nil, err
	}
	return &View{s, v}, nil
}

// Verify checks all that decoding would: the checksum of the whole encoding,
// and the counters against the total. It returns ErrCorrupt if the data is
// damaged. O(w d) time.
func (v *View) Verify() error {
	if v == nil || v.sketch.params.Width == 0 {
		return errs.NoView()
	}
	if err := v.encoded.Verify(v.sketch.params.SizeBytes()); err != nil {
		return err
	}
	return v.sketch.checkRows()
}

// Count is [Sketch.Count].
func (v *View) Count(key []byte) uint64 { return v.sketch.Count(key) }

// CountString is [Sketch.CountString].
func (v *View) CountString(key string) uint64 { return v.sketch.CountString(key) }

// CountUint64 is [Sketch.CountUint64].
func (v *View) CountUint64(key uint64) uint64 { return v.sketch.CountUint64(key) }

// CountDigest is [Sketch.CountDigest].
func (v *View) CountDigest(d hashfam.Digest) uint64 { return v.sketch.CountDigest(d) }

// CountAll is [Sketch.CountAll].
func (v *View) CountAll(dst []uint64, keys [][]byte) []uint64 { return v.sketch.CountAll(dst, keys) }

// CountAllStrings is [Sketch.CountAllStrings].
func (v *View) CountAllStrings(dst []uint64, keys []string) []uint64 {
	return v.sketch.CountAllStrings(dst, keys)
}

// CountAllUint64 is [Sketch.CountAllUint64].
func (v *View) CountAllUint64(dst, keys []uint64) []uint64 { return v.sketch.CountAllUint64(dst, keys) }

// CountAllDigests is [Sketch.CountAllDigests].
func (v *View) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	return v.sketch.CountAllDigests(dst, digests)
}

// Bounds is [Sketch.Bounds].
func (v *View) Bounds(key []byte) (low, high uint64) { return v.sketch.Bounds(key) }

// BoundsString is [Sketch.BoundsString].
func (v *View) BoundsString(key string) (low, high uint64) { return v.sketch.BoundsString(key) }

// BoundsUint64 is [Sketch.BoundsUint64].
func (v *View) BoundsUint64(key uint64) (low, high uint64) { return v.sketch.BoundsUint64(key) }

// BoundsDigest is [Sketch.BoundsDigest].
func (v *View) BoundsDigest(d hashfam.Digest) (low, high uint64) { return v.sketch.BoundsDigest(d) }

// Params returns the parameters of the sketch. O(1) time.
func (v *View) Params() Params { return v.sketch.params }

// SizeBytes returns the size of the counters in bytes. O(1) time.
func (v *View) SizeBytes() uint64 { return v.sketch.SizeBytes() }

// Total is [Sketch.Total], as the header has it.
func (v *View) Total() uint64 { return v.sketch.Total() }

// ErrorBound is [Sketch.ErrorBound].
func (v *View) ErrorBound() uint64 { return v.sketch.ErrorBound() }

// Decode returns a sketch that shares nothing with v and can be changed. It
// verifies the data first, and returns ErrCorrupt if it is damaged. O(w d)
// time.
func (v *View) Decode() (*Sketch, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return v.sketch.Clone(), nil
}

// MarshalJSON returns the encoding as a JSON string, which
// [Sketch.UnmarshalText] reads. O(w d) time and memory.
func (v View) MarshalJSON() ([]byte, error) {
	if v.sketch.params.Width == 0 {
		return nil, errs.NoView()
	}
	return v.encoded.JSON()
}

// LogValue is [Sketch.LogValue].
func (v View) LogValue() slog.Value { return v.sketch.LogValue() }

// String describes the view in one line, without its key.
func (v View) String() string { return fmt.Sprintf("countmin.View(%v)", v.sketch.params) }

// Format prints [View.String] for every verb and flag, so that no format shows
// the key, with the exceptions of [hashfam.Family.Format].
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }
