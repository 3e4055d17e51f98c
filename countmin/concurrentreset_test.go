package countmin

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/conformance"
)

// epochs tell what a sketch must still count while goroutines reset it: an
// epoch begins when a Reset has returned, and ends when the next one is called.
type epochs struct{ called, returned atomic.Uint64 }

// now returns the present epoch, or false while a Reset is running.
func (e *epochs) now() (uint64, bool) {
	returned := e.returned.Load()
	called := e.called.Load()
	return called, called == returned
}

func (e *epochs) reset(c *ConcurrentSketch) {
	e.called.Add(1)
	c.Reset()
	e.returned.Add(1)
}

// Random schedules with resets, on small sketches of both counter widths, plain
// and conservative, with small additions, batches and large additions, which
// are alone: no count is below what was added since the last Reset, no total is
// above what was ever added, and every row of a snapshot adds up to its total,
// so that every addition is forgotten or counted whole.
func TestSchedulesOfResets(t *testing.T) {
	const keys, most = 3, 100
	conformance.Schedules(t, func(r *rand.Rand) conformance.Schedule {
		p := Params{Width: 1 + r.Uint64N(4), Depth: 1 + r.IntN(3), CounterBits: 32 + 32*r.IntN(2), Conservative: r.IntN(2) == 0}
		c := newConcurrentSketch(p)
		removes := !p.Conservative && r.IntN(3) == 0 // of one key, so that none is removed that is not there
		var e epochs
		var truth [most][keys]atomic.Uint64 // added in an epoch
		var ever atomic.Uint64
		add := func(key, n uint64, how func()) {
			epoch, quiet := e.now()
			ever.Add(n)
			how()
			if quiet { // otherwise the Reset that is running may forget it
				truth[epoch][key].Add(n)
			}
		}
		look := func(key uint64, count func() uint64) {
			epoch, quiet := e.now()
			least := truth[epoch][key].Load()
			got := count()
			if later, _ := e.now(); quiet && later == epoch && got < least && !removes {
				t.Errorf("%v: key %d counts %d, not %d", p, key, got, least)
			}
		}
		return conformance.Schedule{
			Step: func(_ int, r *rand.Rand) {
				key := r.Uint64N(keys)
				if removes {
					key = 0
				}
				switch r.IntN(10) {
				case 0, 1:
					n := 1 + r.Uint64N(3)
					add(key, n, func() { c.AddNUint64(key, n) })
				case 2:
					add(key, 2, func() { c.AddAllUint64([]uint64{key, key}) })
				case 3:
					if p.CounterBits == 64 {
						add(key, largeAddition, func() { c.AddNUint64(key, largeAddition) })
					}
				case 4, 5:
					e.reset(c)
				case 6:
					look(key, func() uint64 { return snapshotOf(t, c).CountUint64(key) })
				case 7:
					look(key, func() uint64 { return c.CountAllUint64(nil, []uint64{key})[0] })
				case 8:
					if removes {
						_ = c.RemoveNDigest(p.Family.SumUint64(key), 1+r.Uint64N(2)) // it may be forgotten
					}
				default:
					look(key, func() uint64 { return c.CountUint64(key) })
				}
				if total := c.Total(); total > ever.Load() {
					t.Errorf("%v: total %d, more than was ever added", p, total)
				}
			},
			End: func() {
				for key := range uint64(keys) {
					look(key, func() uint64 { return c.CountUint64(key) })
				}
				if s := snapshotOf(t, c); s.Total() != c.Total() {
					t.Errorf("%v: total %d of a snapshot, not %d", p, s.Total(), c.Total())
				}
				c.Reset()
				if !c.Snapshot().Equal(must(NewFromParams(p))) || c.Total() != 0 {
					t.Errorf("%v: Reset left something, total %d", p, c.Total())
				}
			},
		}
	})
}

// A sketch that was reset is like a new one, also in how long it counts: its
// lanes are empty again.
func TestAConcurrentSketchAfterReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, rapid.Bool().Draw(t, "conservative"))
		c, plain := newConcurrentSketch(p), must(NewFromParams(p))
		add := func() {
			for range rapid.IntRange(0, 20).Draw(t, "keys") {
				key, n := rapid.Uint64Range(0, 9).Draw(t, "key"), uint64(1)<<rapid.IntRange(0, 63).Draw(t, "n")
				c.AddNUint64(key, n)
				plain.AddNUint64(key, n)
			}
		}
		add()
		c.Reset()
		plain.Reset()
		require.Zero(t, c.Total())
		require.True(t, c.Snapshot().Equal(plain))
		require.Equal(t, newGate().complete(), c.gate.complete())
		add()
		require.True(t, c.Snapshot().Equal(plain))
	})
	c := must(NewConcurrentSketch(Config{Width: 20, Depth: 3}))
	c.AddNString("a", 3)
	c.Reset()
	require.ErrorIs(t, c.RemoveString("a"), ErrParams, "it is forgotten")
	require.Zero(t, testing.AllocsPerRun(10, c.Reset))
}

// An addition that has announced itself and finds the gate closed takes its
// announcement back, even if a Reset came between.
func TestResetKeepsAnnouncements(t *testing.T) {
	g := newGate()
	l := &g.lanes[1]
	require.False(t, g.enter(l, 5))
	g.leave(l, 5, false)
	require.True(t, g.enter(l, largeAddition))
	g.leave(l, largeAddition, true)
	g.close()
	l.begun.Add(3)
	g.clear()
	l.begun.Add(^uint64(2))
	g.open()
	require.Zero(t, g.total())
	require.Zero(t, g.complete())
	require.False(t, g.enter(l, 1))
	g.leave(l, 1, false)
	require.Equal(t, [2]uint64{1, 1}, [2]uint64{g.total(), g.complete()})
}

// A count from before a Reset and a total from after would make all counts that
// collide with a key the key's.
func TestBoundsBesideAReset(t *testing.T) {
	c := newConcurrentSketch(Params{Width: 1, Depth: 1, CounterBits: 64})
	c.AddNDigest(1, 1000)
	require.EqualValues(t, 1000, c.gate.totalOf(func() {}))
	require.EqualValues(t, uint64(math.MaxUint64), c.gate.totalOf(c.Reset))
	require.Zero(t, c.gate.totalOf(func() {}))
	low, high := c.BoundsDigest(2)
	require.Equal(t, [2]uint64{0, 0}, [2]uint64{low, high})
}

// The lower bound of a key that was never added is 0 while a goroutine adds
// others and removes or resets them.
func TestBoundsBesideAFallingTotal(t *testing.T) {
	rounds := 100_000
	if conformance.Long(t, 1, 0.1) {
		rounds = 10_000_000
	}
	for _, fall := range []func(*ConcurrentSketch) error{
		func(c *ConcurrentSketch) error { c.Reset(); return nil },
		func(c *ConcurrentSketch) error { return c.RemoveNDigest(1, 1000) },
	} {
		c := newConcurrentSketch(Params{Width: 1, Depth: 1, CounterBits: 64})
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for !stop.Load() {
				c.AddNDigest(1, 1000)
				runtime.Gosched()
				if err := fall(c); err != nil {
					t.Error(err)
				}
			}
		})
		wrong := uint64(0)
		for i := range rounds {
			low, high := c.BoundsDigest(2)
			wrong = max(wrong, low, high%1000)
			if i%100 == 0 {
				runtime.Gosched() // WebAssembly has one thread and does not preempt
			}
		}
		stop.Store(true)
		wg.Wait()
		require.Zero(t, wrong, "the lower bound of a key that was never added")
	}
}
