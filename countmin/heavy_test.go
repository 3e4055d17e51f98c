package countmin

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
)

// reported returns what All yields, having checked order and repetitions.
func reported(t require.TestingT, h interface {
	EstimateString(string) Estimate
}, all func(func(string, Estimate) bool)) map[string]Estimate {
	got := map[string]Estimate{}
	lastKey, last := "", Estimate{High: math.MaxUint64}
	all(func(k string, e Estimate) bool {
		require.NotContains(t, got, k, "reported twice")
		require.True(t, e.High < last.High || e.High == last.High && (k > lastKey || len(got) == 0), "order")
		require.Equal(t, e, h.EstimateString(k))
		got[k], lastKey, last = e, k, e
		return true
	})
	return got
}

// bounded checks that e may be the estimate of a key that counts n.
func bounded(t require.TestingT, key string, n uint64, e Estimate) {
	require.True(t, e.Low <= n && n <= e.High, "%.40q counts %d, not %v", key, n, e)
}

func keysOf(all func(func(string, Estimate) bool)) (keys []string) {
	for k := range all {
		keys = append(keys, k)
	}
	return keys
}

// At every prefix of a real stream, no heavy hitter is missed.
func TestNoHeavyHitterIsMissedAtAnyMoment(t *testing.T) {
	for _, s := range []*streams.Stream{streams.Weblog(), streams.Weblog().Ascending()} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 1.0 / 50}))
		truth := make([]uint64, len(s.Keys))
		for i, id := range s.IDs {
			h.Add(s.Keys[id])
			truth[id]++
			// A key can become heavy only when it comes, so the rest need a
			// look only now and then.
			n := uint64(i + 1)
			if 50*truth[id] >= n {
				require.GreaterOrEqual(t, h.Estimate(s.Keys[id]).High, h.Threshold())
			}
			if i%97 == 0 {
				all := reported(t, h, h.All())
				for id, c := range truth {
					if 50*c >= n {
						require.Contains(t, all, string(s.Keys[id]), "after %d", n)
					}
				}
			}
			require.True(t, h.Complete())
		}
	}
}

func TestKnownHeavyHitters(t *testing.T) {
	for _, c := range []struct {
		stream *streams.Stream
		want   map[string]uint64
	}{
		{streams.MobyDick(), map[string]uint64{"the": 14534, "of": 6624, "and": 6447, "a": 4747, "to": 4627}},
		{streams.Weblog(), map[string]uint64{
			"/favicon.ico": 807, "/style2.css": 546, "/reset.css": 538, "/images/jordan-80.png": 533,
			"/images/web/2009/banner.png": 516, "/blog/tags/puppet?flav=rss20": 488,
			"/projects/xdotool/": 224, "/?flav=rss20": 217,
		}},
		{streams.Web12(), map[string]uint64{}},
	} {
		for _, memory := range []int{0, 16 << 10, 64 << 10} {
			h := must(NewHeavyHitters(HeavyConfig{Phi: 1.0 / 50, MemoryBytes: memory}))
			for _, id := range c.stream.IDs {
				h.Add(c.stream.Keys[id])
			}
			require.True(t, h.Complete())
			certain := map[string]uint64{}
			for k, e := range reported(t, h, h.All()) {
				if e.Low >= h.Threshold() {
					certain[k] = e.Low
				}
				bounded(t, k, c.stream.Counts()[k], e)
			}
			for k, low := range certain {
				require.Contains(t, c.want, k, "%s: %d at least", c.stream.Name, low)
			}
			// The near misses, "in" with 4,184 of 4,381 and "/" with 197 of
			// 200, are not even reported: they are tracked from early on.
			require.Len(t, reported(t, h, h.All()), len(c.want), c.stream.Name)
			for k, n := range c.want {
				require.LessOrEqual(t, h.EstimateString(k).High, n+n/100, k)
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
