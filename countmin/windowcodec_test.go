package countmin

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// Whatever a frame's parameters are, decoding it and adding keys allocates no
// more than 64 times the frame, and 1 KiB and 16 times the key for each key.
func TestDecodedWindowsAllocateWhatTheirKeysNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := WindowConfig{
			Phi:   rapid.SampledFrom([]float64{math.SmallestNonzeroFloat64, 1e-9, 0.001, 1}).Draw(t, "phi"),
			Parts: rapid.SampledFrom([]int{1, 100, mostParts}).Draw(t, "panes"),
		}
		least := leastPartBytes * (c.Parts + 1)
		c.MemoryBytes = rapid.SampledFrom([]int{0, least, 4 * least, tracker.MaxMemory / 16, tracker.MaxMemory}).Draw(t, "memory")
		if c.Keys = rapid.SampledFrom([]uint64{0, 1, 10_000, mostKeys}).Draw(t, "keys of the window"); c.Keys == 0 {
			c.Span = time.Hour
		}
		frame := must(must(NewWindow(c)).MarshalBinary())
		most, keys := uint64(1<<10+64*len(frame)), make([]string, rapid.IntRange(1, 400).Draw(t, "keys"))
		length := rapid.SampledFrom([]int{4, 30, 2000}).Draw(t, "length")
		for i := range keys {
			keys[i] = fmt.Sprint(i, strings.Repeat("x", i%length))
			most += uint64(1<<10 + 16*len(keys[i]))
		}
		var w Window
		took := checks.LeastAllocated(1, func() {
			require.NoError(t, w.UnmarshalBinary(frame))
			for i, key := range keys {
				w.Advance(time.Unix(int64(60*i), 0))
				w.AddString(key)
			}
		})
		require.LessOrEqual(t, took, most)
		require.LessOrEqual(t, w.SizeBytes(), most)
		require.LessOrEqual(t, checks.LeastAllocated(1, func() { require.True(t, w.Clone().Equal(&w)) }), 2*most)
	})
}

// If the padding of a pane could move to the next pane, equal windows would have
// several encodings.
func TestPanesOfWindowsArePadded(t *testing.T) {
	w := must(NewWindow(WindowConfig{Phi: 0.5, Keys: 2, Parts: 1}))
	for _, key := range []string{"a", "a", "b"} {
		w.AddString(key)
	}
	frame := must(w.MarshalBinary())
	payload := frame[frametest.HeaderLen(frame) : len(frame)-8]
	first := binary.LittleEndian.Uint64(payload)
	record := 8 + 40 + 20 + len("a") // where the first pane's record ends
	require.EqualValues(t, 64, first)
	require.Equal(t, make([]byte, 3), payload[record:8+first])
	moved := append(append([]byte{}, payload[:record]...), payload[8+first:]...)
	binary.LittleEndian.PutUint64(moved, first-3)
	binary.LittleEndian.PutUint64(moved[record:], first+3)
	copy(payload, append(moved, 0, 0, 0))
	require.ErrorIs(t, new(Window).UnmarshalBinary(frametest.Seal(frame)), hashfam.ErrCorrupt)
}

// Phi is 0 if K is given. -0 would be a second encoding of the same window.
func TestWindowsHaveNoNegativePhi(t *testing.T) {
	w := must(NewWindow(WindowConfig{K: 3, Keys: 2, Parts: 1}))
	frame := must(w.MarshalBinary())
	require.NoError(t, new(Window).UnmarshalBinary(frame))
	binary.LittleEndian.PutUint64(frame[frametest.Params:], math.Float64bits(math.Copysign(0, -1)))
	require.ErrorIs(t, new(Window).UnmarshalBinary(frametest.Seal(frame)), hashfam.ErrCorrupt)
}
