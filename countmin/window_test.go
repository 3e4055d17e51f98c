package countmin

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/internal/checks"
)

// Fields that are not given have default values. The largest windows are valid
// and can be decoded.
func TestWindowConfigsHaveDefaults(t *testing.T) {
	for _, c := range []struct{ config, want WindowConfig }{
		{WindowConfig{Phi: 0.1, Keys: 10}, WindowConfig{Phi: 0.1, Keys: 10, Parts: 8}},
		{WindowConfig{Phi: 0.1, Span: 1001}, WindowConfig{Phi: 0.1, Span: 1008, Parts: 8}},
		{config: WindowConfig{Phi: 1, Keys: mostKeys, Parts: mostParts, MemoryBytes: tracker.MaxMemory}},
		{config: WindowConfig{Phi: 0.1, Keys: 1, Parts: 1, MemoryBytes: 2 * leastPartBytes}},
		{config: WindowConfig{Phi: 0.1, Span: math.MaxInt64 - mostParts, Parts: 1}},
		{config: WindowConfig{K: tracker.MaxK, Keys: mostKeys, Parts: mostParts}},
	} {
		if c.want == (WindowConfig{}) {
			c.want = c.config
		}
		w, g := must(NewWindow(c.config)), new(Window)
		require.Equal(t, c.want, w.Config())
		require.NoError(t, g.UnmarshalBinary(must(w.MarshalBinary())))
		require.Equal(t, c.want, g.Config())
	}
	// Each of the five panes, one more than 4, must find 4/5 of Phi.
	require.Equal(t, tracker.Goal{Phi: 0.5 * 4 / 5}, WindowConfig{Phi: 0.5, Keys: 1, Parts: 4}.goal())
	require.Equal(t, tracker.Goal{Phi: 0.5 * 4 / 5, Memory: 2000}, WindowConfig{Phi: 0.5, Keys: 1, Parts: 4, MemoryBytes: 10_256}.goal())
	require.Equal(t, tracker.Goal{K: 7}, WindowConfig{K: 7, Keys: 1, Parts: 4}.goal())
}

// Throughout real streams, a window reports the top pages of exactly the last
// 10,000 requests, and of exactly the last hour.
func TestWindowsOfRealStreamsMissNoKey(t *testing.T) {
	for _, c := range []struct {
		stream *stream
		config WindowConfig
	}{
		{web12(), WindowConfig{Phi: 0.01, Keys: 10_000}},
		{weblog(), WindowConfig{Phi: 0.002, Keys: 1_000, Parts: 3}},
		{weblog(), WindowConfig{Phi: 0.02, Keys: 2_000, MemoryBytes: 64 << 10}},
		{weblog(), WindowConfig{Phi: 0.01, Span: time.Hour}},
		{web12(), WindowConfig{Phi: 0.01, Span: time.Hour, Parts: 60, MemoryBytes: 512 << 10}},
	} {
		w, r, keys := must(NewWindow(c.config)), rand.New(rand.NewPCG(3, 4)), c.stream.Keys
		var times []time.Duration // requests come in bursts, a few thousand in an hour
		now, first, reports, extra := time.Duration(0), 0, 0, 0
		for i, key := range keys {
			if now += time.Duration(r.ExpFloat64() * float64(time.Second)); r.IntN(2000) == 0 {
				now += 10 * time.Minute
			}
			times = append(times, now)
			w.Advance(time.Unix(0, int64(now)))
			w.AddString(key)
			if (i+1)%(len(keys)/20) != 0 {
				continue
			}
			for w.Config().Keys > 0 && first < i+1-int(w.Config().Keys) || w.Config().Keys == 0 && times[first] <= now-w.Config().Span {
				first++
			}
			require.True(t, w.Complete(), "%v after %d: missed %d of %d", w, i, w.MissBound(), w.Threshold())
			all := maps.Collect(w.All())
			for key, n := range newStream("", keys[first:i+1]).Counts {
				if float64(n) >= w.Config().Phi*float64(i+1-first) {
					require.Contains(t, all, key, "%v after %d", w, i)
					require.GreaterOrEqual(t, all[key].High, n)
					reports++
				}
			}
			extra += len(all)
		}
		t.Logf("%s, %v: %d heavy hitters of exactly the window, %d reported, %d bytes", c.stream.Name, w, reports, extra, w.SizeBytes())
		if c.config.Span > 0 {
			checks.Documented(t, "theory.md", "%d keys are reported for %d heavy hitters of %s", extra, reports, c.stream.Name)
		}
		require.NotZero(t, reports)
		require.Less(t, extra, 2*reports, "far too many are reported")
	}
}

// A single AddN has the same effect as n Adds, however large n is.
func TestAddNOfAWindowEqualsManyAdds(t *testing.T) {
	for _, keys := range []uint64{1, 5, 30} {
		for panes := range 4 {
			for n := range uint64(40) {
				one := must(NewWindow(WindowConfig{Phi: 0.1, Keys: keys, Parts: panes, MemoryBytes: 1 << 14}))
				many := one.Clone()
				for _, w := range []*Window{one, many} {
					w.AddString("a")
					w.AddN([]byte("b"), 3)
				}
				one.AddN([]byte("c"), n)
				for range n {
					many.AddString("c")
				}
				require.True(t, one.Equal(many), "%d keys, %d panes, n %d", keys, panes, n)
			}
		}
	}
	w := must(NewWindow(WindowConfig{Phi: 0.1, Keys: mostKeys, Parts: 1}))
	w.AddN([]byte("a"), math.MaxUint64)
	require.Equal(t, uint64(mostKeys+mostKeys-1), w.Total()) // all but the last three are in full panes
	w = must(NewWindow(WindowConfig{Phi: 0.1, Keys: 1000}))
	w.AddN([]byte("a"), math.MaxUint64)
	require.LessOrEqual(t, w.Total(), uint64(1125))
	require.GreaterOrEqual(t, w.Total(), uint64(1000))
}

// If the oldest pane has counted 2^64-1 keys or more, the threshold is still a
// fraction of the keys that came since.
func TestThresholdIgnoresTheOldestPane(t *testing.T) {
	start := time.Unix(0, 0)
	for _, old := range []uint64{math.MaxUint64, math.MaxUint64 - 5} {
		w := must(NewWindow(WindowConfig{Phi: 0.5, Span: time.Hour, Parts: 2}))
		w.Advance(start)
		w.AddN([]byte("old"), old)
		w.Advance(start.Add(time.Hour))
		w.AddN([]byte("new"), 10)
		require.EqualValues(t, uint64(math.MaxUint64), w.Total())
		require.EqualValues(t, 5, w.Threshold())
		require.True(t, w.Complete())
		require.Len(t, maps.Collect(w.All()), 2)
	}
}

// Windows that have counted the same are not equal if their times differ.
func TestEqualComparesTheTime(t *testing.T) {
	w := must(NewWindow(WindowConfig{Phi: 0.5, Span: time.Hour}))
	earlier := w.Clone()
	earlier.Advance(time.Unix(0, 0))
	require.False(t, w.Equal(earlier) || earlier.Equal(w))
}
