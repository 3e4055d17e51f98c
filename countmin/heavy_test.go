package countmin

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// reported returns what All yields, having checked order and repetitions.
func reported(t require.TestingT, h interface {
	EstimateString(string) Estimate
}, all func(func(string, Estimate) bool)) map[string]Estimate {
	got := map[string]Estimate{}
	lastKey, last := "", Estimate{Count: math.MaxUint64}
	all(func(k string, e Estimate) bool {
		require.NotContains(t, got, k, "reported twice")
		require.True(t, e.Count < last.Count || e.Count == last.Count && (k > lastKey || len(got) == 0), "order")
		require.Equal(t, e, h.EstimateString(k))
		got[k], lastKey, last = e, k, e
		return true
	})
	return got
}

// bounded checks that e may be the estimate of a key that counts n.
func bounded(t require.TestingT, key string, n uint64, e Estimate) {
	require.True(t, e.Low <= n && n <= e.High && e.Count == e.High, "%.40q counts %d, not %v", key, n, e)
}

// The model of heavy hitters is a map. At every moment, with a budget or
// without, after additions of any weight, merges and round trips: the bounds of
// every key hold, tracked or not, and while memory suffices every heavy hitter
// is reported.
func TestHeavyHittersBesideAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := HeavyConfig{
			Phi:         rapid.SampledFrom([]float64{1, 0.3, 0.1, 0.02, 0.004}).Draw(t, "phi"),
			MemoryBytes: rapid.SampledFrom([]int{0, 0, tracker.MinMemory, 1500, 4000}).Draw(t, "memory"),
		}
		h := must(NewHeavyHitters(c))
		truth, total := map[string]uint64{}, uint64(0)
		keys := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(0, 80).Draw(t, "key")
			return strings.Repeat("k", n*n%9*n%300) + fmt.Sprint(n)
		})
		add := func(t *rapid.T, h *HeavyHitters) {
			for range rapid.IntRange(1, 30).Draw(t, "some") {
				k, n := keys.Draw(t, "key"), rapid.Uint64Range(1, 20).Draw(t, "n")
				if rapid.IntRange(0, 9).Draw(t, "heavy") == 0 {
					n *= n * n
				}
				h.AddNString(k, n)
				truth[k] += n
				total += n
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) { add(t, h) },
			"merge": func(t *rapid.T) {
				other := must(NewHeavyHitters(c))
				add(t, other)
				require.NoError(t, h.Merge(other))
			},
			"round trip": func(t *rapid.T) {
				b := must(h.MarshalBinary())
				h = NewHeavyReceiver(hashfam.Family{})
				require.NoError(t, h.UnmarshalBinary(b))
			},
			"": func(t *rapid.T) {
				require.Equal(t, total, h.Total())
				all := reported(t, h, h.All())
				for k, n := range truth {
					bounded(t, k, n, h.EstimateString(k))
					if float64(n) >= c.Phi*float64(total) && h.Complete() {
						require.Contains(t, all, k)
					}
					if _, ok := all[k]; !ok {
						require.LessOrEqual(t, n, max(h.MissBound(), h.Threshold()-1))
					}
				}
				require.Subset(t, slices.Collect(maps.Keys(truth)), slices.Collect(maps.Keys(all)), "unheard of")
				for _, e := range all {
					require.GreaterOrEqual(t, e.Count, h.Threshold())
				}
				if c.MemoryBytes == 0 {
					require.True(t, h.Complete(), "memory grows as the guarantee needs")
				} else {
					require.LessOrEqual(t, h.SizeBytes(), uint64(c.MemoryBytes))
				}
			},
		})
	})
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
				require.GreaterOrEqual(t, h.Estimate(s.Keys[id]).Count, h.Threshold())
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
				require.LessOrEqual(t, h.EstimateString(k).Count, n+n/100, k)
			}
		}
	}
}

// Keys are copied when they are admitted, so the caller's buffer is free again.
func TestKeysAreCopied(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.1}))
	k := must(NewTopK(TopKConfig{K: 3}))
	buf := []byte("first")
	h.Add(buf)
	k.Add(buf)
	copy(buf, "other")
	for key := range h.All() {
		require.Equal(t, "first", key)
	}
	for key := range k.All() {
		require.Equal(t, "first", key)
	}
}

func TestKeysOfAnyLengthAreReportedAsTheyAre(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 1e-6}))
	r := rand.New(rand.NewPCG(3, 3))
	want := map[string]Estimate{}
	for n := range 600 {
		key := make([]byte, n)
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		h.AddN(key, uint64(n)+1)
		want[string(key)] = Estimate{uint64(n) + 1, uint64(n) + 1, uint64(n) + 1}
	}
	require.Equal(t, want, maps.Collect(h.All()))
	require.NoError(t, h.UnmarshalBinary(must(h.MarshalBinary())))
	require.Equal(t, want, maps.Collect(h.All()))
}

func TestTopKReportsTheMostFrequent(t *testing.T) {
	k := must(NewTopK(TopKConfig{K: 3}))
	require.Empty(t, maps.Collect(k.All()))
	require.True(t, k.Complete(), "nothing is missing of nothing")
	k.AddString("a")
	k.AddNString("b", 5)
	require.Equal(t, map[string]Estimate{"a": {1, 1, 1}, "b": {5, 5, 5}}, maps.Collect(k.All()), "fewer than k")
	require.True(t, k.Complete())
	k.AddAll([][]byte{[]byte("c"), []byte("c"), []byte("d"), []byte("d"), []byte("d"), nil})
	require.Equal(t, []string{"b", "d", "c"}, keysOf(k.All()))
	require.True(t, k.Complete())
	k.AddString("a") // as often as c: either may be third
	require.Equal(t, []string{"b", "d", "a"}, keysOf(k.All()))
	require.True(t, k.Complete())
}

func keysOf(all func(func(string, Estimate) bool)) (keys []string) {
	for k := range all {
		keys = append(keys, k)
	}
	return keys
}

// A sequence that All returned before another top k was decoded into this one
// yields the keys of that, as many as it is to report.
func TestASequenceGoesWithTheTopK(t *testing.T) {
	top := must(NewTopK(TopKConfig{K: 2}))
	for _, key := range []string{"a", "b", "b", "c", "c", "c"} {
		top.AddString(key)
	}
	for _, k := range []*TopK{{}, must(NewTopK(TopKConfig{K: 1})), must(NewTopK(TopKConfig{K: 9}))} {
		all := k.All()
		require.NoError(t, k.UnmarshalBinary(must(top.MarshalBinary())))
		require.Equal(t, []string{"c", "b"}, keysOf(all))
	}
}

func TestTopKBesideAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := TopKConfig{K: rapid.IntRange(1, 8).Draw(t, "k"), MemoryBytes: rapid.SampledFrom([]int{0, tracker.MinMemory, 3000}).Draw(t, "memory")}
		k := must(NewTopK(c))
		truth := map[string]uint64{}
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			part := must(NewTopK(c))
			for range rapid.IntRange(0, 150).Draw(t, "length") {
				key := fmt.Sprint(rapid.IntRange(0, 90).Draw(t, "key"))
				n := rapid.Uint64Range(1, 9).Draw(t, "n")
				part.AddNString(key, n)
				truth[key] += n
			}
			require.NoError(t, k.Merge(part))
		}
		all := reported(t, k, k.All())
		require.Len(t, all, min(c.K, len(all)))
		least := uint64(math.MaxUint64)
		for key, n := range truth {
			bounded(t, key, n, k.EstimateString(key))
			if _, ok := all[key]; ok {
				least = min(least, n)
			}
		}
		if !k.Complete() {
			return
		}
		require.Len(t, all, min(c.K, len(truth)))
		for key, n := range truth {
			if _, ok := all[key]; !ok {
				require.LessOrEqual(t, n, least, "%s is among the top", key)
			}
		}
	})
}

func TestADecodedOneGoesOnAsTheOriginal(t *testing.T) {
	s := streams.MobyDick()
	for _, memory := range []int{2000, 16 << 10} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: memory}))
		for _, id := range s.IDs[:100_000] {
			h.Add(s.Keys[id])
		}
		g := NewHeavyReceiver(hashfam.Family{})
		_, err := g.ReadFrom(bytes.NewReader(must(h.MarshalBinary())))
		require.NoError(t, err)
		for _, id := range s.IDs[100_000:] {
			h.Add(s.Keys[id])
			g.Add(s.Keys[id])
		}
		require.True(t, g.Equal(h))
		require.Equal(t, h.SizeBytes(), g.SizeBytes())
	}
}

func TestZeroTrackersDoNotPanic(t *testing.T) {
	var h HeavyHitters
	var k TopK
	h.AddString("a")
	h.AddAll([][]byte{nil})
	k.AddN(nil, 7)
	require.Empty(t, maps.Collect(h.All()))
	require.Empty(t, maps.Collect(k.All()))
	require.Equal(t, Estimate{math.MaxUint64, 0, math.MaxUint64}, h.EstimateString("a"))
	h.Complete()
	k.Complete()
	h.Reset()
	k.Reset()
	require.NoError(t, h.Merge(h.Clone()))
	require.NoError(t, k.Merge(k.Clone()))
	require.True(t, h.Equal(&HeavyHitters{}))
	for _, err := range []error{h.Merge(nil), k.Merge(nil)} {
		require.ErrorIs(t, err, ErrIncompatible)
	}
	_, err := h.MarshalBinary()
	require.ErrorIs(t, err, ErrParams)
	_, err = k.MarshalBinary()
	require.ErrorIs(t, err, ErrParams)
	require.False(t, h.Equal(nil))
	require.False(t, k.Equal(nil))
	require.ErrorIs(t, (*HeavyHitters)(nil).AddAllDigests(nil, nil), ErrParams)
	require.ErrorIs(t, (*TopK)(nil).AddAllDigests(nil, nil), ErrParams)
}

func TestCountsDoNotWrap(t *testing.T) {
	for _, memory := range []int{0, tracker.MinMemory} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.5, MemoryBytes: memory}))
		for range 3 {
			h.AddNString("a", math.MaxUint64)
			for i := range 200 {
				h.AddNString(fmt.Sprint(i), math.MaxUint64/2)
			}
		}
		require.Equal(t, uint64(math.MaxUint64), h.Total())
		require.Equal(t, uint64(math.MaxUint64), h.EstimateString("a").High)
		other := h.Clone()
		require.NoError(t, h.Merge(other))
		require.Equal(t, uint64(math.MaxUint64), h.EstimateString("a").High)
		require.NoError(t, h.UnmarshalBinary(must(h.MarshalBinary())))
	}
}
