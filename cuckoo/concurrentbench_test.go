package cuckoo

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A mix is nine Contains, half of them of members, to each Add. Adds are
// undone later, so that the filter stays as full as it is.
type mix struct {
	has func(uint64) bool
	add func(uint64) error
	del func(uint64) bool
}

// run does n operations of goroutine g on a filter of the keys 0 to size-1.
func (m mix) run(g, n, size uint64) {
	x := g*0x9E3779B97F4A7C15 + 1
	for k := range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		switch fresh := 1<<40 | g<<36 | k/20; k % 20 {
		case 0:
			m.add(fresh)
		case 10:
			m.del(fresh)
		default:
			m.has(hashfam.Reduce(x, 2*size))
		}
	}
}

// together returns the time an operation takes on average if workers do n each
// at the same time: the wall time over the number of all operations.
func (m mix) together(workers, n, size uint64) float64 {
	var wg sync.WaitGroup
	start := time.Now()
	for g := range workers {
		wg.Go(func() { m.run(g, n, size) })
	}
	wg.Wait()
	return float64(time.Since(start).Nanoseconds()) / float64(n*workers)
}

// BenchmarkConcurrent measures 90 % Contains, 5 % Add and 5 % Delete on one and
// two goroutines, a plain filter that is only read, one behind a mutex, one
// behind a RWMutex, and a Concurrent, in turns. The figures are the medians of
// the wall time of an operation. Run it with -benchtime=1x.
func BenchmarkConcurrent(b *testing.B) {
	const rounds, n = 40, 100_000
	for _, size := range []uint64{1_000_000} {
		f, err := New(Config{Capacity: size * 21 / 20, FPRate: 0.01})
		require.NoError(b, err)
		for k := range size {
			require.NoError(b, f.AddUint64(k))
		}
		c, err := NewConcurrentFrom(f)
		require.NoError(b, err)
		times := map[string][]float64{}
		contests := map[string]mix{"plain reads": {has: f.ContainsUint64, add: func(k uint64) error { f.ContainsUint64(k); return nil }, del: f.ContainsUint64}}
		contests["mutex"], contests["RWMutex"] = behind(f, &sync.Mutex{}, nil), behind(f, nil, &sync.RWMutex{})
		contests["Concurrent"] = mix{c.ContainsUint64, c.AddUint64, c.DeleteUint64}
		for b.Loop() {
			for range rounds {
				for _, name := range []string{"plain reads", "mutex", "RWMutex", "Concurrent"} {
					for workers := range uint64(2) {
						at := fmt.Sprintf("%s/%d", name, workers+1)
						times[at] = append(times[at], contests[name].together(workers+1, n, size))
					}
				}
			}
		}
		for at, list := range times {
			slices.Sort(list)
			b.Logf("n=%d %s: %.1f ns/op, lower decile %.1f, best %.1f", size, at, list[len(list)/2], list[len(list)/10], list[0])
		}
	}
}

// behind returns a mix of f behind one of the two locks.
func behind(f *Filter, lock *sync.Mutex, rw *sync.RWMutex) mix {
	if rw != nil {
		return mix{
			func(k uint64) bool { rw.RLock(); defer rw.RUnlock(); return f.ContainsUint64(k) },
			func(k uint64) error { rw.Lock(); defer rw.Unlock(); return f.AddUint64(k) },
			func(k uint64) bool { rw.Lock(); defer rw.Unlock(); return f.DeleteUint64(k) },
		}
	}
	return mix{
		func(k uint64) bool { lock.Lock(); defer lock.Unlock(); return f.ContainsUint64(k) },
		func(k uint64) error { lock.Lock(); defer lock.Unlock(); return f.AddUint64(k) },
		func(k uint64) bool { lock.Lock(); defer lock.Unlock(); return f.DeleteUint64(k) },
	}
}
