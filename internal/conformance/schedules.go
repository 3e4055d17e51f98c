package conformance

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Workers is the number of goroutines of a [Schedule].
const Workers = 4

// A Schedule is one run of a structure that several goroutines use. Its
// functions report what is wrong with t.Errorf, which goroutines may call.
type Schedule struct {
	// Step does one random operation in the name of a worker.
	Step func(worker int, r *rand.Rand)
	// End checks the structure after all workers have finished.
	End func()
}

// Schedules runs random schedules of four goroutines that do about eight steps
// each: thousands, and a million if FILTERFAM_LONG is set. fresh returns the
// next schedule, with a new structure. The goroutines go through a group of
// schedules at the same time, and yield the processor at random steps.
func Schedules(t *testing.T, fresh func(r *rand.Rand) Schedule) {
	const steps, size = 8, 64
	runs := 10_000
	if Long(t, 2, 0.1) {
		runs = 1_000_000
	}
	var group [size]Schedule
	var start, finish barrier
	var wg sync.WaitGroup
	for worker := range Workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(14, uint64(worker)))
			for range (runs + size - 1) / size {
				for i := worker; i < size; i += Workers {
					group[i] = fresh(r)
				}
				start.wait()
				for step := range steps * size {
					if r.IntN(8) == 0 {
						runtime.Gosched()
					}
					group[(step/steps+r.IntN(2))%size].Step(worker, r)
				}
				finish.wait()
				for i := worker; i < size; i += Workers {
					group[i].End()
				}
			}
		})
	}
	wg.Wait()
}

// A barrier lets no worker pass before all have arrived.
type barrier struct{ arrived, round atomic.Uint64 }

func (b *barrier) wait() {
	round := b.round.Load()
	if b.arrived.Add(1) == Workers {
		b.arrived.Store(0)
		b.round.Add(1)
		return
	}
	for b.round.Load() == round {
		runtime.Gosched()
	}
}
