package filterbeam

import (
	"fmt"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	register.Function2x0(noneOf)
	register.Function1x2(stamped)
}

// forms returns the keys as collections of each type.
func forms(keys [][]byte) []any {
	var texts []string
	for _, key := range keys {
		texts = append(texts, string(key))
	}
	return []any{texts, keys, hashfam.Family{}.SumAll(nil, keys)}
}

// noneOf emits nothing.
func noneOf(string, func(string)) {}

// stamped gives a key a time in one of many windows.
func stamped(key string) (beam.EventTime, string) {
	return mtime.FromTime(time.Unix(int64(60*len(key)), 0)), key
}

// Build ignores the windows of its collection, which may be empty.
func TestBuildOfCollectionsInWindowsAndWithoutKeys(t *testing.T) {
	var texts [][]byte
	for i, key := range testKeys(200) {
		texts = append(texts, append(key, "windows of a minute"[:i%19]...))
	}
	windowed := func(s beam.Scope, p Plan, out string) {
		timed := beam.ParDo(s, stamped, beam.CreateList(s, forms(texts)[0]))
		Build(s, p, out, beam.WindowInto(s, window.NewFixedWindows(time.Minute), timed))
	}
	none := func(s beam.Scope, p Plan, out string) {
		Build(s, p, out, beam.ParDo(s, noneOf, beam.Create(s, "dropped")))
	}
	for _, n := range []int{0, 7} {
		p := must(bloomPlan(bloom.Blocked).Windows(n))
		frame, _ := runJob(t, p, prismRunner, windowed)
		require.Equal(t, bloomFrame(texts), frame, "%d windows", n)
		frame, _ = runJob(t, p, prismRunner, none)
		require.Equal(t, bloomFrame(nil), frame, "%d windows", n)
	}
}

// zipf returns a stream in which key i occurs about n/i times, and the counts.
func zipf(n int) (stream [][]byte, counts map[string]uint64) {
	counts = map[string]uint64{}
	for i := 1; i <= n; i++ {
		key := fmt.Appendf(nil, "word %d", i)
		for range n / i {
			stream = append(stream, key)
		}
		counts[string(key)] = uint64(n / i)
	}
	for i := range stream { // a fixed shuffle
		j := int(uint64(i) * 0x9E3779B97F4A7C15 >> 1 % uint64(i+1))
		stream[i], stream[j] = stream[j], stream[i]
	}
	return stream, counts
}

// Many bundles build heavy hitters that are complete, and the k most frequent
// keys, since all counts of a key meet in one shard.
func TestHeavyHittersAndTopKAreComplete(t *testing.T) {
	stream, counts := zipf(20_000)
	pattern := writeKeys(t, t.TempDir(), stream, 16)
	var h countmin.HeavyHitters
	frame, _ := runJob(t, must(Heavy(countmin.HeavyConfig{Phi: 0.001})), repeated(1, false), files(pattern))
	require.NoError(t, h.UnmarshalBinary(frame))
	require.True(t, h.Complete())
	require.EqualValues(t, len(stream), h.Total())
	found := map[string]countmin.Estimate{}
	for key, estimate := range h.All() {
		found[key] = estimate
	}
	for key, n := range counts {
		if n >= h.Threshold() {
			require.Contains(t, found, key)
			require.True(t, found[key].Low <= n && n <= found[key].High, key)
		}
	}
	var k countmin.TopK
	frame, _ = runJob(t, must(TopK(countmin.TopKConfig{K: 100})), repeated(1, false), files(pattern))
	require.NoError(t, k.UnmarshalBinary(frame))
	require.True(t, k.Complete())
	require.EqualValues(t, len(stream), k.Total())
	n := 0
	for key, estimate := range k.All() {
		n++
		require.True(t, estimate.Low <= counts[key] && counts[key] <= estimate.High, key)
		require.GreaterOrEqual(t, counts[key], uint64(20_000/101), key)
	}
	require.Equal(t, 100, n)
}
