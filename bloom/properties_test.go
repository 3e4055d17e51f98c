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
	"github.com/filterfam/filterfam/internal/conformance"
)

var filters = conformance.Suite[*Filter]{
	Receiver: NewReceiver,
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<40)
		params[8] = 8 // the hashes, which divide the bits in every layout
		return 1 << 37
	},
	Golden: []conformance.Golden[*Filter]{
		{File: "classic.bin", Build: golden(NewFromParams, Params{Bits: 1000, Hashes: 7})},
		{File: "partitioned.bin", Build: golden(NewFromParams, Params{Bits: 1001, Hashes: 7, Layout: Partitioned})},
		{File: "blocked.bin", Build: golden(NewFromParams, Params{Bits: 1024, Hashes: 7, Layout: Blocked})},
		{File: "keyed.bin", Build: golden(NewFromParams, Params{Bits: 1024, Hashes: 4, Family: keyed})},
	},
	ReadParams: conformance.Reader(ReadParams),
	View:       conformance.Viewer[*Filter](NewView),
	Ask:        func(fam hashfam.Family) conformance.Asker { return NewFrameReader(fam).ContainsDigest },
	Shown: func(fam hashfam.Family) []any {
		c := newConcurrent(NewReceiver(fam))
		return []any{Config{Family: fam}, Params{Family: fam}, c, *c}
	},
	Writes: []string{"Fold"},
	Source: conformance.From(drawParams, NewFromParams),
	Larger: func(t *rapid.T, fam hashfam.Family) *Filter {
		p := drawParams(t)
		p.Bits *= rapid.SampledFrom([]uint64{1, 10, 100}).Draw(t, "times")
		p.Family = fam
		return mustNew(t, p)
	},
	Canonical: func(*Filter) bool { return true },
	More:      []func(*conformance.Run[*Filter]){intersect, fold, addShared},
}

var keyed = hashfam.New(hashfam.Key{1, 2, 3})

// golden returns a function that builds a filter of a hundred keys.
func golden[P any, T interface{ AddString(string) }](create func(P) (T, error), p P) func() T {
	return func() T {
		f, err := create(p)
		if err != nil {
			panic(err)
		}
		for i := range 100 {
			f.AddString(fmt.Sprint("key ", i))
		}
		return f
	}
}

// intersect keeps the keys that are in both filters, and others.
func intersect(r *conformance.Run[*Filter]) {
	other, in := mustNew(r, r.F.Params()), map[string]bool{}
	for _, key := range r.Keys() {
		other.Add(key)
		in[string(key)] = true
	}
	r.Note("intersect with %d keys", len(in))
	most := min(r.F.FalsePositiveRate(), other.FalsePositiveRate())
	require.NoError(r, r.F.Intersect(other))
	require.LessOrEqual(r, r.F.FalsePositiveRate(), most)
	require.NoError(r, r.Twin.Intersect(other))
	for key := range r.Counts {
		if !in[key] {
			delete(r.Counts, key)
		}
	}
	r.Exact = false
}

// fold halves the filter, if the length to halve is even.
func fold(r *conformance.Run[*Filter]) {
	r.Note("fold")
	before := r.F.Clone()
	err := r.F.Fold()
	require.Equal(r, before.span%2 == 0, err == nil)
	if err != nil {
		requireField(r, err, ErrParams, "Params.Bits")
		require.True(r, r.F.Equal(before), "a failed Fold changed the filter")
		return
	}
	require.Equal(r, before.Params().Bits, 2*r.F.Params().Bits)
	require.NoError(r, r.Twin.Fold())
}

// addShared adds keys to a concurrent form of the filter, in any form, and goes
// on with a snapshot of it, which has the same answers.
func addShared(r *conformance.Run[*Filter]) {
	c, keys, form := NewConcurrentFrom(r.F), r.Keys(), r.Intn(8)
	r.Note("share and add %d keys in form %d", len(keys), form)
	digests, found := r.Family.SumAll(nil, keys), func(key []byte, got bool) { require.Equal(r, r.Twin.Contains(key), got) }
	require.Equal(r, r.F.ContainsAll([]bool{true, false}, digests), c.ContainsAll([]bool{true, false}, digests))
	add := []func(key []byte){
		c.Add,
		func(key []byte) { c.AddString(string(key)) },
		func(key []byte) { c.AddDigest(r.Family.Sum(key)) },
		func(key []byte) { found(key, c.ContainsOrAdd(key)) },
		func(key []byte) { found(key, c.ContainsOrAddString(string(key))) },
		func(key []byte) { found(key, c.ContainsOrAddDigest(r.Family.Sum(key))) },
		func([]byte) { c.AddAll(digests) },
		func([]byte) {
			other := mustNew(r, r.F.Params())
			other.AddAll(digests)
			require.NoError(r, c.Merge(r.F, other))
		},
	}[form]
	for i, key := range keys {
		if i == 0 || form < 6 {
			add(key)
		}
		require.True(r, c.Contains(key) && c.ContainsString(string(key)) && c.ContainsDigest(r.Family.Sum(key)))
		r.Twin.Add(key)
		r.Count(key, 1)
	}
	r.F = c.Snapshot()
	text, err := r.F.MarshalText()
	same, _ := c.MarshalText()
	require.Equal(r, []any{r.F.EstimatedLen(), r.F.FillRatio(), r.F.FalsePositiveRate(), r.F.SizeBytes(), r.F.Params(), text, err},
		[]any{c.EstimatedLen(), c.FillRatio(), c.FalsePositiveRate(), c.SizeBytes(), c.Params(), same, nil})
	c.Reset()
	require.Zero(r, c.FillRatio())
}

var scalables = conformance.Suite[*Scalable]{
	Receiver: NewScalableReceiver,
	ClaimHuge: func(params []byte) uint64 {
		params[25] = 64 // stages
		return 1 << 37
	},
	Golden: []conformance.Golden[*Scalable]{
		{File: "scalable.bin", Build: golden(NewScalable, ScalableConfig{Expected: 20, FPRate: 0.1})},
		{File: "scalable-blocked.bin", Build: func() *Scalable {
			s := golden(NewScalable, ScalableConfig{Expected: 60, FPRate: 0.1, Layout: Blocked, Family: keyed})()
			if err := s.Attach(golden(NewFromParams, Params{Bits: 1000, Hashes: 7, Family: keyed})()); err != nil {
				panic(err)
			}
			return s
		}},
		{File: "scalable-limit.bin", Build: smallLastStage},
	},
	ReadParams: conformance.Reader(ReadScalableConfig),
	Shown:      func(fam hashfam.Family) []any { return []any{ScalableConfig{Family: fam}} },
	Source: conformance.From(func(t *rapid.T) ScalableConfig {
		c := ScalableConfig{
			Expected: rapid.Uint64Range(1, 30).Draw(t, "expected"),
			FPRate:   rapid.SampledFrom([]float64{0.5, 0.1, 0.001}).Draw(t, "rate"),
			Layout:   rapid.SampledFrom(layouts).Draw(t, "layout"),
		}
		if rapid.Bool().Draw(t, "limited") {
			first, err := c.SizeBytes()
			require.NoError(t, err)
			c.MemoryBytes = first + rapid.Uint64Range(0, 500).Draw(t, "more")
		}
		return c
	}, conformance.Cached(NewScalable)),
	More:  []func(*conformance.Run[*Scalable]){attach},
	Check: checkStages,
}

// attach attaches a copy of a plain filter of any size and layout.
func attach(r *conformance.Run[*Scalable]) {
	if r.F.frozen > 3 {
		return
	}
	p := Params{Bits: 64 << r.Intn(6), Hashes: 1 + r.Intn(5), Family: r.Family}
	keys := r.Keys()
	switch p.Layout = Layout(len(keys) % 3); p.Layout {
	case Partitioned:
		p.Bits *= uint64(p.Hashes)
	case Blocked:
		p.Bits *= 8
	}
	f := mustNew(r, p)
	f.AddAll(r.Family.SumAll(nil, keys))
	r.Note("attach a plain filter of %d keys", len(keys))
	require.NoError(r, r.F.Attach(f))
	require.NoError(r, r.Twin.Attach(f.Clone()))
	f.Reset()
	for _, key := range keys {
		r.Count(key, 1)
	}
}

// checkStages checks that no stage is overfull, and that there are no more of
// them than the keys need.
func checkStages(r *conformance.Run[*Scalable]) {
	require.Equal(r, len(r.F.list), r.F.Stages())
	require.LessOrEqual(r, r.F.stored, r.F.capacity())
	if !r.F.last && r.F.frozen == 0 {
		require.LessOrEqual(r, r.F.config.Expected<<(r.F.grown()-1), max(uint64(len(r.Log))*2, r.F.config.Expected))
	}
}

var rotatings = conformance.Suite[*Rotating]{
	Receiver: NewRotatingReceiver,
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params[24:], 1<<40)
		params[32], params[33], params[34] = 8, byte(Classic), 1
		return 1 << 38
	},
	Golden: []conformance.Golden[*Rotating]{
		{File: "rotating.bin", Build: golden(sizedBefore, RotatingConfig{Capacity: 40, FPRate: 0.1, Generations: 2})},
		{File: "rotating-time.bin", Build: func() *Rotating {
			r, err := sizedBefore(RotatingConfig{Capacity: 40, FPRate: 0.1, Span: time.Hour, Layout: Blocked, Family: keyed})
			if err != nil {
				panic(err)
			}
			for i := range 100 {
				r.Advance(time.Unix(int64(1e9+60*i), 0))
				r.AddString(fmt.Sprint("key ", i))
			}
			return r
		}},
	},
	ReadParams: conformance.Reader(ReadRotatingConfig),
	Shown:      func(fam hashfam.Family) []any { return []any{RotatingConfig{Family: fam}} },
	Source:     conformance.From(drawRotating, conformance.Cached(NewRotating)), // time does not pass, so that no key is forgotten
	Larger: func(t *rapid.T, fam hashfam.Family) *Rotating {
		c := drawRotating(t)
		c.Family = fam
		if rapid.Bool().Draw(t, "by keys") {
			c.Span = 0
		}
		return mustRotate(t, c)
	},
	More:       []func(*conformance.Run[*Rotating]){advance},
	Remembered: inWindow,
	Check:      checkGenerations,
}

func drawRotating(t *rapid.T) RotatingConfig {
	return RotatingConfig{
		Capacity:    rapid.Uint64Range(1, 30).Draw(t, "capacity"),
		Span:        time.Hour,
		Generations: rapid.IntRange(0, 4).Draw(t, "generations"),
		FPRate:      rapid.SampledFrom([]float64{0.5, 0.1, 0.001}).Draw(t, "rate"),
		Layout:      rapid.SampledFrom(layouts).Draw(t, "layout"),
	}
}

// advance moves the time on, or back, which does nothing.
func advance(r *conformance.Run[*Rotating]) {
	steps := []time.Duration{0, time.Nanosecond, time.Minute, 14 * time.Minute, 15 * time.Minute, 16 * time.Minute, time.Hour, 2 * time.Hour, -time.Hour}
	at := time.Unix(0, r.Now).Add(steps[r.Intn(len(steps))])
	r.Note("advance to %v", at)
	r.F.Advance(at)
	r.Twin.Advance(at)
	if r.F.config.Span > 0 {
		r.Advance(at.UnixNano())
	}
}

// inWindow returns the keys of the window: the last Capacity of them, or those
// of the last Span.
func inWindow(r *conformance.Run[*Rotating]) map[string]uint64 {
	c, in := r.F.config, map[string]uint64{}
	for i, e := range slices.Backward(r.Log) {
		if c.Span == 0 && uint64(len(r.Log)-i) > c.Capacity || c.Span > 0 && e.At < r.Now-int64(c.Span) {
			break
		}
		in[e.Key]++
	}
	return in
}

// checkGenerations checks that each generation is, bit for bit, the filter of
// the keys that were added in its part of the window, and that older keys have
// left no bit.
func checkGenerations(r *conformance.Run[*Rotating]) {
	c := r.F.config
	newest := int64(0)
	number := func(i int, _ conformance.Entry) int64 { return int64(uint64(i) / c.perGeneration()) }
	if c.Span > 0 {
		length := (int64(c.Span)-1)/int64(c.Generations) + 1
		number = func(_ int, e conformance.Entry) int64 { return floor(e.At, length) }
		newest = floor(r.Now, length)
	} else if n := len(r.Log); n > 0 {
		newest = number(n-1, r.Log[n-1])
	}
	want := make([]*Filter, c.Generations+1)
	for i := range want {
		want[i] = mustNew(r, r.F.newest().params)
	}
	for i, e := range r.Log {
		if at := int64(len(want)) - 1 - (newest - number(i, e)); at >= 0 {
			want[at].AddString(e.Key)
		}
	}
	for i := range want {
		require.True(r, want[i].Equal(&r.F.list[i]), "generation %d has other keys", i)
	}
}

// floor returns a/b, rounded down.
func floor(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

func TestFilterConformance(t *testing.T)   { filters.Run(t) }
func TestScalableConformance(t *testing.T) { scalables.Run(t) }
func TestRotatingConformance(t *testing.T) { rotatings.Run(t) }

func FuzzProgram(f *testing.F)         { filters.FuzzProgram(f) }
func FuzzFrames(f *testing.F)          { filters.FuzzFrames(f) }
func FuzzScalableProgram(f *testing.F) { scalables.FuzzProgram(f) }
func FuzzScalableFrames(f *testing.F)  { scalables.FuzzFrames(f) }
func FuzzRotatingProgram(f *testing.F) { rotatings.FuzzProgram(f) }
func FuzzRotatingFrames(f *testing.F)  { rotatings.FuzzFrames(f) }
