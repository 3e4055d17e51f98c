package countmin

import (
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance/old"
)

// drawParams draws a small sketch.
func drawParams(t *rapid.T, conservative bool) Params {
	return Params{
		Width:        uint64(rapid.IntRange(1, 60).Draw(t, "width")),
		Depth:        rapid.IntRange(1, 6).Draw(t, "depth"),
		CounterBits:  rapid.SampledFrom([]int{8, 16, 32, 64}).Draw(t, "bits"),
		Conservative: conservative,
	}
}

func mustNew(t require.TestingT, p Params) *Sketch {
	s, err := NewFromParams(p)
	require.NoError(t, err)
	return s
}

// must returns v and panics on an error, for what cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sketches completes the suite for sketches, plain or conservative. To be
// counted at all is to be in it.
func sketches(conservative bool, s old.Suite[*Sketch]) old.Suite[*Sketch] {
	s.Receiver = NewReceiver
	s.ReadParams = old.Reader(ReadParams)
	s.View = old.Viewer[*Sketch](NewView)
	s.Shown = func(fam hashfam.Family) []any { return []any{Params{Family: fam}, Config{Family: fam}} }
	s.ClaimHuge = func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<38/uint64(params[9]))
		params[8] = 4
		return 1 << 37
	}
	s.Source = old.From(func(t *rapid.T) Params { return drawParams(t, conservative) }, NewFromParams)
	s.Larger = func(t *rapid.T, fam hashfam.Family) *Sketch {
		p := drawParams(t, conservative)
		p.Width *= rapid.SampledFrom([]uint64{1, 20}).Draw(t, "times")
		p.Family = fam
		return mustNew(t, p)
	}
	s.Writes = []string{"Halve"}
	s.Deletes = func(s *Sketch) bool { return !s.params.Conservative }
	return s
}

var (
	plain = sketches(false, old.Suite[*Sketch]{
		Canonical: func(*Sketch) bool { return true },
		More:      []func(*old.Run[*Sketch]){addN[*Sketch], removeN, multiply},
		Check:     checkSketch,
		Golden: []old.Golden[*Sketch]{
			golden("plain32.bin", Params{Width: 25, Depth: 3, CounterBits: 32}),
			golden("plain64.bin", Params{Width: 20, Depth: 2, CounterBits: 64}),
			golden("keyed.bin", Params{Width: 20, Depth: 4, CounterBits: 32, Family: hashfam.New(hashfam.Key{1, 2, 3})}),
			golden("plain16.bin", Params{Width: 25, Depth: 3, CounterBits: 16}),
		},
	})
	conservative = sketches(true, old.Suite[*Sketch]{
		More:  []func(*old.Run[*Sketch]){addN[*Sketch], halve},
		Check: checkConservative,
		Golden: []old.Golden[*Sketch]{
			golden("conservative.bin", Params{Width: 25, Depth: 3, CounterBits: 32, Conservative: true}),
			{File: "halved8.bin", Build: halved},
		},
	})
)

// golden is a sketch of a hundred keys, some counted more.
func golden(file string, p Params) old.Golden[*Sketch] {
	return old.Golden[*Sketch]{File: file, Build: func() *Sketch {
		s := must(NewFromParams(p))
		for i := range 100 {
			s.AddN(fmt.Appendf(nil, "key %d", i), uint64(1+i*i%7))
		}
		return s
	}}
}

// halved is a sketch of small counters, of which some were at their maximum
// when they were halved, and some are now.
func halved() *Sketch {
	s := golden("", Params{Width: 25, Depth: 3, CounterBits: 8, Conservative: true}).Build()
	s.AddN([]byte("key 1"), 1000)
	must(0, s.Halve())
	s.AddN([]byte("key 2"), 1000)
	return s
}

func drawMemory(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, tracker.MinMemory, 1100, 2000, 5000, 16384}).Draw(t, "memory")
}

// claimHuge claims a budget of 2^34 bytes, and a payload of 2^40.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params[8:], tracker.MaxMemory)
	return 1 << 40
}

// heavy is the suite for heavy hitters. A key is in them if its count may be
// above zero.
var heavy = old.Suite[*HeavyHitters]{
	Receiver:   NewHeavyReceiver,
	ReadParams: old.Reader(ReadHeavyConfig),
	Questions:  old.Estimates[Estimate],
	Shown:      func(fam hashfam.Family) []any { return []any{HeavyConfig{Family: fam}} },
	ClaimHuge:  claimHuge,
	Golden: []old.Golden[*HeavyHitters]{
		goldenHeavy("heavy.bin", HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory}),
		goldenHeavy("heavykeyed.bin", HeavyConfig{Phi: 0.1, MemoryBytes: 1200, Family: hashfam.New(hashfam.Key{1, 2, 3})}),
	},
	Source: old.From(func(t *rapid.T) HeavyConfig {
		return HeavyConfig{Phi: rapid.SampledFrom([]float64{1, 0.1, 0.02, 0.001}).Draw(t, "phi"), MemoryBytes: drawMemory(t)}
	}, NewHeavyHitters),
	More: []func(*old.Run[*HeavyHitters]){addN[*HeavyHitters]},
	Check: func(r *old.Run[*HeavyHitters]) {
		checkTracked(r, r.Counts, r.F)
		checkHeavy(r, r.Counts, r.F)
	},
}

// goldenHeavy has a few keys, one of them long, that do not all have room.
func goldenHeavy(file string, c HeavyConfig) old.Golden[*HeavyHitters] {
	return old.Golden[*HeavyHitters]{File: file, Build: func() *HeavyHitters {
		h := must(NewHeavyHitters(c))
		for i := range 60 {
			h.AddN(fmt.Appendf(nil, "key %d", i%20), uint64(1+i*i%7))
			h.AddString(fmt.Sprintf("%0*d", 255+i%2*9, 1))
		}
		h.AddN([]byte("heavy"), 1<<33)
		return h
	}}
}

// top is the suite for the top k.
var top = old.Suite[*TopK]{
	Receiver:   NewTopKReceiver,
	ReadParams: old.Reader(ReadTopKConfig),
	Questions:  old.Estimates[Estimate],
	Shown:      func(fam hashfam.Family) []any { return []any{TopKConfig{Family: fam}} },
	ClaimHuge:  claimHuge,
	Golden: []old.Golden[*TopK]{{File: "top.bin", Build: func() *TopK {
		k := must(NewTopK(TopKConfig{K: 3, MemoryBytes: tracker.MinMemory}))
		for i := range 60 {
			k.AddN(fmt.Appendf(nil, "key %d", i%20), uint64(1+i*i%7))
		}
		return k
	}}},
	Source: old.From(func(t *rapid.T) TopKConfig {
		return TopKConfig{K: rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "k"), MemoryBytes: drawMemory(t)}
	}, NewTopK),
	More: []func(*old.Run[*TopK]){addN[*TopK]},
	Check: func(r *old.Run[*TopK]) {
		checkTracked(r, r.Counts, r.F)
		checkTop(r, r.Counts, r.F)
	},
}

// windows is the suite for windows that no key of a test leaves, except in
// programs.
var windows = old.Suite[*Window]{
	Receiver:   NewWindowReceiver,
	ReadParams: old.Reader(ReadWindowConfig),
	Questions:  old.Estimates[Estimate],
	Shown:      func(fam hashfam.Family) []any { return []any{WindowConfig{Family: fam}} },
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params[24:], mostPanes)
		binary.LittleEndian.PutUint64(params[32:], tracker.MaxMemory)
		return 1 << 40
	},
	Golden: []old.Golden[*Window]{
		goldenWindow("window.bin", WindowConfig{Phi: 0.2, Keys: 16, Panes: 1, MemoryBytes: 2 * leastPaneBytes}, func(w *Window) {
			for i := range 24 {
				w.AddString(fmt.Sprint("key ", i%7))
			}
		}),
		goldenWindow("windowtime.bin", WindowConfig{Phi: 0.2, Span: time.Minute, Panes: 2, MemoryBytes: 3 * leastPaneBytes,
			Family: hashfam.New(hashfam.Key{1, 2, 3})}, func(w *Window) {
			for i := range 20 {
				w.Advance(time.Unix(int64(2*i-40), 0))
				w.AddString(fmt.Sprint("key ", i*i%11))
			}
		}),
	},
	Source: old.From(func(t *rapid.T) WindowConfig {
		c := drawWindowConfig(t)
		if c.Keys > 0 {
			c.Keys = 100_000
		}
		return c
	}, NewWindow),
	Larger: func(t *rapid.T, fam hashfam.Family) *Window {
		c := drawWindowConfig(t)
		c.Family = fam
		return must(NewWindow(c))
	},
	More:       []func(*old.Run[*Window]){advance, addN[*Window]},
	Remembered: func(r *old.Run[*Window]) map[string]uint64 { return covered(r, r.F.config.Panes+1) },
	Check:      checkWindow,
}

// goldenWindow is built once and copied: the suite asks thousands of times.
func goldenWindow(file string, c WindowConfig, fill func(*Window)) old.Golden[*Window] {
	once := sync.OnceValue(func() *Window {
		w := must(NewWindow(c))
		fill(w)
		return w
	})
	return old.Golden[*Window]{File: file, Build: func() *Window { return once().Clone() }}
}

// drawWindowConfig draws a window that forgets soon.
func drawWindowConfig(t *rapid.T) WindowConfig {
	c := WindowConfig{
		Phi:   rapid.SampledFrom([]float64{1, 0.2, 0.05}).Draw(t, "phi"),
		Panes: rapid.IntRange(1, 4).Draw(t, "panes"),
	}
	if rapid.Bool().Draw(t, "keys") {
		c.Keys = uint64(rapid.IntRange(1, 100).Draw(t, "size"))
	} else {
		c.Span = time.Hour
	}
	if rapid.Bool().Draw(t, "budget") {
		c.MemoryBytes = leastPaneBytes * (c.Panes + 1) * rapid.IntRange(1, 3).Draw(t, "times")
	}
	return c
}

func TestConformanceOfPlainSketches(t *testing.T)        { plain.Run(t) }
func TestConformanceOfConservativeSketches(t *testing.T) { conservative.Run(t) }
func TestConformanceOfHeavyHitters(t *testing.T)         { heavy.Run(t) }
func TestConformanceOfTopK(t *testing.T)                 { top.Run(t) }
func TestConformanceOfWindows(t *testing.T)              { windows.Run(t) }

func FuzzProgram(f *testing.F)             { plain.FuzzProgram(f) }
func FuzzConservativeProgram(f *testing.F) { conservative.FuzzProgram(f) }
func FuzzHeavyProgram(f *testing.F)        { heavy.FuzzProgram(f) }
func FuzzTopKProgram(f *testing.F)         { top.FuzzProgram(f) }
func FuzzWindowProgram(f *testing.F)       { windows.FuzzProgram(f) }
func FuzzFrames(f *testing.F)              { plain.FuzzFrames(f) }
func FuzzHeavyFrames(f *testing.F)         { heavy.FuzzFrames(f) }
func FuzzTopKFrames(f *testing.F)          { top.FuzzFrames(f) }
func FuzzWindowFrames(f *testing.F)        { windows.FuzzFrames(f) }
