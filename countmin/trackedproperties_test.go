package countmin

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

// heavies, tops and windows describe how the structures that track keys are
// used, encoded and printed.
var (
	heavies = tracks(conformance.Structure{
		Type:      conformance.Created(NewHeavyReceiver, drawHeavy, NewHeavyHitters),
		Actions:   map[string]func(*conformance.Machine){"add copies": addCopies, "join": joinShards(JoinHeavyHitters)},
		Invariant: conformance.On(checkHeavyHitters),
		Golden: map[string]func() conformance.Encoded{
			"heavy.bin":      goldenHeavy(HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory}),
			"heavykeyed.bin": goldenHeavy(HeavyConfig{Phi: 0.1, MemoryBytes: 1200, Family: keyed}),
		},
		ClaimHuge: claimHuge,
	})
	tops = tracks(conformance.Structure{
		Type:      conformance.Created(NewHeavyReceiver, drawTopK, NewHeavyHitters),
		Actions:   map[string]func(*conformance.Machine){"add copies": addCopies, "join": joinShards(JoinHeavyHitters)},
		Invariant: conformance.On(func(m *conformance.Machine, k, _ *HeavyHitters) { checkTop(m, m.Counts, k) }),
		Golden:    map[string]func() conformance.Encoded{"top.bin": goldenTop},
		ClaimHuge: claimHuge,
	})
	windows = windowsOf(drawWindow)
	slow    = windowsOf(drawSlowWindow) // which do not begin another pane, since this would allocate
)

func windowsOf(draw func(*rapid.T, hashfam.Family) WindowConfig) conformance.Structure {
	return tracks(conformance.Structure{
		Type:       conformance.Created(NewWindowReceiver, draw, NewWindow),
		Actions:    map[string]func(*conformance.Machine){"add copies": addCopies, "advance": conformance.On(advance)},
		Invariant:  conformance.On(checkWindow),
		Remembered: covered,
		Large:      large,
		Golden:     map[string]func() conformance.Encoded{"window.bin": goldenWindow, "windowtime.bin": goldenWindowTime, "windowtop.bin": goldenWindowTop},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params[32:], mostParts)
			return claimHuge(params[32:])
		},
	})
}

func TestHeavyHitters(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, heavies.Run)
}
func TestTopK(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, tops.Run)
}
func TestWindow(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, windows.Run)
}
func TestHeavyFrames(t *testing.T) {
	machine.Matters(t)
	heavies.Test(t)
}
func TestTopKFrames(t *testing.T) {
	machine.Matters(t)
	tops.Test(t)
}
func TestWindowFrames(t *testing.T) {
	machine.Matters(t)
	slow.Test(t)
}
func FuzzHeavyHitters(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(heavies.Run)) }
func FuzzTopK(f *testing.F)                { f.Fuzz(rapid.MakeFuzz(tops.Run)) }
func FuzzWindow(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(windows.Run)) }
func FuzzChangedHeavyFrames(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(heavies.Change)) }
func FuzzChangedTopKFrames(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(tops.Change)) }
func FuzzChangedWindowFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(slow.Change)) }
func FuzzHeavyFrames(f *testing.F)         { heavies.Fuzz(f) }
func FuzzTopKFrames(f *testing.F)          { tops.Fuzz(f) }
func FuzzWindowFrames(f *testing.F)        { slow.Fuzz(f) }

// A tracking structure is a *HeavyHitters or a *Window.
type tracking interface {
	Family() hashfam.Family
	Add(key []byte)
	AddString(key string)
	AddDigest(d hashfam.Digest, key []byte)
	AddAll(digests []hashfam.Digest, keys [][]byte) error
	AddN(key []byte, n uint64)
	Estimate(key []byte) Estimate
	EstimateString(key string) Estimate
	EstimateDigest(d hashfam.Digest) Estimate
	EstimateAll(dst []Estimate, digests []hashfam.Digest) []Estimate
	All() iter.Seq2[string, Estimate]
	Total() uint64
	MissBound() uint64
	OmittedBound() uint64
	Threshold() uint64
	Complete() bool
	SizeBytes() uint64
	number() int
	budget() int
}

func (t *tracked[S]) number() int   { _, k, _ := t.scope.goal(&t.panes); return k }
func (h *HeavyHitters) budget() int { return h.Config().MemoryBytes }
func (w *Window) budget() int       { return w.Config().MemoryBytes }

// tracks adds the fields that both structures have in common.
func tracks(s conformance.Structure) conformance.Structure {
	own := s.Invariant
	s.Add = addsTracked
	s.Questions = []func(any) []conformance.Form{
		func(f any) []conformance.Form {
			return conformance.Counting(estimates("High of Estimate", f, func(e Estimate) uint64 { return e.High }))
		},
		func(f any) []conformance.Form { // above 0 if the key may have been counted
			return estimates("Low of Estimate", f, func(e Estimate) uint64 { return sizing.SaturatingAdd(e.Low, min(e.High, 1)) })
		},
	}
	s.GrowsInSteps = true
	s.Reads = func(f conformance.Encoded) []any {
		h := f.(tracking)
		return []any{h.MissBound(), h.OmittedBound(), h.Threshold(), h.Complete(), maps.Collect(h.All())}
	}
	s.Invariant = func(m *conformance.Machine) {
		checkTracked(m, m.Counts, m.F.(tracking))
		own(m)
	}
	return s
}

// addsTracked returns the forms of Add and AddN.
func addsTracked(f any) []conformance.Form {
	t := f.(tracking)
	return slices.Concat(
		conformance.Forms("Add", t, t.Add, t.AddString, t.AddAll),
		conformance.Forms("AddDigest", t, func(key []byte) { t.AddDigest(t.Family().Sum(key), key) }),
		conformance.Forms("AddN", t, func(key []byte) { t.AddN(key, 1) }))
}

// estimates returns the forms of one of the bounds of Estimate.
func estimates(name string, f any, number func(Estimate) uint64) []conformance.Form {
	t := f.(tracking)
	return conformance.Forms(name, t,
		func(key []byte) uint64 { return number(t.Estimate(key)) },
		func(key string) uint64 { return number(t.EstimateString(key)) },
		func(d hashfam.Digest) uint64 { return number(t.EstimateDigest(d)) },
		conformance.Answers(name+"All", Estimate{7, 9}, t.EstimateAll, number))
}

// claimHuge claims a budget of 2^34 bytes, and a payload of 2^40.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params[8:], tracker.MaxMemory)
	return 1 << 40
}

// goldenHeavy has a few keys, including a long one, that do not all fit.
func goldenHeavy(c HeavyConfig) func() conformance.Encoded {
	return func() conformance.Encoded {
		h := must(NewHeavyHitters(c))
		for i := range 60 {
			h.AddN(fmt.Appendf(nil, "key %d", i%20), uint64(1+i*i%7))
			h.AddString(fmt.Sprintf("%0*d", 255+i%2*9, 1))
		}
		h.AddN([]byte("heavy"), 1<<33)
		return h
	}
}

func goldenTop() conformance.Encoded {
	k := must(NewHeavyHitters(HeavyConfig{K: 3, MemoryBytes: tracker.MinMemory}))
	for i := range 60 {
		k.AddN(fmt.Appendf(nil, "key %d", i%20), uint64(1+i*i%7))
	}
	return k
}

func goldenWindow() conformance.Encoded {
	w := must(NewWindow(WindowConfig{Phi: 0.2, Keys: 16, Parts: 1, MemoryBytes: 2 * leastPartBytes}))
	for i := range 24 {
		w.AddString(fmt.Sprint("key ", i%7))
	}
	return w
}

func goldenWindowTime() conformance.Encoded {
	w := must(NewWindow(WindowConfig{Phi: 0.2, Span: time.Minute, Parts: 2, MemoryBytes: 3 * leastPartBytes, Family: keyed}))
	for i := range 20 {
		w.Advance(time.Unix(int64(2*i-40), 0))
		w.AddString(fmt.Sprint("key ", i*i%11))
	}
	return w
}

func goldenWindowTop() conformance.Encoded {
	w := must(NewWindow(WindowConfig{K: 2, Keys: 12, Parts: 3}))
	for i := range 24 {
		w.AddString(fmt.Sprint("key ", i*i%7))
	}
	return w
}

// large reports whether the counters of a window's panes, which may all be
// encoded, have more than 4 MiB.
func large(f conformance.Encoded) bool {
	c := f.(*Window).Config()
	if c.MemoryBytes > 0 {
		return c.MemoryBytes > 8<<20
	}
	return 8*float64(c.Parts+1)*min(max(1/c.Phi, 2*float64(c.K)), 1<<20) > 4<<20
}

func drawMemory(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, tracker.MinMemory, 1100, 2000, 5000, 16384}).Draw(t, "memory")
}

func drawHeavy(t *rapid.T, fam hashfam.Family) HeavyConfig {
	phi := rapid.SampledFrom([]float64{1, 0.1, 0.02, 0.001}).Draw(t, "phi")
	return HeavyConfig{Phi: phi, MemoryBytes: drawMemory(t), Family: fam}
}

func drawTopK(t *rapid.T, fam hashfam.Family) HeavyConfig {
	return HeavyConfig{K: rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "k"), MemoryBytes: drawMemory(t), Family: fam}
}

// drawWindow draws a window that drops keys soon.
func drawWindow(t *rapid.T, fam hashfam.Family) WindowConfig {
	c := WindowConfig{
		Phi:    rapid.SampledFrom([]float64{1, 0.2, 0.05, 0}).Draw(t, "phi"),
		Parts:  rapid.IntRange(1, 4).Draw(t, "panes"),
		Family: fam,
	}
	if c.Phi == 0 {
		c.K = rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "k")
	}
	if rapid.Bool().Draw(t, "by keys") {
		c.Keys = rapid.Uint64Range(1, 100).Draw(t, "size")
	} else {
		c.Span = time.Hour
	}
	if rapid.Bool().Draw(t, "budget") {
		c.MemoryBytes = leastPartBytes * (c.Parts + 1) * rapid.IntRange(1, 3).Draw(t, "times")
	}
	return c
}

func drawSlowWindow(t *rapid.T, fam hashfam.Family) WindowConfig {
	c := drawWindow(t, fam)
	c.Keys *= 10_000
	return c
}

// joinShards replaces the structure by the joined shards of its keys.
func joinShards[S interface {
	conformance.Encoded
	AddN([]byte, uint64)
	Clone() S
	Reset()
}](joined func([]S) (S, error)) func(*conformance.Machine) {
	return conformance.On(func(m *conformance.Machine, f, _ S) {
		shards := make([]S, rapid.IntRange(1, 4).Draw(m.T, "shards"))
		for i := range shards {
			shards[i] = f.Clone()
			shards[i].Reset()
		}
		for _, e := range m.Added {
			shards[m.Family.SumString(e.Key).Shard(len(shards))].AddN([]byte(e.Key), e.N)
		}
		all, err := joined(shards)
		require.NoError(m, err)
		m.F = all
		m.Resync()
	})
}

// checkTracked checks that all bounds contain the truth, that the report is
// sorted and agrees with Estimate, that no other key has a higher count than
// OmittedBound, and that the budget is not exceeded.
func checkTracked(t require.TestingT, counts map[string]uint64, h tracking) {
	require.Equal(t, conformance.Total(counts), h.Total())
	require.True(t, h.budget() == 0 || h.SizeBytes() <= uint64(h.budget()), "%d bytes of %d", h.SizeBytes(), h.budget())
	last, lastKey := uint64(math.MaxUint64), ""
	for key, e := range h.All() {
		require.True(t, e.High < last || e.High == last && lastKey <= key, "the report is not sorted")
		require.Equal(t, h.EstimateString(key), e)
		require.LessOrEqual(t, e.Low, counts[key])
		last, lastKey = e.High, key+"\x00" // the next key in order
	}
	listed, omitted := maps.Collect(h.All()), h.OmittedBound()
	for key, n := range counts {
		if _, ok := listed[key]; !ok && n > omitted {
			require.Fail(t, "omitted", "%q was counted %d times, but is not reported; bound %d", key, n, omitted)
		}
		if e := h.EstimateString(key); n < e.Low || n > e.High {
			require.Fail(t, "wrong bounds", "%q was counted %d times, estimated as %+v", key, n, e)
		}
	}
}

// checkHeavy checks that every heavy hitter is reported, unless Complete is
// false.
func checkHeavy(t require.TestingT, counts map[string]uint64, h tracking) {
	reported := maps.Collect(h.All())
	for _, e := range reported {
		require.GreaterOrEqual(t, e.High, h.Threshold())
	}
	least, miss := h.Threshold(), h.MissBound()
	require.Equal(t, miss < least, h.Complete())
	for key, n := range counts {
		if _, ok := reported[key]; n >= least && n > miss && !ok {
			require.Fail(t, "missed", "%q, counted %d times, is not reported; threshold %d", key, n, least)
		}
	}
}

// checkHeavyHitters also checks that the threshold is Phi times the total,
// rounded up.
func checkHeavyHitters(m *conformance.Machine, h, _ *HeavyHitters) {
	checkHeavy(m, m.Counts, h)
	least, share := h.Threshold(), h.Config().Phi*float64(conformance.Total(m.Counts))
	require.True(m, least == 1 || float64(least-1) < share && float64(least) >= share*(1-1e-14), "threshold %d of %g", least, share)
}

// checkTop checks that K keys are reported, or all if there are fewer, and fewer
// only with a budget; that they are the most frequent ones unless Complete is
// false; and that Threshold is the lowest High of K keys.
func checkTop(t require.TestingT, counts map[string]uint64, k tracking) {
	reported, least := maps.Collect(k.All()), uint64(math.MaxUint64)
	for key := range reported {
		least = min(least, counts[key])
	}
	different := 0
	for _, n := range counts {
		different += int(min(n, 1))
	}
	want := min(k.number(), different)
	require.LessOrEqual(t, len(reported), want)
	require.True(t, k.budget() > 0 || len(reported) == want, "%d of %d keys are reported, want %d", len(reported), different, want)
	lowest := uint64(1)
	if len(reported) == k.number() {
		lowest = math.MaxUint64
		for _, e := range reported {
			lowest = min(lowest, e.High)
		}
	}
	require.Equal(t, lowest, k.Threshold())
	complete := k.Complete()
	for key, n := range counts {
		if _, ok := reported[key]; n > 0 && !ok && complete {
			require.LessOrEqual(t, n, least, "%q, counted %d times, is not reported", key, n)
			require.Len(t, reported, k.number())
		}
	}
}

// advance moves the time forward, or back, which has no effect.
func advance(m *conformance.Machine, w, twin *Window) {
	step := rapid.SampledFrom([]time.Duration{0, time.Nanosecond, time.Minute, 15 * time.Minute, 20 * time.Minute,
		time.Hour, 2 * time.Hour, -time.Hour}).Draw(m.T, "time")
	at := time.Unix(0, m.Now).Add(step)
	if w.scope.config.Span > 0 {
		m.Advance(at.UnixNano())
	}
	w.Advance(at)
	twin.Advance(at)
}

// covered returns the counts in all panes of a window. The newest pane may be
// partly filled.
func covered(m *conformance.Machine) map[string]uint64 {
	w := m.F.(*Window)
	c := w.Config()
	if c.Span > 0 {
		length := int64(c.Span) / int64(c.Parts)
		begin := m.Now - (m.Now%length+length)%length // of the newest pane
		return lastOf(m.Added, math.MaxUint64, begin-length*int64(c.Parts))
	}
	size := w.scope.ring.Keys()
	last := uint64(0) // in the newest pane
	for _, e := range m.Added {
		if last = (last + e.N%size) % size; last == 0 {
			last = size
		}
	}
	return lastOf(m.Added, last+size*uint64(c.Parts), math.MinInt64)
}

// lastOf returns the counts of the last n keys that were added, not before
// start.
func lastOf(added []conformance.Entry, n uint64, start int64) map[string]uint64 {
	in := map[string]uint64{}
	for _, e := range slices.Backward(added) {
		times := min(e.N, n)
		if times > 0 && e.At >= start {
			in[e.Key] = sizing.SaturatingAdd(in[e.Key], times)
		}
		if n != math.MaxUint64 {
			n -= times
		}
	}
	return in
}

// checkWindow checks the report for the part that the window covers, and that
// with Phi it contains every key that makes up this fraction of exactly the last
// Keys keys or the last Span.
func checkWindow(m *conformance.Machine, w, _ *Window) {
	c := w.Config()
	if c.K > 0 {
		checkTop(m, m.Counts, w)
		return
	}
	checkHeavy(m, m.Counts, w)
	exact := lastOf(m.Added, c.Keys, math.MinInt64)
	if c.Span > 0 {
		exact = lastOf(m.Added, math.MaxUint64, m.Now-int64(c.Span))
	}
	least, reported, complete := threshold(c.Phi, conformance.Total(exact)), maps.Collect(w.All()), w.Complete()
	for key, n := range exact {
		_, ok := reported[key]
		require.True(m, n < least || ok || !complete, "%q, counted %d times, is not reported; threshold %d", key, n, least)
	}
}
