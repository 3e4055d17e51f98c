package conformance

import (
	"math/rand/v2"
	"os"
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

// Schedules runs random schedules of four goroutines that do a few steps each:
// thousands, and a million if FILTERFAM_LONG is set. fresh returns the next
// schedule, with a new structure. The goroutines start together, and yield the
// processor at random steps.
func Schedules(t *testing.T, fresh func(r *rand.Rand) Schedule) {
	runs := 2_000
	if os.Getenv("FILTERFAM_LONG") != "" {
		runs = 1_000_000
	}
	const steps = 8
	var current Schedule
	var start, finish barrier
	var wg sync.WaitGroup
	for worker := range Workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(14, uint64(worker)))
			for range runs {
				if worker == 0 {
					current = fresh(r)
				}
				start.wait()
				for range steps {
					if r.IntN(4) == 0 {
						runtime.Gosched()
					}
					current.Step(worker, r)
				}
				finish.wait()
				if worker == 0 {
					current.End()
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
