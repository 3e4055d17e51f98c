package static

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// Decoding into a view must not write to the view's data, which can be a mapped
// file. The decoded filter must not use this data any more. After an error, the
// view must be unchanged.
func TestDecodingIntoAViewKeepsItsData(t *testing.T) {
	machine.Matters(t)
	for name, c := range map[string]struct {
		viewed, other func() conformance.Encoded
		open          func([]byte, hashfam.Family) (any, error)
	}{
		"Filter": {golden(Config{FPRate: 0.01}, 1000), golden(Config{FPRate: 0.01}, 900), filters.View},
		"Exact":  {goldenExact(Config{FPRate: 0.01}, 100, 1000), goldenExact(Config{FPRate: 0.01}, 90, 900), exacts.View},
	} {
		data, err := c.viewed().MarshalBinary()
		require.NoError(t, err)
		other, err := c.other().MarshalBinary()
		require.NoError(t, err)
		v, err := c.open(data, hashfam.Family{})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.NoError(t, err)
		view, before := v.(conformance.Encoded), bytes.Clone(data)
		for _, b := range [][]byte{other[:70], other} {
			err = view.UnmarshalBinary(b)
			require.Equal(t, len(b) == len(other), err == nil, name)
			frametest.Equal(t, before, data, name)
			again, err := view.MarshalBinary()
			require.NoError(t, err)
			require.Equal(t, len(b) == len(other), bytes.Equal(again, other), name)
		}
		clear(data)
		again, err := view.MarshalBinary()
		require.NoError(t, err)
		frametest.Equal(t, other, again, name)
	}
}

// A view of up to two layers, which is the usual number, should be allocated as
// a whole.
func TestViewIsASingleAllocation(t *testing.T) {
	machine.Matters(t)
	for _, n := range []int{10, 5000} {
		data, err := golden(Config{FPRate: 0.01}, n)().MarshalBinary()
		require.NoError(t, err)
		if _, err = NewView(data, hashfam.Family{}); errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { NewView(data, hashfam.Family{}) }), 1.0)
	}
}

// If a layer does not fit in the payload, digests that reach it must cause an
// error, and the result must be true.
func TestFrameReaderRejectsLayersThatDoNotFit(t *testing.T) {
	machine.Matters(t)
	b, err := golden(Config{FPRate: 0.01}, 1000)().MarshalBinary()
	require.NoError(t, err)
	for _, n := range []uint64{0, 900, 1 << 60} {
		binary.LittleEndian.PutUint64(b[64:], n) // the number of digests in the second layer
		refused := 0
		for _, d := range numbered(hashfam.Family{}, 1000, "") {
			if found, err := NewFrameReader(hashfam.Family{}).ContainsDigest(b, d); err != nil {
				require.True(t, found && errors.Is(err, hashfam.ErrCorrupt))
				refused++
			}
		}
		require.Greater(t, refused, 5)
	}
}
