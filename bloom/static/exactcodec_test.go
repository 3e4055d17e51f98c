package static

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// changed returns an encoding of e with a change and correct checksums.
func changed(t *testing.T, e *Exact, change func(b []byte) []byte) []byte {
	b := change(encoded(t, e))
	conformance.Reseal(b)
	return b
}

// requireCorrupt checks that neither a decoder nor a view accepts b, and that
// the receiver stays what it was.
func requireCorrupt(t *testing.T, b []byte, text string) {
	e := goldenExact(hashfam.Family{}, 3, 4)()
	before := encoded(t, e)
	err := e.UnmarshalBinary(b)
	require.ErrorIs(t, err, ErrCorrupt, text)
	require.ErrorContains(t, err, text)
	require.Equal(t, before, encoded(t, e))
	_, err = e.ReadFrom(bytes.NewReader(b))
	require.ErrorIs(t, err, ErrCorrupt, text)
	require.Equal(t, before, encoded(t, e))
	v, err := NewExactView(b, hashfam.Family{})
	if err == nil {
		err = v.Verify()
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		require.ErrorIs(t, err, ErrCorrupt, text)
	}
}

const exactPayloadAt = 64

// The number of keys that pass the first level is between that of the rarer
// class and that of all, and the sizes follow from the numbers.
func TestNumbersThatContradictEachOtherAreCorrupt(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)() // 3 columns
	set := func(at int, n uint64) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[24+at:], n)
			return b
		}
	}
	for _, c := range []struct {
		change func([]byte) []byte
		text   string
	}{
		{set(0, 1<<48+1), "keys = "},
		{set(8, 1<<48+1), "keys = "},
		{set(0, 0), "keys that pass = "},
		{set(16, 99), "keys that pass = 99, want 100 to 1100"},
		{set(16, 1101), "keys that pass = 1101, want 100 to 1100"},
		{set(8, 190), "keys that pass = "}, // ratio 1: all keys pass
		{set(16, 1100), "payload length"},
		{set(24, 0), "layers = 0"},
		{set(24, 33), "layers = 33"},
		{set(24, 1), "layers = 0"},
		{set(24, 1<<16|uint64(e.class.Layers())<<8|uint64(e.filter.Layers())), "parameters = "},
		{func(b []byte) []byte { // a word more than the levels have
			binary.LittleEndian.PutUint64(b[16:], e.params.Bytes+8)
			return slices.Insert(b, len(b)-8, make([]byte, 8)...)
		}, "payload length"},
		{func(b []byte) []byte { // a word less
			binary.LittleEndian.PutUint64(b[16:], e.params.Bytes-8)
			return slices.Delete(b, len(b)-16, len(b)-8)
		}, "payload length"},
	} {
		requireCorrupt(t, changed(t, e, c.change), c.text)
	}
}

// If the decoder accepted ones after the last threshold, two filters of the
// same keys could differ.
func TestUnusedBitsOfBothLevelsAreCorrupt(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)()
	for _, level := range []int{0, int(e.filter.PayloadBytes())} {
		layers := e.filter.Layers()
		if level > 0 {
			layers = e.class.Layers()
		}
		last := exactPayloadAt + level + 8*(layers-1) + 7 // of the thresholds of the first layer
		requireCorrupt(t, changed(t, e, func(b []byte) []byte { b[last] |= 0x80; return b }), "bits after the last threshold")
	}
}

// The header alone tells that a payload is too short or too long.
func TestExactParamsOfAWrongPayload(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)()
	for _, c := range []struct {
		at int
		n  uint64
	}{{24 + 16, 1100}, {16, 4096}, {16, 1 << 40}} { // keys that pass; bytes of the payload
		b := changed(t, e, func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[c.at:], c.n)
			return b
		})
		_, err := ReadExactParams(bytes.NewReader(b), hashfam.Family{})
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, "payload length")
	}
}

func TestTheMostOtherKeys(t *testing.T) {
	s := exactShape{ExactParams: ExactParams{Members: 1, Others: ribbon.MaxKeys}, passed: 1, filterLayers: 1, classLayers: 1}
	filter, _ := ribbon.Bounds(filterColumns(1, ribbon.MaxKeys), 1, 1)
	class, _ := ribbon.Bounds(classColumns, 1, 1)
	s.Bytes = filter + class
	require.NoError(t, s.check())
	s.Others++
	require.ErrorIs(t, s.check(), ErrCorrupt)
	require.ErrorContains(t, s.check(), "keys = 281474976710657, want at most 2^48")
}

// Equal compares both levels.
func TestEqualComparesBothLevels(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)()
	members, others := randomUniverse(100, 1000)
	other := mustExact(t, hashfam.Family{}, members, others)
	filter, class := *e, *e
	filter.filter, class.class = other.filter, other.class
	require.True(t, e.Equal(e))
	require.False(t, e.Equal(&filter))
	require.False(t, e.Equal(&class))
}
