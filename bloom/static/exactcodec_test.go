package static

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Frames with correct checksums are corrupt if their numbers contradict each
// other, or if a bit is set that no level uses: two Exact of the same keys
// could differ. Neither a decoder nor a view accepts them, and the receiver
// stays what it was. If the header alone tells, ReadExactParams does, too.
func TestNumbersThatContradictEachOtherAreCorrupt(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)() // 3 columns
	good, err := e.MarshalBinary()
	require.NoError(t, err)
	set := func(at int, n uint64) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[at:], n)
			return b
		}
	}
	unused := func(level, layers int) func([]byte) []byte { // the last byte of the thresholds of a first layer
		return func(b []byte) []byte {
			b[64+level+8*(layers-1)+7] |= 0x80
			return b
		}
	}
	for _, c := range []struct {
		change func([]byte) []byte
		text   string
		header bool
	}{
		{set(24, 1<<48+1), "keys = ", true},
		{set(32, 1<<48+1), "keys = ", true},
		{set(24, 0), "keys that pass = ", true},
		{set(40, 99), "keys that pass = 99, want 100 to 1100", true},
		{set(40, 1101), "keys that pass = 1101, want 100 to 1100", true},
		{set(32, 190), "keys that pass = ", true}, // ratio 1: all keys pass
		{set(40, 1100), "payload length", true},
		{set(16, 4096), "payload length", true},
		{set(16, 1<<40), "payload length", true},
		{set(48, 0), "layers = 0", true},
		{set(48, 33), "layers = 33", true},
		{set(48, 1), "layers = 0", true},
		{set(48, 1<<16|uint64(e.class.Shape().Layers)<<8|uint64(e.filter.Shape().Layers)), "parameters = ", true},
		{func(b []byte) []byte { // a word more than the levels have
			return slices.Insert(set(16, e.params.Bytes+8)(b), len(b)-8, make([]byte, 8)...)
		}, "payload length", false},
		{func(b []byte) []byte { // a word less
			return slices.Delete(set(16, e.params.Bytes-8)(b), len(b)-16, len(b)-8)
		}, "payload length", false},
		{unused(0, e.filter.Shape().Layers), "bits after the last threshold", false},
		{unused(int(e.filter.PayloadBytes()), e.class.Shape().Layers), "bits after the last threshold", false},
	} {
		b := c.change(bytes.Clone(good))
		conformance.Reseal(b)
		_, params := ReadExactParams(bytes.NewReader(b), hashfam.Family{})
		g := goldenExact(hashfam.Family{}, 3, 4)()
		_, read := g.ReadFrom(bytes.NewReader(b))
		v, view := NewExactView(b, hashfam.Family{})
		if view == nil {
			view = v.Verify()
		}
		for i, err := range []error{params, g.UnmarshalBinary(b), read, view} {
			if !errors.Is(err, errors.ErrUnsupported) && (i > 0 || c.header) {
				require.ErrorIs(t, err, ErrCorrupt, c.text)
				require.True(t, i > 0 && c.header || strings.Contains(err.Error(), c.text), "%v, want %s", err, c.text)
			}
		}
		require.True(t, g.Equal(goldenExact(hashfam.Family{}, 3, 4)()), "a failed decode changed the receiver")
	}
}

// Equal compares both levels.
func TestEqualComparesBothLevels(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)()
	members, others := universe(hashfam.Family{}, 100, 1000)
	other := mustExact(t, hashfam.Family{}, members, others)
	filter, class := *e, *e
	filter.filter, class.class = other.filter, other.class
	require.True(t, e.Equal(e))
	require.False(t, e.Equal(&filter))
	require.False(t, e.Equal(&class))
}
