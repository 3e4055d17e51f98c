package bloom

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// A schedule is a small filter that several goroutines use at the same time,
// with the known state of its keys.
type schedule struct {
	filter       *Concurrent
	tried, added [6]atomic.Bool // whether an Add of the key was called, has returned
}

func newSchedule(t *testing.T, r *rand.Rand) *schedule {
	p := Params{Bits: 64 << r.IntN(4), Hashes: 1 + r.IntN(6), Layout: layouts[r.IntN(3)]}
	if p.Layout == Blocked {
		p.Bits = lineBits
	}
	p.Bits -= p.Bits % p.unit()
	return &schedule{filter: newConcurrent(mustNew(t, p))}
}

// step runs a random operation. A key whose Add has returned must be found.
func (s *schedule) step(t *testing.T, r *rand.Rand) {
	key, c := r.IntN(len(s.tried)), s.filter
	before, d, op := s.added[key].Load(), sum(c, uint64(key)), r.IntN(5)
	found := true
	if op < 3 {
		s.tried[key].Store(true)
	}
	switch op {
	case 0:
		c.AddDigest(d)
	case 1:
		c.AddAll([]hashfam.Digest{d})
	case 2:
		found = c.ContainsOrAddDigest(d)
	case 3:
		found = c.ContainsAll(nil, []hashfam.Digest{d})[0]
	case 4:
		found = c.ContainsDigest(d)
	}
	if before && !found {
		t.Errorf("%v: lost key %d", c, key)
	}
	if op < 3 {
		s.added[key].Store(true)
	}
}

// end checks that a plain filter with the same keys has the same bits.
func (s *schedule) end(t *testing.T) {
	plain := mustNew(t, s.filter.Params())
	for key := range s.tried {
		if s.tried[key].Load() {
			plain.AddDigest(sum(plain, uint64(key)))
		}
	}
	require.True(t, s.filter.Snapshot().Equal(plain), "%v: a plain filter has other bits", plain)
}

// four calls f in four goroutines.
func four(f func(worker uint64)) {
	var wg sync.WaitGroup
	for worker := range uint64(4) {
		wg.Go(func() { f(worker) })
	}
	wg.Wait()
}

// No bit is lost when several goroutines set bits of the same words. Four
// goroutines run groups of schedules and yield the processor at random steps:
// 6,400 schedules, and a million in the long form.
func TestConcurrentSchedulesLoseNoKey(t *testing.T) {
	const steps = 8
	groups := 100
	if checks.Long(t, 2, 0.1) {
		groups = 15_000
	}
	for group := range uint64(groups) {
		var list [64]*schedule
		for i := range list {
			list[i] = newSchedule(t, rand.New(rand.NewPCG(group, uint64(i))))
		}
		four(func(worker uint64) {
			r := rand.New(rand.NewPCG(group, 1000+worker))
			for i := range steps * len(list) {
				if r.IntN(8) == 0 {
					runtime.Gosched()
				}
				list[i/steps].step(t, r)
			}
		})
		for _, s := range list {
			s.end(t)
		}
	}
}

// Four goroutines set adjacent bits at the same time, so that an instruction
// that is not atomic loses some.
func TestConcurrentAddsLoseNoBit(t *testing.T) {
	machine.Matters(t)
	for range 100 {
		c := newConcurrent(mustNew(t, Params{Bits: 1 << 14, Hashes: 1}))
		four(func(worker uint64) {
			for bit := worker; bit < 1<<14; bit += 4 {
				setAtomic(&c.words[bit/64], 1<<(bit%64))
			}
		})
		require.Equal(t, 1.0, c.FillRatio())
	}
}

// Four goroutines add the same keys. For each key, one call returns false.
func TestConcurrentContainsOrAddIsFalseOncePerKey(t *testing.T) {
	machine.Matters(t)
	c, first := newConcurrent(mustNew(t, Params{Bits: 1 << 23, Hashes: 7})), atomic.Int64{}
	four(func(uint64) {
		for i := range uint64(100_000) {
			if !c.ContainsOrAddDigest(sum(c, i)) {
				first.Add(1)
			}
		}
	})
	require.EqualValues(t, 100_000, first.Load())
}

func TestBatchesMatchSingleKeys(t *testing.T) {
	machine.Matters(t)
	for _, layout := range layouts {
		requireBatches(t, layout)
	}
}

// requireBatches checks that batches and single keys have the same results, in
// a concurrent filter and in a plain one.
func requireBatches(t *testing.T, layout Layout) {
	c, err := NewConcurrent(Config{Capacity: 4000, FPRate: 0.01, Layout: layout})
	require.NoError(t, err)
	f, digests := c.Snapshot(), sums(c, 5000)
	c.AddAll(digests[:4000])
	for _, d := range digests[:4000] {
		f.AddDigest(d)
	}
	require.True(t, c.Snapshot().Equal(f))
	plain, concurrent := f.ContainsAll(nil, digests), c.ContainsAll(nil, digests)
	for i, d := range digests {
		want := f.ContainsDigest(d)
		require.Equal(t, []bool{want, want, want}, []bool{plain[i], concurrent[i], c.ContainsDigest(d)})
	}
}

func TestConcurrentOperationsAndMergesDoNotAllocate(t *testing.T) {
	machine.Matters(t)
	require.ErrorIs(t, errorOf(NewConcurrent(Config{})), hashfam.ErrParams)
	c, err := NewConcurrent(Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	f, g := c.Snapshot(), c.Snapshot()
	keys, digests, dst := [][]byte{{1}, {2}}, []hashfam.Digest{1, 2}, make([]bool, 0, 2)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		c.Add(keys[0])
		c.Contains(keys[0])
		c.ContainsOrAdd(keys[1])
		c.AddAll(digests)
		c.ContainsAll(dst, digests)
		c.Merge(g, g)
		f.Merge(g, g)
		f.Intersect(g)
		f.Jaccard(g)
	}))
}

// BenchmarkConcurrent compares a Concurrent with a Filter, in the cache and in
// memory. internal/compare measures the other structures.
func BenchmarkConcurrent(b *testing.B) {
	for _, layout := range layouts {
		for _, n := range []uint64{10_000, 10_000_000} {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(b, err)
			f.AddAll(sums(f, n))
			c := NewConcurrentFrom(f)
			for name, do := range map[string]func(hashfam.Digest){
				"add":       c.AddDigest,
				"hit":       func(d hashfam.Digest) { c.ContainsDigest(d) },
				"plain-add": f.AddDigest,
				"plain-hit": func(d hashfam.Digest) { f.ContainsDigest(d) },
			} {
				b.Run(fmt.Sprintf("%v/%s/n=%d", layout, name, n), func(b *testing.B) {
					for i := range b.N {
						do(sum(f, uint64(i)%n))
					}
				})
			}
		}
	}
}
