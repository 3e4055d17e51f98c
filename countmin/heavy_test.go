package countmin

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
)

func keysOf(all func(func(string, Estimate) bool)) (keys []string) {
	for k := range all {
		keys = append(keys, k)
	}
	return keys
}

// At every prefix of a real stream, no heavy hitter is missed.
func TestNoHeavyHitterIsMissedAtAnyMoment(t *testing.T) {
	for _, s := range []*stream{weblog(), weblog().ascending()} {
		h, counts := must(NewHeavyHitters(HeavyConfig{Phi: 1.0 / 50})), map[string]uint64{}
		for i, id := range s.IDs {
			key := string(s.Keys[id])
			h.AddString(key)
			counts[key]++
			// A key can become heavy only when it comes, so the rest need a
			// look only now and then.
			require.True(t, h.Complete())
			require.True(t, counts[key] < h.Threshold() || h.EstimateString(key).High >= h.Threshold())
			if i%97 == 0 {
				checkTracked(t, counts, h)
				checkHeavy(t, counts, h)
			}
		}
	}
}

// A key that is too long to be tracked counts as much as a heavy hitter has to,
// or less.
func TestCompleteAtTheThreshold(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.5, MemoryBytes: tracker.MinMemory}))
	h.AddN(make([]byte, 9000), 5)
	h.AddN([]byte("a"), 5)
	require.EqualValues(t, 5, h.MissBound())
	require.EqualValues(t, 5, h.Threshold())
	require.False(t, h.Complete())
	h.AddN([]byte("a"), 1)
	require.EqualValues(t, 6, h.Threshold())
	require.True(t, h.Complete())
	require.EqualValues(t, 7, threshold(0.07, 100), "though 0.07*100 is above 7")
}

// A budget that the keys do not fit is not exceeded, and the answer says that
// it may be short.
func TestTooSmallABudgetIsAdmitted(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.01, MemoryBytes: 2048}))
	huge := strings.Repeat("x", 4096)
	for i := range 1000 {
		h.AddString(huge)
		h.AddString(fmt.Sprint("small ", i%10))
	}
	require.False(t, h.Complete())
	require.GreaterOrEqual(t, h.MissBound(), uint64(1000))
	require.NotContains(t, maps.Collect(h.All()), huge)
	require.GreaterOrEqual(t, h.EstimateString(huge).High, uint64(1000))
	for i := range 10 { // and the keys that fit are found for all that
		require.Equal(t, Estimate{100, 100}, h.EstimateString(fmt.Sprint("small ", i)))
	}
	require.LessOrEqual(t, h.SizeBytes(), uint64(2048))

	for i := range uint64(1000) { // each is a hundredth or less: far too many
		h.AddN([]byte(fmt.Sprint("spread ", i)), 30)
	}
	require.False(t, h.Complete())
	h.AddN([]byte("one"), 1<<30) // now a hundredth is more than any of them
	require.True(t, h.Complete())
	require.Equal(t, []string{"one"}, keysOf(h.All()))
}
