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
// time. Verify and Decode return an error on a nil *View; the other methods
// panic on it.
type View struct {
	filter  Filter
	encoded frame.View
}

// NewView returns a view of the filter that data encodes, of the family fam. It
// checks the header only: O(1) time, whatever the size. [View.Verify] checks
// the rest. data must not change, and must stay mapped, while the view is in
// use. It may begin anywhere in memory, and the platform may have any byte
// order. The errors are those of [Filter.UnmarshalBinary].
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, err := frame.NewView(data, frame.Cuckoo, version, fam.CheckValue(), errs)
	if err != nil {
		return nil, err
	}
	p, count, err := parseParams(v.Header, fam)
	if err != nil {
		return nil, err
	}
	table, err := frame.In[byte](v, p.bytes())
	if err != nil {
		return nil, err
	}
	f := newFilter(p, table)
	f.count = count
	return &View{*f, v}, nil
}

// Verify checks all that decoding would: the checksum of the whole encoding,
// the number of fingerprints, the bits beyond the last bucket, and the order in
// compact buckets. It returns ErrCorrupt if the data is damaged. O(m) time.
func (v *View) Verify() error {
	if v == nil || v.filter.table.bytes == nil {
		return errs.NoView()
	}
	if err := v.encoded.Verify(v.filter.params.bytes()); err != nil {
		return err
	}
	return v.filter.checkTable()
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

// SizeBytes returns the size of the table in bytes. O(1) time.
func (v *View) SizeBytes() uint64 { return v.filter.SizeBytes() }

// Len is [Filter.Len], as the header has it: [View.Verify] counts.
func (v *View) Len() uint64 { return v.filter.Len() }

// FillRatio is [Filter.FillRatio].
func (v *View) FillRatio() float64 { return v.filter.FillRatio() }

// FalsePositiveRate is [Filter.FalsePositiveRate].
func (v *View) FalsePositiveRate() float64 { return v.filter.FalsePositiveRate() }

// Decode returns a filter that shares nothing with v and can be changed. It
// verifies the data first, and returns ErrCorrupt if it is damaged. O(m) time.
func (v *View) Decode() (*Filter, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	return v.filter.Clone(), nil
}

// MarshalJSON returns the encoding as a JSON string, which
// [Filter.UnmarshalText] reads. O(m) time and memory.
func (v View) MarshalJSON() ([]byte, error) {
	if v.filter.table.bytes == nil {
		return nil, errs.NoView()
	}
	return v.encoded.JSON()
}

// LogValue is [Filter.LogValue].
func (v View) LogValue() slog.Value { return v.filter.LogValue() }

// String describes the view in one line, without its key.
func (v View) String() string { return fmt.Sprintf("cuckoo.View(%v)", v.filter.params) }

// Format prints [View.String] for every verb and flag, so that no format shows
// the key, with the exceptions of [hashfam.Family.Format].
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }
