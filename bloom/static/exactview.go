package static

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// An ExactView is an [Exact] that uses its encoding in place, for example in a
// mapped file. Make one with [NewExactView]. Its methods give the answers of
// the encoded Exact at the same cost, and may run at the same time. Verify and
// Decode return an error on a nil *ExactView; the other methods panic on it.
type ExactView struct {
	exact   Exact
	encoded frame.View
}

// NewExactView returns a view of the Exact that data encodes under fam. It
// keeps data, which must not change while the view is in use. It checks only
// the lengths; [ExactView.Verify] checks the rest. O(1) time.
//
// The errors are those of [Exact.UnmarshalBinary]. NewExactView also returns
// [ErrParams] if the address of the payload is not a multiple of 8, and
// errors.ErrUnsupported on a big-endian platform or in a build with the tag
// purego.
func NewExactView(data []byte, fam hashfam.Family) (*ExactView, error) {
	v, err := frame.NewView(data, frame.Exact, exactVersion, fam.CheckValue(), errs)
	if err != nil {
		return nil, err
	}
	s, err := parseShape(v.Header, fam)
	if err != nil {
		return nil, err
	}
	words, err := frame.In[uint64](v, s.Bytes/8)
	if err != nil {
		return nil, err
	}
	e, err := s.levels(words)
	if err != nil {
		return nil, err
	}
	return &ExactView{*e, v}, nil
}

// Verify checks what decoding would check: the checksum of the whole encoding,
// and that the bits that no level uses are zero. It returns [ErrCorrupt] if the
// data is damaged. O(m) time, no allocation.
func (v *ExactView) Verify() error {
	if v == nil || v.exact.class.Columns() == 0 {
		return errs.NoView()
	}
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.exact.verify()
}

// Contains is [Exact.Contains].
func (v *ExactView) Contains(key []byte) bool { return v.exact.Contains(key) }

// ContainsString is [Exact.ContainsString].
func (v *ExactView) ContainsString(key string) bool { return v.exact.ContainsString(key) }

// ContainsUint64 is [Exact.ContainsUint64].
func (v *ExactView) ContainsUint64(key uint64) bool { return v.exact.ContainsUint64(key) }

// ContainsDigest is [Exact.ContainsDigest].
func (v *ExactView) ContainsDigest(d hashfam.Digest) bool { return v.exact.ContainsDigest(d) }

// ContainsAll is [Exact.ContainsAll].
func (v *ExactView) ContainsAll(dst []bool, keys [][]byte) []bool {
	return v.exact.ContainsAll(dst, keys)
}

// ContainsAllStrings is [Exact.ContainsAllStrings].
func (v *ExactView) ContainsAllStrings(dst []bool, keys []string) []bool {
	return v.exact.ContainsAllStrings(dst, keys)
}

// ContainsAllUint64 is [Exact.ContainsAllUint64].
func (v *ExactView) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return v.exact.ContainsAllUint64(dst, keys)
}

// ContainsAllDigests is [Exact.ContainsAllDigests].
func (v *ExactView) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	return v.exact.ContainsAllDigests(dst, digests)
}

// Params returns the parameters of the Exact. O(1) time.
func (v *ExactView) Params() ExactParams { return v.exact.params }

// SizeBytes returns the size of both levels in bytes. O(1) time.
func (v *ExactView) SizeBytes() uint64 { return v.exact.SizeBytes() }

// Decode returns a copy of the Exact that shares no memory with v. It verifies
// the data first and returns [ErrCorrupt] if it is damaged. O(m) time, one
// allocation of the words of each level.
func (v *ExactView) Decode() (*Exact, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	e := v.exact
	e.filter, e.class = e.filter.Clone(), e.class.Clone()
	return &e, nil
}

// MarshalJSON returns the encoding as a JSON string, which
// [Exact.UnmarshalText] reads. O(m) time and memory.
func (v ExactView) MarshalJSON() ([]byte, error) {
	if v.exact.class.Columns() == 0 {
		return nil, errs.NoView()
	}
	return v.encoded.JSON()
}

// LogValue is [Exact.LogValue].
func (v ExactView) LogValue() slog.Value { return v.exact.LogValue() }

// String describes v in one line. It does not show the key. Its receiver is a
// value so that an ExactView in a field of another struct does not show the key
// either.
func (v ExactView) String() string { return fmt.Sprintf("static.ExactView(%v)", v.exact.params) }

// Format prints [ExactView.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (v ExactView) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }
