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
// Verify and Decode return an error on a nil *FilterView; the other methods
// panic on it.
type FilterView struct {
	filter  Filter
	encoded frame.View
}

// NewFilterView is [NewView] for a filter. O(n) time.
func NewFilterView(data []byte, fam hashfam.Family) (*FilterView, error) {
	v, s, slots, payload, err := openView(data, frame.PerfectFilter, fam)
	if err != nil {
		return nil, err
	}
	f, err := newFilter(s, slots, payload, fam)
	if err != nil {
		return nil, err
	}
	return &FilterView{*f, v}, nil
}

// Verify checks the checksum of the whole encoding. It returns [ErrCorrupt] if
// the data is damaged. O(n) time, no allocation.
func (v *FilterView) Verify() error {
	if v == nil || v.filter.isZero() {
		return errs.NoView()
	}
	return v.encoded.Verify(v.encoded.Payload)
}

// Contains is [Filter.Contains].
func (v *FilterView) Contains(key []byte) bool { return v.filter.Contains(key) }

// ContainsString is [Filter.ContainsString].
func (v *FilterView) ContainsString(key string) bool { return v.filter.ContainsString(key) }

// ContainsUint64 is [Filter.ContainsUint64].
func (v *FilterView) ContainsUint64(key uint64) bool { return v.filter.ContainsUint64(key) }

// ContainsDigest is [Filter.ContainsDigest].
func (v *FilterView) ContainsDigest(d hashfam.Digest) bool { return v.filter.ContainsDigest(d) }

// ContainsAll is [Filter.ContainsAll].
func (v *FilterView) ContainsAll(dst []bool, keys [][]byte) []bool {
	return v.filter.ContainsAll(dst, keys)
}

// ContainsAllStrings is [Filter.ContainsAllStrings].
func (v *FilterView) ContainsAllStrings(dst []bool, keys []string) []bool {
	return v.filter.ContainsAllStrings(dst, keys)
}

// ContainsAllUint64 is [Filter.ContainsAllUint64].
func (v *FilterView) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return v.filter.ContainsAllUint64(dst, keys)
}

// ContainsAllDigests is [Filter.ContainsAllDigests].
func (v *FilterView) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	return v.filter.ContainsAllDigests(dst, digests)
}

// Value is [Filter.Value].
func (v *FilterView) Value(key []byte) (value uint64, found bool) { return v.filter.Value(key) }

// ValueString is [Filter.ValueString].
func (v *FilterView) ValueString(key string) (value uint64, found bool) {
	return v.filter.ValueString(key)
}

// ValueUint64 is [Filter.ValueUint64].
func (v *FilterView) ValueUint64(key uint64) (value uint64, found bool) {
	return v.filter.ValueUint64(key)
}

// ValueDigest is [Filter.ValueDigest].
func (v *FilterView) ValueDigest(d hashfam.Digest) (value uint64, found bool) {
	return v.filter.ValueDigest(d)
}

// Len is [Filter.Len].
func (v *FilterView) Len() uint64 { return v.filter.Len() }

// Params is [Filter.Params].
func (v *FilterView) Params() FilterParams { return v.filter.Params() }

// SizeBytes is [Filter.SizeBytes].
func (v *FilterView) SizeBytes() uint64 { return v.filter.SizeBytes() }

// BitsPerKey is [Filter.BitsPerKey].
func (v *FilterView) BitsPerKey() float64 { return v.filter.BitsPerKey() }

// FalsePositiveRate is [Filter.FalsePositiveRate].
func (v *FilterView) FalsePositiveRate() float64 { return v.filter.FalsePositiveRate() }

// Decode returns a copy of the filter that shares no memory with v and can be
// changed. It verifies the data first and returns [ErrCorrupt] if it is
// damaged. O(n) time.
func (v *FilterView) Decode() (*Filter, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return v.filter.Clone(), nil
}

// MarshalJSON returns the encoding as a JSON string, which
// [Filter.UnmarshalText] reads. O(n) time and memory.
func (v FilterView) MarshalJSON() ([]byte, error) {
	if v.filter.isZero() {
		return nil, errs.NoView()
	}
	return v.encoded.JSON()
}

// LogValue is [Filter.LogValue].
func (v FilterView) LogValue() slog.Value { return v.filter.LogValue() }

// String describes v in one line. It does not show the key. Its receiver is a
// value so that a FilterView in a field of another struct does not show the key
// either.
func (v FilterView) String() string { return fmt.Sprintf("perfect.FilterView(%v)", v.filter.params) }

// Format prints [FilterView.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (v FilterView) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }
