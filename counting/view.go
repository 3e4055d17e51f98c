package counting

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a read-only filter that uses its encoding in place, for example in
// a mapped file. Make one with [NewView]. Its methods give the answers of the
// encoded filter at the same cost, and may run at the same time. Verify and
// Decode return an error on a nil *View; the other methods panic on it.
type View struct {
	filter  Filter
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
	v, err := frame.NewView(data, frame.Counting, version, fam.CheckValue(), errs)
	if err != nil {
		return nil, err
	}
	p, err := parseParams(v.Header, fam)
	if err != nil {
		return nil, err
	}
	counters, err := frame.In[uint64](v, p.words())
	if err != nil {
		return nil, err
	}
	return &View{*newFilter(p, counters), v}, nil
}

// Verify checks what decoding would check: the checksum of the whole encoding,
// and that the counters beyond the last one are zero. It returns [ErrCorrupt]
// if the data is damaged. O(m) time, no allocation.
func (v *View) Verify() error {
	if v == nil || v.filter.counters == nil {
		return errs.NoView()
	}
	if err := v.encoded.Verify(8 * v.filter.params.words()); err != nil {
		return err
	}
	return v.filter.params.checkCounters(v.filter.counters, ErrCorrupt)
}

// Contains is [Filter.Contains].
func (v *View) Contains(key []byte) bool { return v.filter.Contains(key) }

// ContainsString is [Filter.ContainsString].
func (v *View) ContainsString(key string) bool { return v.filter.ContainsString(key) }

// ContainsUint64 is [Filter.ContainsUint64].
func (v *View) ContainsUint64(key uint64) bool { return v.filter.ContainsUint64(key) }

// ContainsDigest is [Filter.ContainsDigest].
func (v *View) ContainsDigest(d hashfam.Digest) bool { return v.filter.ContainsDigest(d) }

// ContainsAll is [Filter.ContainsAll].
func (v *View) ContainsAll(dst []bool, keys [][]byte) []bool { return v.filter.ContainsAll(dst, keys) }

// ContainsAllStrings is [Filter.ContainsAllStrings].
func (v *View) ContainsAllStrings(dst []bool, keys []string) []bool {
	return v.filter.ContainsAllStrings(dst, keys)
}

// ContainsAllUint64 is [Filter.ContainsAllUint64].
func (v *View) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return v.filter.ContainsAllUint64(dst, keys)
}

// ContainsAllDigests is [Filter.ContainsAllDigests].
func (v *View) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	return v.filter.ContainsAllDigests(dst, digests)
}

// Count is [Filter.Count].
func (v *View) Count(key []byte) uint64 { return v.filter.Count(key) }

// CountString is [Filter.CountString].
func (v *View) CountString(key string) uint64 { return v.filter.CountString(key) }

// CountUint64 is [Filter.CountUint64].
func (v *View) CountUint64(key uint64) uint64 { return v.filter.CountUint64(key) }

// CountDigest is [Filter.CountDigest].
func (v *View) CountDigest(d hashfam.Digest) uint64 { return v.filter.CountDigest(d) }

// Params returns the parameters of the filter. O(1) time.
func (v *View) Params() Params { return v.filter.params }

// SizeBytes returns the size of the counters in bytes. O(1) time.
func (v *View) SizeBytes() uint64 { return v.filter.SizeBytes() }

// FillRatio is [Filter.FillRatio].
func (v *View) FillRatio() float64 { return v.filter.FillRatio() }

// FalsePositiveRate is [Filter.FalsePositiveRate].
func (v *View) FalsePositiveRate() float64 { return v.filter.FalsePositiveRate() }

// EstimatedLen is [Filter.EstimatedLen].
func (v *View) EstimatedLen() float64 { return v.filter.EstimatedLen() }

// Stuck is [Filter.Stuck].
func (v *View) Stuck() uint64 { return v.filter.Stuck() }

// Decode returns a copy of the filter that shares no memory with v. It verifies
// the data first and returns [ErrCorrupt] if it is damaged. O(m) time, one
// allocation of the counters.
func (v *View) Decode() (*Filter, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return v.filter.Clone(), nil
}

// MarshalJSON returns the encoding as a JSON string, which
// [Filter.UnmarshalText] reads. O(m) time and memory.
func (v View) MarshalJSON() ([]byte, error) {
	if v.filter.counters == nil {
		return nil, errs.NoView()
	}
	return v.encoded.JSON()
}

// LogValue is [Filter.LogValue].
func (v View) LogValue() slog.Value { return v.filter.LogValue() }

// String describes v in one line. It does not show the key. Its receiver is a
// value so that a View in a field of another struct does not show the key
// either.
func (v View) String() string { return fmt.Sprintf("counting.View(%v)", v.filter.params) }

// Format prints [View.String] for every verb and flag, so that no format shows
// the key, with the exceptions of [hashfam.Family.Format]. Its receiver is a
// value for the same reason as that of String.
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }
