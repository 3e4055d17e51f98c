package bloom

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestAddedKeysAreFound(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		keys := rapid.SliceOf(rapid.String()).Draw(t, "keys")
		for _, key := range keys {
			f.AddString(key)
		}
		for _, key := range keys {
			require.True(t, f.ContainsString(key))
		}
	})
}

func TestMergeKeepsAllKeys(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		g := f.Clone()
		mine, other := rapid.String().Draw(t, "mine"), rapid.String().Draw(t, "other")
		f.AddString(mine)
		g.AddString(other)
		require.NoError(t, f.Merge(g))
		require.True(t, f.ContainsString(mine) && f.ContainsString(other))
	})
}

func TestDecodingGivesTheEncodedFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f, g := mustNew(t, drawParams(t, hashfam.Family{})), new(Filter)
		for _, key := range rapid.SliceOf(rapid.String()).Draw(t, "keys") {
			f.AddString(key)
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b))
		require.True(t, g.Equal(f))
	})
}

// filters describes how a Filter is used, encoded and printed.
var filters = conformance.Structure{
	Type:      conformance.Created(NewReceiver, drawParams, NewFromParams),
	Canonical: func(conformance.Encoded) bool { return true },
	Actions: map[string]func(*conformance.Machine){
		"intersect": conformance.On(intersect), "fold": conformance.On(fold),
		"share": conformance.On(addShared), "merge into a shared filter": conformance.On(mergeShared),
	},
	Golden: map[string]func() conformance.Encoded{
		"classic.bin":     conformance.Filled(NewFromParams, Params{Bits: 1000, Hashes: 7}, 100),
		"partitioned.bin": conformance.Filled(NewFromParams, Params{Bits: 1001, Hashes: 7, Layout: Partitioned}, 100),
		"blocked.bin":     conformance.Filled(NewFromParams, Params{Bits: 1024, Hashes: 7, Layout: Blocked}, 100),
		"keyed.bin":       conformance.Filled(NewFromParams, Params{Bits: 1024, Hashes: 4, Family: keyed}, 100),
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<40)
		params[8] = 8 // Hashes, which divides Bits in every layout
		return 1 << 37
	},
	Header: conformance.Untyped(ReadParams),
	View:   conformance.Untyped(NewView),
	Ask:    func(fam hashfam.Family) conformance.Asker { return NewFrameReader(fam).ContainsDigest },
	Reads: func(s conformance.Encoded) []any {
		f := s.(*Filter)
		f.Jaccard(f)
		f.AppendDelta(nil, f)
		c := newConcurrent(f)
		return []any{Config{Family: f.Family()}, c, *c}
	},
}

// scalables describes how a Scalable is used, encoded and printed.
var scalables = conformance.Structure{
	Type:      conformance.Created(NewScalableReceiver, drawScalable, NewScalable),
	Actions:   map[string]func(*conformance.Machine){"attach": conformance.On(attach)},
	Invariant: conformance.On(checkStages),
	Golden: map[string]func() conformance.Encoded{
		"scalable.bin":         conformance.Filled(NewScalable, ScalableConfig{Expected: 20, FPRate: 0.1}, 100),
		"scalable-blocked.bin": attached,
		"scalable-limit.bin":   smallLastStage,
	},
	ClaimHuge: func(params []byte) uint64 {
		params[25] = 64 // stages
		return 1 << 37
	},
}

// rotatings describes how a Rotating is used, encoded and printed.
var rotatings = conformance.Structure{
	Type:       conformance.Created(NewRotatingReceiver, drawRotating, NewRotating),
	Actions:    map[string]func(*conformance.Machine){"advance": conformance.On(advance)},
	Invariant:  conformance.On(checkGenerations),
	Remembered: inWindow,
	Golden: map[string]func() conformance.Encoded{
		"rotating.bin":      conformance.Filled(sizedBefore, RotatingConfig{Keys: 40, FPRate: 0.1, Parts: 2}, 100),
		"rotating-time.bin": timed,
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params[24:], 1<<40)
		params[32], params[33], params[34] = 8, byte(Classic), 1
		return 1 << 38
	},
}

func TestFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, filters.Run)
}
func TestFilterFrames(t *testing.T) {
	machine.Matters(t)
	filters.Test(t)
}
func TestScalable(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, scalables.Run)
}
func TestScalableFrames(t *testing.T) {
	machine.Matters(t)
	scalables.Test(t)
}
func TestRotating(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, rotatings.Run)
}
func TestRotatingFrames(t *testing.T) {
	machine.Matters(t)
	rotatings.Test(t)
}
func FuzzFilter(f *testing.F)                { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFrames(f *testing.F)         { f.Fuzz(rapid.MakeFuzz(filters.Change)) }
func FuzzFrames(f *testing.F)                { filters.Fuzz(f) }
func FuzzScalable(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(scalables.Run)) }
func FuzzChangedScalableFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(scalables.Change)) }
func FuzzScalableFrames(f *testing.F)        { scalables.Fuzz(f) }
func FuzzRotating(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(rotatings.Run)) }
func FuzzChangedRotatingFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(rotatings.Change)) }
func FuzzRotatingFrames(f *testing.F)        { rotatings.Fuzz(f) }

var keyed = hashfam.New(hashfam.Key{1, 2, 3})

// attached is a Scalable with an attached filter.
func attached() conformance.Encoded {
	c := ScalableConfig{Expected: 60, FPRate: 0.1, Layout: Blocked, Family: keyed}
	s := conformance.Filled(NewScalable, c, 100)().(*Scalable)
	f := conformance.Filled(NewFromParams, Params{Bits: 1000, Hashes: 7, Family: keyed}, 100)().(*Filter)
	if err := s.Attach(f); err != nil {
		panic(err)
	}
	return s
}

// timed is a Rotating that is advanced by a minute for each key.
func timed() conformance.Encoded {
	c := RotatingConfig{Keys: 40, FPRate: 0.1, Span: time.Hour, Parts: 4, Layout: Blocked, Family: keyed}
	r := conformance.Filled(sizedBefore, c, 0)().(*Rotating)
	for i := range 100 {
		r.Advance(time.Unix(int64(1e9+60*i), 0))
		r.AddString(fmt.Sprint("key ", i))
	}
	return r
}

// intersect intersects the filter with another one.
func intersect(m *conformance.Machine, f, twin *Filter) {
	other, in := mustNew(m, f.Params()), map[string]bool{}
	for _, key := range conformance.DrawKeys(m.T) {
		other.AddString(key)
		in[key] = true
	}
	most := min(f.FalsePositiveRate(), other.FalsePositiveRate())
	require.NoError(m, f.Intersect(other))
	require.LessOrEqual(m, f.FalsePositiveRate(), most)
	require.NoError(m, twin.Intersect(other))
	for key := range m.Counts {
		if !in[key] {
			delete(m.Counts, key)
		}
	}
	m.Exact = false
}

// fold folds the filter if its length is even.
func fold(m *conformance.Machine, f, twin *Filter) {
	before := f.Clone()
	err := f.Fold()
	require.Equal(m, before.span%2 == 0, err == nil)
	if err != nil {
		requireField(m, err, hashfam.ErrParams, "Params.Bits")
		require.True(m, f.Equal(before), "a failed Fold changed the filter")
		return
	}
	require.Equal(m, before.Params().Bits, 2*f.Params().Bits)
	require.NoError(m, twin.Fold())
}

// addShared adds keys to a concurrent copy of the filter and replaces the
// filter with a snapshot. Both must return the same results.
func addShared(m *conformance.Machine, f, _ *Filter) {
	c := NewConcurrentFrom(f)
	m.Leave(m.F)
	m.Add(c, conformance.DrawKeys(m.T))
	m.ContainsOrAdd(c)
	m.F = c.Snapshot()
	m.Agree(conformance.DrawKeys(m.T), c)
	text, err := m.F.MarshalText()
	same, _ := c.MarshalText()
	require.Equal(m, []any{text, err}, []any{same, nil})
	c.Reset()
	require.Zero(m, c.FillRatio())
}

// mergeShared merges two filters into a concurrent copy of the filter.
func mergeShared(m *conformance.Machine, f, twin *Filter) {
	c, other := NewConcurrentFrom(f), mustNew(m, f.Params())
	for _, key := range conformance.DrawKeys(m.T) {
		other.AddString(key)
		twin.AddString(key)
		m.Count(key, 1)
	}
	require.NoError(m, c.Merge(f, other))
	m.F = c.Snapshot()
}

func drawScalable(t *rapid.T, fam hashfam.Family) ScalableConfig {
	c := ScalableConfig{
		Expected: rapid.Uint64Range(1, 30).Draw(t, "expected"),
		FPRate:   rapid.SampledFrom([]float64{0.5, 0.1, 0.001}).Draw(t, "rate"),
		Layout:   rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family:   fam,
	}
	if rapid.Bool().Draw(t, "limited") {
		first, err := c.InitialBytes()
		require.NoError(t, err)
		c.MemoryBytes = first + rapid.Uint64Range(0, 500).Draw(t, "more bytes")
	}
	return c
}

// attach attaches a plain filter with any size and layout.
func attach(m *conformance.Machine, s, twin *Scalable) {
	if s.frozen > 3 {
		return // enough are attached
	}
	f, keys := mustNew(m, drawParams(m.T, m.Family)), conformance.DrawKeys(m.T)
	for _, key := range keys {
		f.AddString(key)
		m.Count(key, 1)
	}
	require.NoError(m, s.Attach(f))
	require.NoError(m, twin.Attach(f.Clone()))
	f.Reset()
}

// checkStages checks that no stage is too full, and that there are not more
// stages than the keys need.
func checkStages(m *conformance.Machine, s, _ *Scalable) {
	require.LessOrEqual(m, s.stored, s.capacity())
	if c := s.config; c.MemoryBytes == 0 && s.frozen == 0 && c.FPRate < 0.01 { // so few keys are found before they are added
		room := uint64(0)
		for i := range s.grown() {
			room += c.capacityOf(i)
		}
		require.GreaterOrEqual(m, room+10, uint64(len(m.Counts))*9/10, "there are too few stages")
	}
	if !s.last && s.frozen == 0 {
		require.LessOrEqual(m, s.config.Expected<<(s.grown()-1), max(uint64(len(m.Added))*2, s.config.Expected))
	}
}

func drawRotating(t *rapid.T, fam hashfam.Family) RotatingConfig {
	c := RotatingConfig{
		Keys:   rapid.Uint64Range(1, 30).Draw(t, "capacity"),
		Parts:  rapid.IntRange(0, 4).Draw(t, "parts"),
		FPRate: rapid.SampledFrom([]float64{0.5, 0.1, 0.001}).Draw(t, "rate"),
		Layout: rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family: fam,
	}
	if rapid.Bool().Draw(t, "by time") {
		c.Span = time.Hour
	}
	return c
}

// advance moves the time forward, or back, which must change nothing.
func advance(m *conformance.Machine, r, twin *Rotating) {
	step := rapid.SampledFrom([]time.Duration{0, time.Nanosecond, time.Minute, 14 * time.Minute, 15 * time.Minute,
		16 * time.Minute, time.Hour, 2 * time.Hour, -time.Hour}).Draw(m.T, "time")
	at := time.Unix(0, m.Now).Add(step)
	r.Advance(at)
	twin.Advance(at)
	if r.config.Span > 0 {
		m.Advance(at.UnixNano())
	}
}

// inWindow returns the keys in the window: the last Capacity keys, or the keys
// added within the last Span.
func inWindow(m *conformance.Machine) map[string]uint64 {
	c, in := m.F.(*Rotating).config, map[string]uint64{}
	for i, e := range slices.Backward(m.Added) {
		if c.Span == 0 && uint64(len(m.Added)-i) > c.Keys || c.Span > 0 && e.At < m.Now-int64(c.Span) {
			break
		}
		in[e.Key]++
	}
	return in
}

// checkGenerations checks that each generation is identical, bit for bit, to a
// filter built from the keys that were added in its part of the window. Older
// keys must not leave any bits.
func checkGenerations(m *conformance.Machine, r, _ *Rotating) {
	c := r.config
	newest := int64(0)
	number := func(i int, _ conformance.Entry) int64 { return int64(uint64(i) / c.perGeneration()) }
	if c.Span > 0 {
		length := (int64(c.Span)-1)/int64(c.Parts) + 1
		number = func(_ int, e conformance.Entry) int64 { return floor(e.At, length) }
		newest = floor(m.Now, length)
	} else if n := len(m.Added); n > 0 {
		newest = number(n-1, m.Added[n-1])
	}
	want := make([]*Filter, c.Parts+1)
	for i := range want {
		want[i] = mustNew(m, r.newest().params)
	}
	for i, e := range m.Added {
		if at := int64(len(want)) - 1 - (newest - number(i, e)); at >= 0 {
			want[at].AddString(e.Key)
		}
	}
	for i := range want {
		require.True(m, want[i].Equal(&r.list[i]), "generation %d has other keys", i)
	}
}

// floor returns a/b, rounded down.
func floor(a, b int64) int64 { return (a - (a%b+b)%b) / b }
