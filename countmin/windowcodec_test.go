package countmin

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/internal/checks"
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
