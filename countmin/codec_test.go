package countmin

import (
	"encoding"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// If rows did not add up to the total, a forged row could make counts too low.
func TestRowsMustAddUpToTheTotal(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		for _, conservative := range []bool{false, true} {
			s := mustNew(t, Params{Width: 5, Depth: 3, CounterBits: bits, Conservative: conservative})
			s.AddN([]byte("a"), 10)
			b := must(s.MarshalBinary())
			for at, change := range map[int]uint64{40: 9, 64: 11} { // the total, and the first counters
				require.ErrorIs(t, s.UnmarshalBinary(frametest.Set(b, map[int]uint64{at: change})), hashfam.ErrCorrupt, "offset %d", at)
				require.Equal(t, b, must(s.MarshalBinary()))
			}
			more := s.UnmarshalBinary(frametest.Set(b, map[int]uint64{40: 11}))
			require.Equal(t, conservative, more == nil, "a total above the rows")
		}
	}
}

// docs/format.md has no rule for rows whose sum is the largest number or does
// not fit in 64 bits.
func TestRowsWithTheLargestSumAreDecoded(t *testing.T) {
	machine.Matters(t)
	for _, conservative := range []bool{false, true} {
		s := mustNew(t, Params{Width: 2, Depth: 1, CounterBits: 64, Conservative: conservative})
		s.AddN([]byte("a"), 10)
		b := must(s.MarshalBinary())
		for second, reason := range map[uint64]error{1<<63 - 2: hashfam.ErrCorrupt, 1<<63 - 1: nil, 1 << 63: nil, 1<<64 - 2: nil} {
			f := frametest.Set(b, map[int]uint64{64: 1 << 63, 72: second})
			require.ErrorIs(t, s.UnmarshalBinary(f), reason)
			if reason == nil {
				require.Equal(t, f, must(s.MarshalBinary()))
			}
		}
	}
}

// A HeavyHitters of either kind accepts the frames of both, and takes over
// their Config.
func TestPhiAndKAreDecodedIntoOneType(t *testing.T) {
	byPhi := must(NewHeavyHitters(HeavyConfig{Phi: 0.1}))
	byK := must(NewHeavyHitters(HeavyConfig{K: 7}))
	for _, from := range []*HeavyHitters{byPhi, byK} {
		from.AddString("a")
		for _, into := range []*HeavyHitters{byPhi.Clone(), byK.Clone(), {}} {
			require.NoError(t, into.UnmarshalBinary(must(from.MarshalBinary())))
			require.Equal(t, from.Config(), into.Config())
			require.True(t, into.Equal(from))
		}
	}
	require.ErrorIs(t, byPhi.Merge(byK), hashfam.ErrIncompatible)
	window := must(must(NewWindow(WindowConfig{Phi: 0.1, Keys: 1})).MarshalBinary())
	require.ErrorContains(t, byPhi.UnmarshalBinary(window), "want heavy hitters or a top k")
}

// A structure that has counted nothing, or little, is a small frame, and decoding
// it allocates little, however much memory it may use.
func TestStructuresWithFewKeysAreSmallFrames(t *testing.T) {
	large := min(1<<30, tracker.MaxMemory)
	for _, f := range []interface {
		encoding.BinaryMarshaler
		Add([]byte)
	}{
		must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: large})),
		must(NewHeavyHitters(HeavyConfig{K: 10, MemoryBytes: large})),
		must(NewHeavyHitters(HeavyConfig{K: tracker.MaxK})),
		must(NewHeavyHitters(HeavyConfig{Phi: 1e-300})),
		must(NewWindow(WindowConfig{Phi: 0.001, Keys: 1 << 20, MemoryBytes: large})),
		must(NewWindow(WindowConfig{K: tracker.MaxK, Span: time.Hour})),
	} {
		for range 10 {
			data := must(f.MarshalBinary())
			require.Less(t, len(data), 1<<10)
			var into receiver = new(HeavyHitters)
			if _, isWindow := f.(*Window); isWindow {
				into = new(Window)
			}
			took := checks.LeastAllocated(1, func() { require.NoError(t, into.UnmarshalBinary(data)) })
			require.Less(t, took, uint64(16<<10))
			f.Add(data[len(data)-20:])
		}
	}
}

// A receiver is a structure that data can be decoded into.
type receiver interface{ UnmarshalBinary([]byte) error }

// The largest values of a parameter are decoded. One more is an error, and so
// is a payload that does not follow from the parameters.
func TestLargestFrameParametersAreDecoded(t *testing.T) {
	machine.Matters(t)
	if runtime.GOARCH == "wasm" || math.MaxInt == math.MaxInt32 {
		require.EqualValues(t, math.MaxInt32/2, tracker.MaxMemory)
	}
	heavy := must(must(NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory})).MarshalBinary())
	top := must(must(NewHeavyHitters(HeavyConfig{K: tracker.MaxK, MemoryBytes: tracker.MinMemory})).MarshalBinary())
	largest := must(must(NewHeavyHitters(HeavyConfig{K: tracker.MaxK, MemoryBytes: tracker.MaxMemory})).MarshalBinary())
	window := func(c WindowConfig) []byte { return must(must(NewWindow(c)).MarshalBinary()) }
	panes := window(WindowConfig{Phi: 0.1, Keys: 9, Parts: 3})
	counted := must(NewWindow(WindowConfig{Phi: 0.1, Keys: 9, Parts: 3}))
	counted.AddN([]byte("a"), 3)
	full := must(counted.MarshalBinary())
	floor := len(full) - 8 - int(counted.panes.Last.PayloadBytes()) + 8
	empty := counted.Clone()
	*empty.panes.Last = tracker.New(empty.panes.Last.Goal)
	gap, untimed := counted.Clone(), must(NewWindow(WindowConfig{Phi: 0.1, Span: 3, Parts: 3}))
	gap.AddN([]byte("a"), 3)
	untimed.AddString("a")
	gap.panes.All[1], gap.panes.All[2] = gap.panes.All[2], gap.panes.All[1]
	untimed.panes.All[2], untimed.panes.All[3] = untimed.panes.All[3], untimed.panes.All[2]
	span, keys := window(WindowConfig{Phi: 0.1, Span: 1000}), window(WindowConfig{Phi: 0.1, Keys: 1000})
	const what, memory, timed, part = 24, 32, 24 + 48, 24 + 56 // offsets
	for _, c := range []struct {
		into  receiver
		frame []byte
		words map[int]uint64
		field string // of the error, if there is one
	}{
		{&HeavyHitters{}, top, nil, ""},
		{&HeavyHitters{}, largest, nil, ""},
		{&HeavyHitters{}, top, map[int]uint64{memory: tracker.MaxMemory + 1}, "HeavyConfig.MemoryBytes"},
		{&HeavyHitters{}, top, map[int]uint64{what: 0}, "HeavyConfig.K"},
		{&HeavyHitters{}, top, map[int]uint64{what: tracker.MaxK + 1}, "HeavyConfig.K"},
		{&HeavyHitters{}, top, map[int]uint64{what: 1<<32 + 1}, "HeavyConfig.K"}, // does not fit in an int of 32 bits
		{&HeavyHitters{}, top, map[int]uint64{memory: 1<<34 + tracker.MinMemory}, "HeavyConfig.MemoryBytes"},
		{&HeavyHitters{}, heavy, map[int]uint64{what: 0}, "HeavyConfig.Phi"},
		{&HeavyHitters{}, heavy, map[int]uint64{what: math.Float64bits(math.NaN())}, "HeavyConfig.Phi"},
		{&HeavyHitters{}, heavy, map[int]uint64{memory: 1}, "HeavyConfig.MemoryBytes"},
		{&HeavyHitters{}, heavy, map[int]uint64{memory: 1 << 63}, "HeavyConfig.MemoryBytes"},
		// Three panes and one additional pane need four words, but here are
		// three.
		{&Window{}, panes[:len(panes)-8], map[int]uint64{16: 24, len(panes) - 16: 0}, "length of pane 3"},
		{&Window{}, panes, map[int]uint64{24: 0, 32: tracker.MaxK}, ""},
		{&Window{}, panes, map[int]uint64{24: 0}, "WindowConfig.Phi"},
		{&Window{}, panes, map[int]uint64{32: 1}, "WindowConfig.K"},
		{&Window{}, panes, map[int]uint64{24: 0, 32: tracker.MaxK + 1}, "WindowConfig.K"},
		{&Window{}, panes, map[int]uint64{24 + 32: mostParts + 1}, "WindowConfig.Parts"},
		{&Window{}, panes, map[int]uint64{len(panes) - 16: 9}, "length of pane 3"},
		// A pane of a window of three keys cannot have counted three keys.
		{&Window{}, full, map[int]uint64{24 + 16: 3}, "total of pane 3"},
		{&Window{}, full, map[int]uint64{floor: 4}, "floor"},
		// Once a pane has counted a key, no later pane is empty. Without a
		// time, only the last pane counts.
		{&Window{}, must(gap.MarshalBinary()), nil, "total of pane 2"},
		{&Window{}, must(empty.MarshalBinary()), nil, "total of pane 3"}, // it has memory
		{&Window{}, must(untimed.MarshalBinary()), nil, "total of pane 2"},
		// An unknown time has one form, and only a window of a Span has a time.
		{&Window{}, span, map[int]uint64{timed: 0, part: 0}, ""},
		{&Window{}, span, map[int]uint64{timed: 1, part: 5}, ""},
		{&Window{}, span, map[int]uint64{timed: 0, part: 5}, "Part"},
		{&Window{}, span, map[int]uint64{timed: 2, part: 0}, "Timed"},
		{&Window{}, span, map[int]uint64{timed: 1, part: 1 << 63}, "Part"}, // like a ring without a time
		{&Window{}, keys, map[int]uint64{timed: 0, part: 0}, ""},
		{&Window{}, keys, map[int]uint64{timed: 1, part: 0}, "Timed"},
	} {
		if err := c.into.UnmarshalBinary(frametest.Set(c.frame, c.words)); c.field == "" {
			require.NoError(t, err, "%T %v", c.into, c.words)
		} else {
			requireField(t, err, hashfam.ErrCorrupt, c.field)
		}
	}
}
