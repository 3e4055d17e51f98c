package countmin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A tally is what is known of a key's count while goroutines change it: at
// least what additions that have returned added, less what removals that have
// begun take.
type tally struct{ begun, added, removed atomic.Uint64 }

func (k *tally) add(n uint64, add func()) {
	k.begun.Add(n)
	add()
	k.added.Add(n)
}

// counts calls count and reports whether its result may be right: not below
// what had been added before the call, less what was removed until its end.
func (k *tally) counts(count func() uint64) bool {
	least := k.added.Load()
	got := count()
	return got >= least-min(least, k.removed.Load())
}

// Random schedules on small sketches, plain and conservative, of both counter
// widths: no count is below the truth at any moment, every snapshot is valid,
// and in the end the total is exact and a plain sketch is the one that the same
// additions build in any order.
func TestSchedulesOfAConcurrentSketch(t *testing.T) {
	const keys = 5
	conformance.Schedules(t, func(r *rand.Rand) conformance.Schedule {
		p := Params{Width: 1 + r.Uint64N(6), Depth: 1 + r.IntN(3), CounterBits: 32 + 32*r.IntN(2), Conservative: r.IntN(2) == 0}
		c := newConcurrentSketch(p)
		var truth [keys]tally
		var held [conformance.Workers][keys]uint64 // by a worker, to remove
		return conformance.Schedule{
			Step: func(worker int, r *rand.Rand) {
				key := r.Uint64N(keys)
				k := &truth[key]
				switch r.IntN(8) {
				case 0, 1:
					n := 1 + r.Uint64N(3)
					k.add(n, func() { c.AddNUint64(key, n) })
					held[worker][key] += n
				case 2:
					k.add(2, func() { c.AddAllUint64([]uint64{key, key}) })
					held[worker][key] += 2
				case 3:
					if n := held[worker][key]; n > 0 && !p.Conservative {
						k.removed.Add(n)
						if err := c.RemoveNDigest(p.Family.SumUint64(key), n); err != nil {
							t.Errorf("%v: %v", p, err)
						}
						held[worker][key] = 0
					}
				case 4:
					if !k.counts(func() uint64 { return snapshotOf(t, c).CountUint64(key) }) {
						t.Errorf("%v: a snapshot counts key %d too low", p, key)
					}
				case 5:
					if !k.counts(func() uint64 { return c.CountAllUint64(nil, []uint64{key})[0] }) {
						t.Errorf("%v: key %d is counted too low in a batch", p, key)
					}
				default:
					if !k.counts(func() uint64 { return c.CountUint64(key) }) {
						t.Errorf("%v: key %d is counted too low", p, key)
					}
				}
			},
			End: func() {
				plain, sum := must(NewFromParams(p)), uint64(0)
				for key := range uint64(keys) {
					n := truth[key].added.Load() - truth[key].removed.Load()
					plain.AddNUint64(key, n)
					sum += n
					if c.CountUint64(key) < n {
						t.Errorf("%v: key %d counts %d, not %d", p, key, c.CountUint64(key), n)
					}
				}
				if c.Total() != sum {
					t.Errorf("%v: total %d, not %d", p, c.Total(), sum)
				}
				if !p.Conservative && !c.Snapshot().Equal(plain) {
					t.Errorf("%v: other counters than those of the plain sketch", p)
				}
			},
		}
	})
}

// snapshotOf returns a snapshot, and checks that it can be decoded: that every
// row of it adds up to its total.
func snapshotOf(t *testing.T, c *ConcurrentSketch) *Sketch {
	s := c.Snapshot()
	b, err := s.MarshalBinary()
	if err == nil {
		err = NewReceiver(c.params.Family).UnmarshalBinary(b)
	}
	if err != nil {
		t.Errorf("%v: %v", c.params, err)
	}
	return s
}

// Counters stop at their maximum. While goroutines push one to it, a reader
// never sees less than it has seen before, as it would if the counter wrapped,
// and the counter beside it in a word stays as it is.
func TestCountersSaturateWhileGoroutinesAdd(t *testing.T) {
	for _, p := range []Params{
		{Width: 2, Depth: 1, CounterBits: 32}, {Width: 2, Depth: 1, CounterBits: 64},
		{Width: 2, Depth: 1, CounterBits: 32, Conservative: true}, {Width: 2, Depth: 1, CounterBits: 64, Conservative: true},
	} {
		full, beside := digestAt(0, 2), digestAt(1, 2)
		limit := uint64(math.MaxUint32)
		if p.CounterBits == 64 {
			limit = math.MaxUint64
		}
		for round := range uint64(50) {
			c := newConcurrentSketch(p)
			c.AddNDigest(full, limit-2*round-1)
			c.AddNDigest(beside, 7)
			var writers sync.WaitGroup
			var stop atomic.Bool
			for range 4 {
				writers.Go(func() {
					for range 50 {
						c.AddNDigest(full, 1+round%3)
					}
				})
			}
			fell := false
			var reader sync.WaitGroup
			reader.Go(func() {
				for last := uint64(0); !stop.Load(); {
					now := c.CountDigest(full)
					fell = fell || now < last
					last = now
					runtime.Gosched() // WebAssembly has one thread and does not preempt
				}
			})
			writers.Wait()
			stop.Store(true)
			reader.Wait()
			require.False(t, fell, "%v: the counter wrapped", p)
			require.Equal(t, limit, c.CountDigest(full), "%v", p)
			require.Equal(t, uint64(7), c.CountDigest(beside), "%v", p)
			require.Equal(t, limit == math.MaxUint64, c.Total() == math.MaxUint64, "%v: total %d", p, c.Total())
			s := snapshotOf(t, c)
			require.Equal(t, c.Total(), s.Total())
			low, high := c.BoundsDigest(full)
			require.Equal(t, [2]uint64{0, math.MaxUint64}, [2]uint64{low, high})
		}
	}
}

// digestAt returns a digest whose first position is i of w.
func digestAt(i, w uint64) hashfam.Digest {
	d := hashfam.Digest(1)
	for d.Probe().In(w) != i {
		d++
	}
	return d
}

// Eight writers of as many keys each, in batches and one by one: no count is
// lost, and the counters are those of the plain sketch.
func TestEightWritersLoseNothing(t *testing.T) {
	const writers = 8
	keys := 4_000
	if conformance.Long(t, 1, 0.1) {
		keys = 1_000_000
	}
	for _, conservative := range []bool{false, true} {
		config := Config{Width: 1 << 14, Depth: 3, Conservative: conservative}
		c, plain := must(NewConcurrentSketch(config)), must(New(config))
		var wg sync.WaitGroup
		for writer := range writers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(writer), 1))
				batch := make([]uint64, 0, 1000)
				for range keys / 2 {
					c.AddUint64(uint64(r.ExpFloat64() * 1000))
					if batch = append(batch, uint64(r.ExpFloat64()*1000)); len(batch) == cap(batch) {
						c.AddAllUint64(batch)
						batch = batch[:0]
					}
				}
				c.AddAllUint64(batch)
			})
		}
		wg.Wait()
		truth := map[uint64]uint64{}
		for writer := range writers {
			r := rand.New(rand.NewPCG(uint64(writer), 1))
			for range keys {
				key := uint64(r.ExpFloat64() * 1000)
				plain.AddUint64(key)
				truth[key]++
			}
		}
		require.Equal(t, uint64(writers*keys), c.Total())
		for key, n := range truth {
			require.GreaterOrEqual(t, c.CountUint64(key), n)
		}
		if !conservative {
			require.True(t, c.Snapshot().Equal(plain))
		}
	}
}

// On one goroutine a concurrent sketch is the plain one, whatever the form of
// the keys, and so it is after a Snapshot and back.
func TestAConcurrentSketchIsThePlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, rapid.Bool().Draw(t, "conservative"))
		p.Family = hashfam.New(hashfam.Key{9})
		c, plain := newConcurrentSketch(p), must(NewFromParams(p))
		for range rapid.IntRange(0, 40).Draw(t, "operations") {
			key := fmt.Append(nil, rapid.IntRange(0, 30).Draw(t, "key"))
			d, n := p.Family.Sum(key), rapid.Uint64Range(0, 5).Draw(t, "n")
			form := rapid.IntRange(0, 10).Draw(t, "form")
			addIn(c, form, key, d, n)
			addIn(plain, form, key, d, n)
			if form == 10 {
				require.Equal(t, plain.RemoveN(key, n) == nil, c.RemoveN(key, n) == nil)
				require.Equal(t, plain.RemoveString(string(key)) == nil, c.RemoveString(string(key)) == nil)
			}
			requireSameCounts(t, plain, c, key)
		}
		require.True(t, c.Snapshot().Equal(plain))
		require.Equal(t, [2]uint64{plain.Total(), plain.ErrorBound()}, [2]uint64{c.Total(), c.ErrorBound()})
		back := must(NewConcurrentSketchFrom(plain))
		require.True(t, back.Snapshot().Equal(plain))
		require.Equal(t, plain.Total(), back.Total())
	})
}

// addIn adds a key in one of the forms, or another key.
func addIn(s interface {
	Add([]byte)
	AddString(string)
	AddDigest(hashfam.Digest)
	AddUint64(uint64)
	AddN([]byte, uint64)
	AddNString(string, uint64)
	AddNUint64(uint64, uint64)
	AddAll([][]byte)
	AddAllStrings([]string)
	AddAllDigests([]hashfam.Digest)
	AddAllUint64([]uint64)
}, form int, key []byte, d hashfam.Digest, n uint64) {
	switch form {
	case 0:
		s.Add(key)
	case 1:
		s.AddString(string(key))
	case 2:
		s.AddDigest(d)
	case 3:
		s.AddUint64(n)
	case 4:
		s.AddN(key, n)
	case 5:
		s.AddNString(string(key), n)
	case 6:
		s.AddNUint64(n, n)
	case 7:
		s.AddAll(slices.Repeat([][]byte{key}, int(n)*40))
	case 8:
		s.AddAllStrings([]string{string(key), "b"})
	case 9:
		s.AddAllDigests([]hashfam.Digest{d, 5})
		s.AddAllUint64([]uint64{n, 5})
	}
}

// requireSameCounts checks that all forms of query agree.
func requireSameCounts(t require.TestingT, plain *Sketch, c *ConcurrentSketch, key []byte) {
	fam := c.Params().Family
	want, d := plain.Count(key), fam.Sum(key)
	require.Equal(t, want, c.Count(key))
	require.Equal(t, want, c.CountString(string(key)))
	require.Equal(t, want, c.CountDigest(d))
	require.Equal(t, plain.CountUint64(3), c.CountUint64(3))
	dst := []uint64{8}
	require.Equal(t, []uint64{8, want, want}, c.CountAll(dst, [][]byte{key, key}))
	require.Equal(t, []uint64{8, want, want}, c.CountAllStrings(dst, []string{string(key), string(key)}))
	require.Equal(t, []uint64{8, want, want}, c.CountAllDigests(dst, []hashfam.Digest{d, d}))
	require.Equal(t, plain.CountAllUint64(dst, []uint64{3}), c.CountAllUint64(dst, []uint64{3}))
	low, high := plain.Bounds(key)
	for _, bounds := range []func() (uint64, uint64){
		func() (uint64, uint64) { return c.Bounds(key) },
		func() (uint64, uint64) { return c.BoundsString(string(key)) },
		func() (uint64, uint64) { return c.BoundsDigest(d) },
	} {
		l, h := bounds()
		require.Equal(t, [2]uint64{low, high}, [2]uint64{l, h})
	}
	low, high = plain.BoundsUint64(3)
	l, h := c.BoundsUint64(3)
	require.Equal(t, [2]uint64{low, high}, [2]uint64{l, h})
}

func TestErrorsOfConcurrentSketches(t *testing.T) {
	_, err := NewConcurrentSketch(Config{})
	require.ErrorIs(t, err, ErrParams)
	_, err = NewConcurrentSketchFrom(nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = NewConcurrentSketchFrom(&Sketch{})
	require.ErrorIs(t, err, ErrParams)
	var null *ConcurrentSketch
	require.ErrorIs(t, null.RemoveString("a"), ErrParams)

	c := must(NewConcurrentSketch(Config{Width: 20, Depth: 3}))
	require.ErrorIs(t, c.RemoveString("a"), ErrParams)
	c.AddString("a")
	require.ErrorIs(t, c.RemoveN([]byte("a"), 2), ErrParams)
	require.NoError(t, c.RemoveDigest(c.Params().Family.SumString("a")))
	require.Zero(t, c.CountString("a")+c.Total())
	c.AddNUint64(17, 3)
	require.NoError(t, c.RemoveUint64(17))
	require.NoError(t, c.RemoveNUint64(17, 2))
	require.Zero(t, c.CountUint64(17)+c.Total())
	careful := must(NewConcurrentSketch(Config{Width: 20, Depth: 3, Conservative: true}))
	careful.AddString("a")
	require.ErrorIs(t, careful.Remove([]byte("a")), ErrParams)
	require.Equal(t, uint64(1), careful.CountString("a"))
}

// The zero values answer as those of the plain structures: every count is the
// largest, and adding counts nothing.
func TestZeroConcurrentStructures(t *testing.T) {
	var c ConcurrentSketch
	c.AddString("a")
	c.AddAllStrings([]string{"a"})
	c.Reset()
	require.Equal(t, uint64(math.MaxUint64), c.CountString("a"))
	require.Zero(t, c.Total()+c.SizeBytes()+c.Snapshot().Total())
	require.ErrorIs(t, c.RemoveString("a"), ErrParams)

	var h ConcurrentHeavyHitters
	h.AddString("a")
	h.AddAllStrings([]string{"a"})
	h.Reset()
	require.Equal(t, []Estimate{{math.MaxUint64, 0, math.MaxUint64}}, h.EstimateAllStrings(nil, []string{"a"}))
	require.False(t, h.Complete())
	require.Empty(t, keysOf(h.All()))
	require.Zero(t, h.Total()+h.SizeBytes()+h.Snapshot().Total())
}

// Values of the new types do not show the key of their family, in any format.
func TestConcurrentStructuresDoNotShowTheKey(t *testing.T) {
	key := hashfam.Key([]byte("sixteen secrets!"))
	fam := hashfam.New(key)
	c := must(NewConcurrentSketch(Config{Width: 2, Depth: 1, Family: fam}))
	h := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.1, Family: fam}))
	for _, v := range []any{c, *c, h, *h, struct{ C any }{*c}, c.LogValue(), h.LogValue()} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
			shown := fmt.Sprintf(format, v)
			require.NotContains(t, shown, string(key[:]), format)
			require.NotContains(t, shown, fmt.Sprintf("%x", key[:]), format)
			require.NotContains(t, shown, fmt.Sprint(key[:8])[1:20], format)
		}
	}
}

// A lane and a shard are whole cache lines, so that two of them share none.
func TestLanesAndShardsAreWholeCacheLines(t *testing.T) {
	if math.MaxInt == math.MaxInt64 {
		require.Equal(t, uintptr(64), reflect.TypeFor[lane]().Size())
		require.Equal(t, uintptr(256), reflect.TypeFor[heavyShard]().Size())
	}
}

func TestConcurrentReadsDoNotAllocate(t *testing.T) {
	c := must(NewConcurrentSketch(Config{Width: 100, Depth: 3}))
	h := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.1}))
	key, keys := []byte("a"), slices.Repeat([][]byte{[]byte("a")}, 300)
	h.Add(key)
	counts, estimates := make([]uint64, 0, 300), make([]Estimate, 0, 300)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Add(key)
		c.AddAll(keys)
		c.Count(key)
		c.CountAll(counts, keys)
		h.Add(key)
		h.AddAll(keys)
		h.Estimate(key)
		h.EstimateAll(estimates, keys)
	}))
}
