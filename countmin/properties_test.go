package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestACountIsNeverBelowTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, truth := mustNew(t, drawParams(t, hashfam.Family{})), map[string]uint64{}
		for _, key := range rapid.SliceOfN(rapid.StringN(0, 2, -1), 0, 99).Draw(t, "keys") {
			s.AddString(key)
			truth[key]++
			require.GreaterOrEqual(t, s.CountString(key), truth[key])
		}
	})
}

func TestMergeKeepsAllCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := mustNew(t, drawParams(t, hashfam.Family{}))
		other, key := s.Clone(), rapid.SliceOf(rapid.Byte()).Draw(t, "key")
		mine, theirs := rapid.Uint64Range(0, 127).Draw(t, "mine"), rapid.Uint64Range(0, 127).Draw(t, "theirs")
		s.AddN(key, mine)
		other.AddN(key, theirs)
		require.NoError(t, s.Merge(other))
		require.GreaterOrEqual(t, s.Count(key), mine+theirs)
	})
}

func TestDecodingGivesTheEncodedSketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, decoded := mustNew(t, drawParams(t, hashfam.Family{})), new(Sketch)
		for _, key := range rapid.SliceOf(rapid.String()).Draw(t, "keys") {
			s.AddString(key)
		}
		b, err := s.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, decoded.UnmarshalBinary(b))
		require.True(t, decoded.Equal(s))
	})
}

// sketches drives a Sketch through any sequence of actions.
var sketches = conformance.Structure[*Sketch]{
	Source:    conformance.From(drawParams, NewFromParams, (*Sketch).Params),
	Receiver:  NewReceiver,
	Add:       adds,
	Delete:    removes,
	Questions: []func(*Sketch) []conformance.Form{conformance.Counts[*Sketch]},
	Merge:     (*Sketch).Merge,
	Clone:     (*Sketch).Clone,
	Reset:     (*Sketch).Reset,
	MostCount: most,
	Canonical: func(s *Sketch) bool { return !s.params.Conservative },
	Actions: map[string]func(*conformance.Machine[*Sketch]){
		"add copies": addCopies[*Sketch], "remove copies": removeCopies, "halve": halve, "multiply": multiply,
	},
	Invariant: checkSketch,
}

// sketchFrames says how a Sketch is encoded and shown.
var sketchFrames = conformance.Frames[*Sketch]{
	Structure: sketches,
	Golden: []conformance.Golden[*Sketch]{
		golden("plain32.bin", Params{Width: 25, Depth: 3, CounterBits: 32}),
		golden("plain64.bin", Params{Width: 20, Depth: 2, CounterBits: 64}),
		golden("keyed.bin", Params{Width: 20, Depth: 4, CounterBits: 32, Family: keyed}),
		golden("plain16.bin", Params{Width: 25, Depth: 3, CounterBits: 16}),
		golden("conservative.bin", Params{Width: 25, Depth: 3, CounterBits: 32, Conservative: true}),
		{File: "halved8.bin", Build: halved},
	},
	Zero: func() *Sketch { return new(Sketch) },
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<38/uint64(params[9]))
		params[8] = 4
		return 1 << 37
	},
	Header: conformance.HeaderOf(ReadParams, (*Sketch).Params),
	View:   conformance.Viewer[*Sketch](NewView, func(v *View) []any { return reads(v) }, conformance.Counts[*View]),
	Reads: func(s *Sketch) []any {
		s.InnerProduct(s)
		return reads(s)
	},
	Shown: func(s *Sketch) []any { return []any{*s, s.Params(), Config{Family: s.Family()}} },
}

func TestSketch(t *testing.T)        { rapid.Check(t, sketches.Run) }
func TestSketchFrames(t *testing.T)  { sketchFrames.Test(t) }
func FuzzSketch(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(sketches.Run)) }
func FuzzChangedFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sketchFrames.Change)) }
func FuzzFrames(f *testing.F)        { sketchFrames.Fuzz(f) }

// adds returns the forms of Add and AddN.
func adds(s *Sketch) []conformance.Form {
	return append(conformance.Adds(s),
		conformance.Each("AddN", conformance.Bytes, conformance.Done(func(key []byte) { s.AddN(key, 1) })),
		conformance.Each("AddNDigest", s.Family().SumString, conformance.Done(func(d hashfam.Digest) { s.AddNDigest(d, 1) })))
}

// removes returns the forms of Remove, of which a conservative sketch has none.
func removes(s *Sketch) []conformance.Form {
	if s.params.Conservative {
		return nil
	}
	return []conformance.Form{
		conformance.Each("Remove", conformance.Bytes, conformance.Is(func(key []byte) bool { return s.Remove(key, 1) == nil })),
		conformance.Each("RemoveDigest", s.Family().SumString, conformance.Is(func(d hashfam.Digest) bool { return s.RemoveDigest(d, 1) == nil })),
	}
}

// reads calls the methods that a Sketch and a View have and that change
// nothing.
func reads(s interface {
	Params() Params
	SizeBytes() uint64
	Total() uint64
	ErrorBound() uint64
	BoundsDigest(hashfam.Digest) (uint64, uint64)
}) []any {
	low, high := s.BoundsDigest(1)
	return []any{s.Params(), s.SizeBytes(), s.Total(), s.ErrorBound(), low, high}
}

// drawParams draws the parameters of a small sketch.
func drawParams(t *rapid.T, fam hashfam.Family) Params {
	return Params{
		Width:        rapid.OneOf(rapid.Uint64Range(1, 60), rapid.Uint64Range(1, 1200)).Draw(t, "width"),
		Depth:        rapid.IntRange(1, 6).Draw(t, "depth"),
		CounterBits:  rapid.SampledFrom([]int{8, 16, 32, 64}).Draw(t, "bits"),
		Conservative: rapid.Bool().Draw(t, "conservative"),
		Family:       fam,
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

var keyed = hashfam.New(hashfam.Key{1, 2, 3})

// golden is a sketch of a hundred keys, some counted more.
func golden(file string, p Params) conformance.Golden[*Sketch] {
	return conformance.Golden[*Sketch]{File: file, Build: func() *Sketch {
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

// heavies, tops and windows drive the structures that track keys. Which long
// keys a budget has refused is not encoded, and may decide later whether there
// is more room for keys that are near the threshold.
var (
	heavies = tracks(conformance.Structure[*HeavyHitters]{
		Source:    conformance.From(drawHeavy, NewHeavyHitters, (*HeavyHitters).Config),
		Receiver:  NewHeavyReceiver,
		Merge:     (*HeavyHitters).Merge,
		Actions:   map[string]func(*conformance.Machine[*HeavyHitters]){"join": joinShards(JoinHeavyHitters)},
		Diverges:  func(h *HeavyHitters) bool { return h.budget() > 0 },
		Invariant: checkHeavyHitters,
	})
	tops = tracks(conformance.Structure[*TopK]{
		Source:    conformance.From(drawTopK, NewTopK, (*TopK).Config),
		Receiver:  NewTopKReceiver,
		Merge:     (*TopK).Merge,
		Actions:   map[string]func(*conformance.Machine[*TopK]){"join": joinShards(JoinTopK)},
		Invariant: func(m *conformance.Machine[*TopK]) { checkTop(m, m.Counts, m.F) },
	})
	windows = tracks(conformance.Structure[*Window]{
		Source:     conformance.From(drawWindow, NewWindow, (*Window).Config),
		Receiver:   NewWindowReceiver,
		Actions:    map[string]func(*conformance.Machine[*Window]){"advance": advance},
		Diverges:   func(w *Window) bool { return w.budget() > 0 },
		Invariant:  checkWindow,
		Remembered: func(m *conformance.Machine[*Window]) map[string]uint64 { return covered(m, m.F.config.Panes+1) },
	})
	heavyFrames = framesOf(heavies, ReadHeavyConfig, claimHuge, func(fam hashfam.Family) any { return HeavyConfig{Family: fam} },
		goldenHeavy("heavy.bin", HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory}),
		goldenHeavy("heavykeyed.bin", HeavyConfig{Phi: 0.1, MemoryBytes: 1200, Family: keyed}))
	topFrames    = framesOf(tops, ReadTopKConfig, claimHuge, func(fam hashfam.Family) any { return TopKConfig{Family: fam} }, goldenTop)
	windowFrames = framesOf(slow(windows), ReadWindowConfig, claimHugeWindow, func(fam hashfam.Family) any { return WindowConfig{Family: fam} }, goldenWindows...)
)

func TestHeavyHitters(t *testing.T)        { rapid.Check(t, heavies.Run) }
func TestTopK(t *testing.T)                { rapid.Check(t, tops.Run) }
func TestWindow(t *testing.T)              { rapid.Check(t, windows.Run) }
func TestHeavyFrames(t *testing.T)         { heavyFrames.Test(t) }
func TestTopKFrames(t *testing.T)          { topFrames.Test(t) }
func TestWindowFrames(t *testing.T)        { windowFrames.Test(t) }
func FuzzHeavyHitters(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(heavies.Run)) }
func FuzzTopK(f *testing.F)                { f.Fuzz(rapid.MakeFuzz(tops.Run)) }
func FuzzWindow(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(windows.Run)) }
func FuzzChangedHeavyFrames(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(heavyFrames.Change)) }
func FuzzChangedTopKFrames(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(topFrames.Change)) }
func FuzzChangedWindowFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(windowFrames.Change)) }
func FuzzHeavyFrames(f *testing.F)         { heavyFrames.Fuzz(f) }
func FuzzTopKFrames(f *testing.F)          { topFrames.Fuzz(f) }
func FuzzWindowFrames(f *testing.F)        { windowFrames.Fuzz(f) }

// A trackerOf has the methods that the three structures have in common.
type trackerOf[S any] interface {
	conformance.Encoded[S]
	tracking
	Add([]byte)
	AddString(string)
	AddN([]byte, uint64)
	AddAll([]hashfam.Digest, [][]byte) error
	Estimate([]byte) Estimate
	EstimateDigest(hashfam.Digest) Estimate
	EstimateAll([]Estimate, []hashfam.Digest) []Estimate
	Clone() S
	Reset()
}

// tracks completes a structure with what all three have in common.
func tracks[S trackerOf[S]](s conformance.Structure[S]) conformance.Structure[S] {
	own := s.Invariant
	s.Add, s.Clone, s.Reset = addsTracked[S], S.Clone, S.Reset
	s.Questions = []func(S) []conformance.Form{highs[S], lows[S]}
	s.Actions["add copies"] = addCopies[S]
	s.Invariant = func(m *conformance.Machine[S]) {
		checkTracked(m, m.Counts, m.F)
		own(m)
	}
	return s
}

// addsTracked returns the forms of Add and AddN.
func addsTracked[S trackerOf[S]](s S) []conformance.Form {
	type hashed struct {
		digest hashfam.Digest
		key    []byte
	}
	hash := func(key string) hashed { return hashed{s.Family().SumString(key), []byte(key)} }
	return []conformance.Form{
		conformance.Each("Add", conformance.Bytes, conformance.Done(s.Add)),
		conformance.Each("AddString", conformance.Text, conformance.Done(s.AddString)),
		conformance.Each("AddDigest", hash, conformance.Done(func(h hashed) { s.AddDigest(h.digest, h.key) })),
		conformance.Each("AddN", conformance.Bytes, conformance.Done(func(key []byte) { s.AddN(key, 1) })),
		{Name: "AddAll", Bind: func(keys []string) func() ([]uint64, error) {
			bytes, sum := make([][]byte, len(keys)), []uint64{uint64(len(keys))}
			for i, key := range keys {
				bytes[i] = []byte(key)
			}
			digests := s.Family().SumAll(nil, bytes)
			return func() ([]uint64, error) { return sum, s.AddAll(digests, bytes) }
		}},
	}
}

// highs and lows return the forms of both bounds of Estimate. Both are above
// zero if the key may have been counted.
func highs[S trackerOf[S]](s S) []conformance.Form {
	return estimates("High of Estimate", s, true, func(e Estimate) uint64 { return e.High })
}

func lows[S trackerOf[S]](s S) []conformance.Form {
	return estimates("Low of Estimate", s, false, func(e Estimate) uint64 { return tracker.AddSat(e.Low, min(e.High, 1)) })
}

func estimates[S trackerOf[S]](name string, s S, counts bool, number func(Estimate) uint64) []conformance.Form {
	forms := append(conformance.Forms(name, s.Family(),
		func(key []byte) (uint64, error) { return number(s.Estimate(key)), nil },
		func(key string) (uint64, error) { return number(s.EstimateString(key)), nil },
		func(d hashfam.Digest) (uint64, error) { return number(s.EstimateDigest(d)), nil },
	), conformance.Answers(name+"All", s.Family(), Estimate{7, 9}, s.EstimateAll, number))
	for i := range forms {
		forms[i].Counts = counts
	}
	return forms
}

// framesOf says how a structure that tracks keys is encoded and shown.
func framesOf[E any, C comparable, S interface {
	*E
	trackerOf[S]
	Config() C
}](s conformance.Structure[S], read func(io.Reader, hashfam.Family) (C, error), claim func([]byte) uint64,
	config func(hashfam.Family) any, golden ...conformance.Golden[S]) conformance.Frames[S] {
	return conformance.Frames[S]{
		Structure: s,
		Golden:    golden,
		Zero:      func() S { return new(E) },
		ClaimHuge: claim,
		Header:    conformance.HeaderOf(read, S.Config),
		Reads: func(s S) []any {
			return []any{s.Config(), s.Total(), s.MissBound(), s.Complete(), s.SizeBytes(), maps.Collect(s.All())}
		},
		Shown: func(s S) []any { return []any{*s, s.Config(), config(s.Family())} },
	}
}

// claimHuge claims a budget of 2^34 bytes, and a payload of 2^40.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params[8:], tracker.MaxMemory)
	return 1 << 40
}

func claimHugeWindow(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params[24:], mostPanes)
	binary.LittleEndian.PutUint64(params[32:], tracker.MaxMemory)
	return 1 << 40
}

// goldenHeavy has a few keys, one of them long, that do not all have room.
func goldenHeavy(file string, c HeavyConfig) conformance.Golden[*HeavyHitters] {
	return conformance.Golden[*HeavyHitters]{File: file, Build: func() *HeavyHitters {
		h := must(NewHeavyHitters(c))
		for i := range 60 {
			h.AddN(fmt.Appendf(nil, "key %d", i%20), uint64(1+i*i%7))
			h.AddString(fmt.Sprintf("%0*d", 255+i%2*9, 1))
		}
		h.AddN([]byte("heavy"), 1<<33)
		return h
	}}
}

var goldenTop = conformance.Golden[*TopK]{File: "top.bin", Build: func() *TopK {
	k := must(NewTopK(TopKConfig{K: 3, MemoryBytes: tracker.MinMemory}))
	for i := range 60 {
		k.AddN(fmt.Appendf(nil, "key %d", i%20), uint64(1+i*i%7))
	}
	return k
}}

var goldenWindows = []conformance.Golden[*Window]{
	goldenWindow("window.bin", WindowConfig{Phi: 0.2, Keys: 16, Panes: 1, MemoryBytes: 2 * leastPaneBytes}, func(w *Window) {
		for i := range 24 {
			w.AddString(fmt.Sprint("key ", i%7))
		}
	}),
	goldenWindow("windowtime.bin", WindowConfig{Phi: 0.2, Span: time.Minute, Panes: 2, MemoryBytes: 3 * leastPaneBytes, Family: keyed}, func(w *Window) {
		for i := range 20 {
			w.Advance(time.Unix(int64(2*i-40), 0))
			w.AddString(fmt.Sprint("key ", i*i%11))
		}
	}),
}

// goldenWindow is built once and copied: the suite asks thousands of times.
func goldenWindow(file string, c WindowConfig, fill func(*Window)) conformance.Golden[*Window] {
	once := sync.OnceValue(func() *Window {
		w := must(NewWindow(c))
		fill(w)
		return w
	})
	return conformance.Golden[*Window]{File: file, Build: func() *Window { return once().Clone() }}
}

func drawMemory(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, tracker.MinMemory, 1100, 2000, 5000, 16384}).Draw(t, "memory")
}

func drawHeavy(t *rapid.T, fam hashfam.Family) HeavyConfig {
	phi := rapid.SampledFrom([]float64{1, 0.1, 0.02, 0.001}).Draw(t, "phi")
	return HeavyConfig{Phi: phi, MemoryBytes: drawMemory(t), Family: fam}
}

func drawTopK(t *rapid.T, fam hashfam.Family) TopKConfig {
	return TopKConfig{K: rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "k"), MemoryBytes: drawMemory(t), Family: fam}
}

// drawWindow draws a window that forgets soon.
func drawWindow(t *rapid.T, fam hashfam.Family) WindowConfig {
	c := WindowConfig{
		Phi:    rapid.SampledFrom([]float64{1, 0.2, 0.05}).Draw(t, "phi"),
		Panes:  rapid.IntRange(1, 4).Draw(t, "panes"),
		Family: fam,
	}
	if rapid.Bool().Draw(t, "by keys") {
		c.Keys = rapid.Uint64Range(1, 100).Draw(t, "size")
	} else {
		c.Span = time.Hour
	}
	if rapid.Bool().Draw(t, "budget") {
		c.MemoryBytes = leastPaneBytes * (c.Panes + 1) * rapid.IntRange(1, 3).Draw(t, "times")
	}
	return c
}

// slow returns windows that do not begin another pane, for which memory is
// allocated.
func slow(s conformance.Structure[*Window]) conformance.Structure[*Window] {
	s.Source = conformance.From(func(t *rapid.T, fam hashfam.Family) WindowConfig {
		c := drawWindow(t, fam)
		c.Keys *= 10_000
		return c
	}, NewWindow, (*Window).Config)
	return s
}
