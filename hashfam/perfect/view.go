package perfect

import (
	"bytes"
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a function that uses its encoding in place, for example in a mapped
// file. Make one with [NewView]. Its methods give the answers of the encoded
// function at the same cost, and may run at the same time. Verify and Decode
// return an error on a nil *View; the other methods panic on it.
type View struct {
	function Function
	encoded  frame.View
}

// NewView returns a view of the function that data encodes under fam. It keeps
// data, which must not change, and must stay mapped, while the view is in use.
// It checks the header and the list of free places, so that every index is in
// range; [View.Verify] checks the rest. It works on every platform and with
// data at any address. O(n) time, but it reads only the list, which is an
// eighth of the function.
//
// The errors are those of [Function.UnmarshalBinary].
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, s, _, payload, err := openView(data, frame.PerfectFunction, fam)
	if err != nil {
		return nil, err
	}
	f, err := newFunction(s, payload, fam)
	if err != nil {
		return nil, err
	}
	return &View{*f, v}, nil
}

// openView returns the parts of the frame that is the whole of data. Of these
// only the header has been checked.
func openView(data []byte, kind frame.Kind, fam hashfam.Family) (frame.View, shape, slotSize, []byte, error) {
	v, err := frame.NewView(data, kind, version, fam.CheckValue(), errs)
	if err != nil {
		return frame.View{}, shape{}, slotSize{}, nil, err
	}
	s, slots, err := parseHeader(v.Header)
	if err != nil {
		return frame.View{}, shape{}, slotSize{}, nil, err
	}
	payload, err := frame.In[uint8](v, v.Payload)
	return v, s, slots, payload, err
}

// Verify checks the checksum of the whole encoding. It returns [ErrCorrupt] if
// the data is damaged. O(n) time, no allocation.
func (v *View) Verify() error {
	if v == nil || v.encoded.Params == nil {
		return errs.NoView()
	}
	return v.encoded.Verify(v.encoded.Payload)
}

// Index is [Function.Index].
func (v *View) Index(key []byte) uint64 { return v.function.Index(key) }

// IndexString is [Function.IndexString].
func (v *View) IndexString(key string) uint64 { return v.function.IndexString(key) }

// IndexUint64 is [Function.IndexUint64].
func (v *View) IndexUint64(key uint64) uint64 { return v.function.IndexUint64(key) }

// IndexDigest is [Function.IndexDigest].
func (v *View) IndexDigest(d hashfam.Digest) uint64 { return v.function.IndexDigest(d) }

// IndexAll is [Function.IndexAll].
func (v *View) IndexAll(dst []uint64, keys [][]byte) []uint64 { return v.function.IndexAll(dst, keys) }

// IndexAllStrings is [Function.IndexAllStrings].
func (v *View) IndexAllStrings(dst []uint64, keys []string) []uint64 {
	return v.function.IndexAllStrings(dst, keys)
}

// IndexAllUint64 is [Function.IndexAllUint64].
func (v *View) IndexAllUint64(dst, keys []uint64) []uint64 {
	return v.function.IndexAllUint64(dst, keys)
}

// IndexAllDigests is [Function.IndexAllDigests].
func (v *View) IndexAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	return v.function.IndexAllDigests(dst, digests)
}

// Len is [Function.Len].
func (v *View) Len() uint64 { return v.function.Len() }

// Params is [Function.Params].
func (v *View) Params() Params { return v.function.Params() }

// SizeBytes is [Function.SizeBytes].
func (v *View) SizeBytes() uint64 { return v.function.SizeBytes() }

// BitsPerKey is [Function.BitsPerKey].
func (v *View) BitsPerKey() float64 { return v.function.BitsPerKey() }

// Decode returns a copy of the function that shares no memory with v. It
// verifies the data first and returns [ErrCorrupt] if it is damaged. O(n) time.
func (v *View) Decode() (*Function, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	f := &v.function
	return newFunction(f.shape, bytes.Clone(f.payload), f.params.Family)
}

// MarshalJSON returns the encoding as a JSON string, which
// [Function.UnmarshalText] reads. O(n) time and memory.
func (v View) MarshalJSON() ([]byte, error) {
	if v.encoded.Params == nil {
		return nil, errs.NoView()
	}
	return v.encoded.JSON()
}

// LogValue is [Function.LogValue].
func (v View) LogValue() slog.Value { return v.function.LogValue() }

// String describes v in one line. It does not show the key. Its receiver is a
// value so that a View in a field of another struct does not show the key
// either.
func (v View) String() string { return fmt.Sprintf("perfect.View(%v)", v.function.params) }

// Format prints [View.String] for every verb and flag, so that no format shows
// the key, with the exceptions of [hashfam.Family.Format]. Its receiver is a
// value for the same reason as that of String.
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }
