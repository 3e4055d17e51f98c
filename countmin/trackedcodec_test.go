package countmin

import (
	"bytes"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// The largest K and budget are accepted, in a Config and in a frame, and one
// more is not.
func TestTheLargestTrackers(t *testing.T) {
	largest := TopKConfig{K: tracker.MaxK, MemoryBytes: tracker.MaxMemory}
	require.NoError(t, largest.check(ErrParams))
	if runtime.GOARCH == "wasm" || math.MaxInt == math.MaxInt32 {
		require.EqualValues(t, math.MaxInt32/2, tracker.MaxMemory)
	}
	heavy := must(must(NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory})).MarshalBinary())
	top := must(must(NewTopK(TopKConfig{K: tracker.MaxK, MemoryBytes: tracker.MinMemory})).MarshalBinary())
	require.NoError(t, new(TopK).UnmarshalBinary(top))
	c, err := ReadTopKConfig(bytes.NewReader(set(top, map[int]uint64{32: tracker.MaxMemory})), hashfam.Family{})
	require.NoError(t, err)
	require.Equal(t, largest, c)
	const what, memory = 24, 32 // offsets
	for _, c := range []struct {
		frame []byte
		at    int
		word  uint64
		field string
	}{
		{heavy, what, 0, "HeavyConfig.Phi"},
		{heavy, what, math.Float64bits(math.NaN()), "HeavyConfig.Phi"},
		{heavy, memory, 1, "HeavyConfig.MemoryBytes"},
		{heavy, memory, 1 << 63, "MemoryBytes"},
		{top, memory, tracker.MaxMemory + 1, "MemoryBytes"},
		{top, what, 0, "TopKConfig.K"},
		{top, what, tracker.MaxK + 1, "K"},
		{top, what, math.MaxUint64, "K"},
		// A budget that the platform may address, and that the payload does not
		// follow from.
		{heavy, memory, 330_382_104, "tail"},
		{top, memory, 1<<30 - 1, "tail"},
	} {
		var err error
		if b := set(c.frame, map[int]uint64{c.at: c.word}); &c.frame[0] == &heavy[0] {
			err = new(HeavyHitters).UnmarshalBinary(b)
		} else {
			err = new(TopK).UnmarshalBinary(b)
		}
		requireField(t, err, ErrCorrupt, c.field)
	}
}
