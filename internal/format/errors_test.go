package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// A forgery is a frame in parts. bytes puts them together, with correct
// checksums, and then breaks what must be broken in the bytes.
type forgery struct {
	fixed           []byte // offsets 0 to 23
	params, payload []byte
	headerSum       byte // changes the header checksum
	frameSum        byte // changes the last checksum
	padding         byte // is written after the parameters
	after           []byte
}

func newForgery(b []byte) *forgery {
	params := int(binary.LittleEndian.Uint16(b[6:]))
	header := frametest.HeaderLen(b)
	b = bytes.Clone(b)
	return &forgery{fixed: b[:24], params: b[24:][:params], payload: b[header : len(b)-8]}
}

func (f *forgery) bytes() []byte {
	header := (24 + len(f.params) + 8 + 63) / 64 * 64
	b := append(bytes.Clone(f.fixed), f.params...)
	b = append(b, make([]byte, header-len(b))...)
	if end := header - 8; 24+len(f.params) < end {
		b[end-1] |= f.padding
	}
	putSum(b[:header], f.headerSum)
	b = append(b, f.payload...)
	b = append(b, make([]byte, 8)...)
	putSum(b, f.frameSum)
	return append(b, f.after...)
}

// putSum writes the checksum of b to the place before its last four bytes.
func putSum(b []byte, change byte) {
	end := len(b) - 8
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
	b[end] ^= change
}

// resize changes the number of bytes of parameters, and the field that says so.
func (f *forgery) resize(n int) {
	f.params = append(f.params, make([]byte, 8)...)[:len(f.params)+n]
	binary.LittleEndian.PutUint16(f.fixed[6:], uint16(len(f.params)))
}

// A violation breaks a rule of one step in docs/format.md.
type violation struct {
	step  int
	name  string
	want  error
	forge func(f *forgery)
}

var violations = []violation{
	{1, "the magic", hashfam.ErrCorrupt, func(f *forgery) { f.fixed[0] ^= 1 }},
	{1, "p is not a multiple of 8", hashfam.ErrCorrupt, func(f *forgery) { f.fixed[6] ^= 1 }},
	{1, "p is above 256", hashfam.ErrCorrupt, func(f *forgery) { f.fixed[7] = 2 }},
	{1, "L is above 2^62", hashfam.ErrCorrupt, func(f *forgery) { f.fixed[23] = 128 }},
	{1, longer, hashfam.ErrCorrupt, func(f *forgery) { f.after = []byte{0} }},
	{2, "the header checksum", hashfam.ErrCorrupt, func(f *forgery) { f.headerSum = 1 }},
	{2, padded, hashfam.ErrCorrupt, func(f *forgery) { f.padding = 1 }},
	{3, "an unknown kind", hashfam.ErrVersion, func(f *forgery) { f.fixed[4] = 200 }},
	{3, "another kind", hashfam.ErrCorrupt, func(f *forgery) { f.fixed[4] = 2 + byte(conformance.One(f.fixed[4] == 2)) }},
	{4, "version 0", hashfam.ErrVersion, func(f *forgery) { f.fixed[5] = 0 }},
	{4, "version 2", hashfam.ErrVersion, func(f *forgery) { f.fixed[5] = 2 }},
	{5, "the family", hashfam.ErrFamily, func(f *forgery) { f.fixed[8] ^= 1 }},
	{6, "more parameters", hashfam.ErrCorrupt, func(f *forgery) { f.resize(8) }},
	{6, "fewer parameters", hashfam.ErrCorrupt, func(f *forgery) { f.resize(-8) }},
	{6, longerPayload, hashfam.ErrCorrupt, func(f *forgery) {
		f.payload = append(f.payload[:len(f.payload):len(f.payload)], make([]byte, 8)...)
		binary.LittleEndian.PutUint64(f.fixed[16:], uint64(len(f.payload)))
	}},
	{6, invalid, hashfam.ErrCorrupt, func(f *forgery) {
		for i := range f.params {
			f.params[i] = 255
		}
	}},
	{7, "the last checksum", hashfam.ErrCorrupt, func(f *forgery) { f.frameSum = 1 }},
}

// The violations that are no violations everywhere.
const (
	longer        = "a byte after the frame"
	padded        = "a byte between the parameters and the header checksum"
	longerPayload = "a payload with another word"
	invalid       = "invalid parameters"
)

// exact are the kinds whose parameters imply the length of the payload.
var exact = []frame.Kind{
	frame.Bloom, frame.Counting, frame.Cuckoo, frame.CountMin, frame.PerfectFunction, frame.PerfectFilter, frame.RotatingBloom,
}

// isChecked reports whether a reader of the frame b finds the violation in its
// step.
func (v violation) isChecked(kind frame.Kind, b []byte, where string) bool {
	switch {
	case v.step == 7:
		return where != "view" // Verify checks it
	case v.name == longer:
		return where != "stream" // another frame can follow
	case v.name == padded:
		return (int(binary.LittleEndian.Uint16(b[6:]))+24+8)%64 != 0
	case v.name == longerPayload:
		return slices.Contains(exact, kind)
	case v.name == invalid:
		return kind != delta // its parameters are about the filter that it changes
	}
	return true
}

// views are the kinds that have views, whose steps end with the sixth.
var views = map[frame.Kind]func([]byte, hashfam.Family) error{
	frame.Bloom:           func(b []byte, fam hashfam.Family) error { _, err := bloom.NewView(b, fam); return err },
	frame.Static:          func(b []byte, fam hashfam.Family) error { _, err := static.NewView(b, fam); return err },
	frame.Cuckoo:          func(b []byte, fam hashfam.Family) error { _, err := cuckoo.NewView(b, fam); return err },
	frame.PerfectFunction: func(b []byte, fam hashfam.Family) error { _, err := perfect.NewView(b, fam); return err },
	frame.PerfectFilter:   func(b []byte, fam hashfam.Family) error { _, err := perfect.NewFilterView(b, fam); return err },
}

// fieldOf returns the field that an error names, which shows what was checked
// first when two errors have the same reason.
func fieldOf(t *testing.T, err error) string {
	var field *hashfam.FieldError
	require.ErrorAs(t, err, &field)
	return field.Field
}

// A frame that breaks the rules of several steps returns the error of the first
// one, whatever its kind and wherever it is read.
func TestTheFirstErrorIsReturned(t *testing.T) {
	for kind := frame.Bloom; kind <= delta; kind++ { // Open reads journals, which consist of several frames
		if strings.HasPrefix(kind.String(), "unknown") {
			continue
		}
		b := goldenOf(t, kind)
		readers := map[string]func([]byte) error{}
		if kind == delta {
			readers["slice"] = new(bloom.Filter).ApplyDelta
		} else {
			readers["stream"] = func(b []byte) error {
				_, err := receivers(hashfam.Family{})[kind].(io.ReaderFrom).ReadFrom(bytes.NewReader(b))
				return err
			}
			readers["slice"] = func(b []byte) error { return receivers(hashfam.Family{})[kind].UnmarshalBinary(b) }
		}
		if view := views[kind]; view != nil && !errors.Is(view(b, hashfam.Family{}), errors.ErrUnsupported) {
			readers["view"] = func(b []byte) error { return view(b, hashfam.Family{}) }
		}
		for where, read := range readers {
			t.Run(fmt.Sprint(kind, ", ", where), func(t *testing.T) { requireFirst(t, kind, b, where, read) })
		}
	}
}

// goldenOf returns a golden file of a kind, which must use the public family
// and have parameters and contents.
func goldenOf(t *testing.T, kind frame.Kind) []byte {
	t.Helper()
	family := hashfam.Family{}
	for _, path := range files(t, "*.bin") {
		b := []byte(read(t, path))
		public := binary.LittleEndian.Uint64(b[8:]) == family.CheckValue()
		if frame.Kind(b[frametest.Kind]) == kind && public && len(b) > frametest.HeaderLen(b)+8 {
			return b
		}
	}
	require.Fail(t, "there is no golden file", "%v", kind)
	return nil
}

func requireFirst(t *testing.T, kind frame.Kind, b []byte, where string, read func([]byte) error) {
	checked := 0
	for i, first := range violations {
		if !first.isChecked(kind, b, where) {
			continue
		}
		checked++
		alone := newForgery(b)
		first.forge(alone)
		err := read(alone.bytes())
		require.ErrorIs(t, err, first.want, first.name)
		field := fieldOf(t, err)
		for _, second := range violations[i+1:] {
			both := newForgery(b)
			second.forge(both)
			first.forge(both)
			if second.step == first.step || !first.isChecked(kind, both.bytes(), where) {
				continue
			}
			err := read(both.bytes())
			require.ErrorIs(t, err, first.want, "%s, then %s", first.name, second.name)
			require.Equal(t, field, fieldOf(t, err), "%s, then %s: %v", first.name, second.name, err)
		}
	}
	require.GreaterOrEqual(t, checked, 12)
}
