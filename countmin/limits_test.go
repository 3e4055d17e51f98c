package countmin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

// epsilonFor returns an Epsilon that asks for that width.
func epsilonFor(t *testing.T, width uint64) float64 {
	epsilon := math.E / float64(width)
	for sizing.CountMinWidth(epsilon) > width {
		epsilon = math.Nextafter(epsilon, 1)
	}
	require.Equal(t, width, sizing.CountMinWidth(epsilon))
	return epsilon
}

// The widest sketch at a depth has 2^48 bits, or all that the platform can
// address. One counter more in a row is an error, however it is asked for.
func TestTheWidestSketches(t *testing.T) {
	for _, c := range []struct {
		bits, depth int
		delta       float64
	}{{32, 1, 0.5}, {64, 1, 0.5}, {32, 2, 0.2}, {64, 3, 0.06}} {
		width := uint64(sizing.MaxBits) / uint64(c.bits) / uint64(c.depth)
		want := Params{Width: width, Depth: c.depth, CounterBits: c.bits}
		for _, config := range []Config{
			{Width: width, Depth: c.depth, CounterBits: c.bits},
			{Epsilon: epsilonFor(t, width), Delta: c.delta, CounterBits: c.bits},
		} {
			p, err := config.Params()
			require.NoError(t, err)
			require.Equal(t, want, p)
		}
		_, err := Config{Width: width + 1, Depth: c.depth, CounterBits: c.bits}.Params()
		requireField(t, err, ErrParams, "Config.Width")
		_, err = Config{Epsilon: epsilonFor(t, width+1), Delta: c.delta, CounterBits: c.bits}.Params()
		requireField(t, err, ErrParams, "Config.Epsilon")
	}
}

// Digests of 64 bits allow a Delta above 1/(2^64 Epsilon).
func TestTheLeastDelta(t *testing.T) {
	floor := math.Ldexp(1, -63) // at an Epsilon of 1/2
	_, err := Config{Epsilon: 0.5, Delta: floor}.Params()
	requireField(t, err, ErrParams, "Config.Delta")
	require.ErrorContains(t, err, "= 1.08e-19,")
	p, err := Config{Epsilon: 0.5, Delta: math.Nextafter(floor, 1)}.Params()
	require.NoError(t, err)
	require.Equal(t, Params{Width: 6, Depth: 44, CounterBits: 32}, p)
}

func TestSizeOfBothWidthsOfCounters(t *testing.T) {
	require.EqualValues(t, 4*10*3, mustNew(t, Params{Width: 10, Depth: 3, CounterBits: 32}).SizeBytes())
	require.EqualValues(t, 8*10*3, mustNew(t, Params{Width: 10, Depth: 3, CounterBits: 64}).SizeBytes())
}

// The largest K, budget and number of panes are accepted, in a Config and in a
// frame, and one more is not.
func TestTheLargestTrackers(t *testing.T) {
	k := must(NewTopK(TopKConfig{K: tracker.MaxK, MemoryBytes: tracker.MinMemory}))
	require.NoError(t, new(TopK).UnmarshalBinary(must(k.MarshalBinary())))
	_, err := NewTopK(TopKConfig{K: tracker.MaxK + 1})
	requireField(t, err, ErrParams, "TopKConfig.K")
	require.NoError(t, checkMemory("", tracker.MinMemory, ErrParams))
	require.NoError(t, checkMemory("", tracker.MaxMemory, ErrParams))
	require.ErrorIs(t, checkMemory("", tracker.MaxMemory+1, ErrParams), ErrParams)
	if runtime.GOARCH == "wasm" || math.MaxInt == math.MaxInt32 {
		require.EqualValues(t, math.MaxInt32/2, tracker.MaxMemory)
	}

	b := must(k.MarshalBinary())
	for budget, ok := range map[uint64]bool{tracker.MaxMemory: true, tracker.MaxMemory + 1: false} {
		binary.LittleEndian.PutUint64(b[32:], budget)
		conformance.Reseal(b)
		c, err := ReadTopKParams(bytes.NewReader(b), hashfam.Family{})
		if !ok {
			requireField(t, err, ErrCorrupt, "MemoryBytes")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, TopKConfig{K: tracker.MaxK, MemoryBytes: tracker.MaxMemory}, c)
	}
}

// A key that is too long to be tracked counts as much as a heavy hitter has to,
// or less.
func TestCompleteAtTheThreshold(t *testing.T) {
	type structure interface {
		AddNString(key string, n uint64)
		Complete() bool
		MissBound() uint64
		Threshold() uint64
	}
	config := HeavyConfig{Phi: 0.5, MemoryBytes: tracker.MinMemory}
	for _, h := range []structure{must(NewHeavyHitters(config)), must(NewConcurrentHeavyHitters(config))} {
		h.AddNString(strings.Repeat("x", 9000), 5)
		h.AddNString("a", 5)
		require.EqualValues(t, 5, h.MissBound())
		require.EqualValues(t, 5, h.Threshold())
		require.False(t, h.Complete())
		h.AddNString("a", 1)
		require.EqualValues(t, 6, h.Threshold())
		require.True(t, h.Complete())
	}
}

// The keys of a TopK are certain if the last of them counts at least as much as
// any other may: a tracked one or, in the second column, one that is too long
// to be tracked.
func TestWhenATopKIsComplete(t *testing.T) {
	for _, c := range []struct {
		k        int
		missed   uint64
		counts   []uint64
		complete bool
	}{
		{1, 0, nil, true},
		{1, 0, []uint64{5}, true},
		{2, 0, []uint64{5}, true},
		{2, 1, []uint64{5}, false},
		{1, 4, []uint64{5}, true},
		{1, 5, []uint64{5}, true},
		{1, 6, []uint64{5}, false},
		{1, 0, []uint64{5, 4}, true},
		{1, 0, []uint64{5, 5}, true},
		{1, 6, []uint64{7, 5}, true},
		{2, 6, []uint64{7, 5, 1}, false},
		{2, 5, []uint64{7, 5, 1}, true},
	} {
		k := must(NewTopK(TopKConfig{K: c.k, MemoryBytes: tracker.MinMemory}))
		k.AddNString(strings.Repeat("x", 9000), c.missed)
		for i, n := range c.counts {
			k.AddNString(fmt.Sprint(i), n)
		}
		require.Equal(t, c.missed, k.MissBound())
		require.Equal(t, c.complete, k.Complete(), "%+v", c)
	}
}

// There are 32 shards a processor, rounded up to a power of two, at most 256,
// and none of less than 4 KiB; and 8 lanes a processor.
func TestShardsAndLanesOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, shards := range map[int]int{1: 32, 2: 64, 3: 128, 8: 256, 16: 256} {
		if runtime.GOMAXPROCS(processors); runtime.GOMAXPROCS(0) != processors {
			continue // WebAssembly has one
		}
		require.Equal(t, shards, shardsFor(HeavyConfig{}), "%d processors", processors)
		require.Len(t, newGate().lanes, 8*processors)
		for budget, n := range map[int]int{1 << 10: 1, 8<<10 - 1: 1, 8 << 10: 2, 16<<10 - 1: 2, 128 << 10: 32, 128<<10 - 1: 16} {
			require.Equal(t, n, shardsFor(HeavyConfig{MemoryBytes: budget}), "%d bytes", budget)
		}
	}
}

// A shard tells the others what it has counted whenever that is a sixteenth
// more.
func TestHowOftenAShardInformsTheOthers(t *testing.T) {
	c := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: 1 << 10}))
	for _, step := range []struct{ n, told uint64 }{{1, 1}, {1, 2}, {1, 3}, {29, 32}, {1, 32}, {1, 32}, {1, 35}, {2, 35}, {1, 38}} {
		c.AddNString("a", step.n)
		require.Equal(t, step.told, c.shards[0].counted.Load(), "of %d", c.Total())
	}
}

// The limits of a window.
func TestTheLargestWindows(t *testing.T) {
	for _, c := range []WindowConfig{
		{Phi: 1, Keys: mostKeys, Panes: mostPanes, MemoryBytes: tracker.MaxMemory},
		{Phi: 0.1, Keys: 1, Panes: 1, MemoryBytes: 2 * leastPaneBytes},
		{Phi: 0.1, Span: math.MaxInt64 - mostPanes, Panes: 1},
	} {
		w, err := NewWindow(c)
		require.NoError(t, err)
		g := NewWindowReceiver(hashfam.Family{})
		require.NoError(t, g.UnmarshalBinary(must(w.MarshalBinary())))
		require.Equal(t, c, g.Params())
	}
	for field, c := range map[string]WindowConfig{
		"WindowConfig.Phi":         {Keys: 1},
		"WindowConfig.Keys":        {Phi: 1, Keys: mostKeys + 1},
		"WindowConfig.Panes":       {Phi: 1, Keys: 1, Panes: mostPanes + 1},
		"WindowConfig.MemoryBytes": {Phi: 1, Keys: 1, MemoryBytes: tracker.MaxMemory + 1},
	} {
		_, err := NewWindow(c)
		requireField(t, err, ErrParams, field)
	}
	// A Span need not be a multiple of Panes; this one is too long.
	_, err := NewWindow(WindowConfig{Phi: 1, Span: math.MaxInt64 - mostPanes, Panes: mostPanes})
	require.ErrorContains(t, err, "want 1 to 9223372036854774783, or 0 if Keys is given")
}

// A pane of 5, one more than the window needs, each have 4/5 of Phi to find.
func TestWhatAPaneIsToFind(t *testing.T) {
	require.Equal(t, tracker.Goal{Phi: 0.5 * 4 / 5}, WindowConfig{Phi: 0.5, Keys: 1, Panes: 4}.goal())
	require.Equal(t, tracker.Goal{Phi: 0.5 * 4 / 5, Memory: 2000}, WindowConfig{Phi: 0.5, Keys: 1, Panes: 4, MemoryBytes: 10_256}.goal())
}

// Times count to the nanosecond up to whole seconds that fit into an int64.
func TestTheFirstAndTheLastTime(t *testing.T) {
	const most = mostNanoseconds / int64(time.Second)
	for at, want := range map[time.Time]int64{
		time.Unix(0, 5):               5,
		time.Unix(0, -5):              -5,
		time.Unix(most, -1):           mostNanoseconds - 1,
		time.Unix(most, 0):            mostNanoseconds,
		time.Unix(most, 5):            mostNanoseconds,
		time.Unix(most+1, 0):          mostNanoseconds,
		time.Unix(-most, 5):           -mostNanoseconds + 5,
		time.Unix(-most, 0):           -mostNanoseconds,
		time.Unix(-most, -1):          -mostNanoseconds,
		time.Unix(math.MaxInt64/2, 0): mostNanoseconds,
	} {
		require.Equal(t, want, nanoseconds(at), "%v", at)
	}
	// A window in its first or its last pane is decoded, whether a pane's
	// length divides the time or not.
	for _, length := range []time.Duration{1, 2, 7, time.Second, time.Hour} {
		for at, beyond := range map[int64]int64{-most - 9: -1, most + 9: 1} {
			w := must(NewWindow(WindowConfig{Phi: 0.1, Span: length, Panes: 1}))
			w.AddStringAt("a", time.Unix(at, 0))
			g := NewWindowReceiver(hashfam.Family{})
			require.NoError(t, g.UnmarshalBinary(must(w.MarshalBinary())), "panes of %v", length)
			require.True(t, g.Equal(w))
			require.False(t, w.config.reaches(w.pane+2*beyond))
		}
	}
}

// An encoded window of three panes has four words at least.
func TestAWindowOfTooFewWords(t *testing.T) {
	empty := must(must(NewWindow(WindowConfig{Phi: 0.1, Keys: 9, Panes: 3})).MarshalBinary())
	for words := range uint64(4) {
		b := append(bytes.Clone(empty[:len(empty)-8*int(5-words)]), make([]byte, 8)...) // the last word is a checksum
		binary.LittleEndian.PutUint64(b[16:], 8*words)
		conformance.Reseal(b)
		err := NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(b)
		requireField(t, err, ErrCorrupt, "payload length")
		require.ErrorContains(t, err, fmt.Sprintf("payload length = %d, want at least 32", 8*words))
	}
	require.NoError(t, NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(empty))
}

func TestAWindowNamesItsKindInItsParams(t *testing.T) {
	require.Equal(t, "phi 0.1 of the last 10 keys, 2 panes, memory as needed, family public",
		WindowConfig{Phi: 0.1, Keys: 10, Panes: 2}.String())
	require.Equal(t, "phi 0.1 of the last 1m0s, 2 panes, memory as needed, family public",
		WindowConfig{Phi: 0.1, Span: time.Minute, Panes: 2}.String())
}
