package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// An Experiment is the comparison of some structures on some keys.
type Experiment struct {
	data    *Dataset
	cells   []*cell
	tallies []Tally
	plan    Plan
}

// Results are what an experiment found out.
type Results struct {
	Data        *Dataset
	Plan        Plan
	Rows        []Row
	Frequency   []FrequencyRow
	Failures    []Failure
	Interrupted bool
}

// NewExperiment measures the size of each structure, which shows whether it can
// be built. If a structure cannot have a rate, that is noted. It is an error
// only if no other structure can.
func NewExperiment(d *Dataset, filters []Structure, rates []float64, counters []Tally) (*Experiment, error) {
	e := &Experiment{data: d, cells: newCells(filters, rates), tallies: counters, plan: newPlan(d)}
	var impossible error
	possible := len(e.cells) == 0
	for _, c := range e.cells {
		if c.Knows {
			c.tell(&d.Absent, e.plan.Rounds)
		}
		err := c.attempt(func() (err error) {
			c.bytes, err = c.size(&d.Members)
			return err
		})
		switch {
		case errors.Is(err, bloom.ErrParams):
			err = fmt.Errorf("%s at -fpr %g: %w", c.Name, c.rate, err)
			c.failure, impossible = err.Error(), cmp.Or(impossible, err)
		case err != nil:
			return e, fmt.Errorf("%s: %w", c.Name, err)
		default:
			possible = possible || !c.Exact
		}
	}
	if possible {
		return e, nil
	}
	return e, impossible
}

// Steps returns how often Run calls done.
func (e *Experiment) Steps() int {
	return e.plan.Rounds*len(e.cells) + frequencyRounds*len(e.tallies)
}

// Run measures everything and calls done after each step. If ctx ends, it
// returns the error of ctx and the results until then.
func (e *Experiment) Run(ctx context.Context, done func()) (*Results, error) {
	frequency := []FrequencyRow{}
	err := e.measureCells(ctx, done)
	if err == nil && len(e.tallies) > 0 {
		frequency, err = countFrequencies(ctx, e.data.Stream, e.tallies, done)
	}
	r := &Results{Data: e.data, Plan: e.plan, Rows: []Row{}, Frequency: frequency, Interrupted: ctx.Err() != nil}
	for _, c := range e.cells {
		if c.failure != "" {
			r.Failures = append(r.Failures, Failure{Structure: c.Name, TargetFPR: c.rate, Error: c.failure, Rounds: len(c.done)})
		}
		if len(c.done) > 0 {
			r.Rows = append(r.Rows, c.row(e.cells, e.data.Members.Len()))
		}
	}
	return r, err
}

// measureCells runs the rounds of the plan. Each builds every cell again, under
// another hash family, and times it; that interleaves the structures, so that a
// disturbance of the machine falls on all alike.
func (e *Experiment) measureCells(ctx context.Context, done func()) error {
	for round := range e.plan.Rounds {
		for i := range e.cells {
			c := e.cells[(i+round)%len(e.cells)] // none always follows the same neighbor
			if round%(c.skipped+1) == 0 {
				err := c.attempt(func() error { return c.measure(ctx, e.data, e.plan, round) })
				if err != nil {
					return fmt.Errorf("%s at %g: %w", c.Name, c.rate, err)
				}
			}
			done()
		}
	}
	return nil
}

// A Plan says how often everything is built and how many absent keys each build
// is queried for. The false positives of one build are not independent of each
// other: a build that happens to be fuller has more of them. Querying each
// build for no more absent keys than it has members keeps that effect below the
// sampling error, so that the intervals, pooled over all builds, hold.
type Plan struct{ Rounds, queries int }

const (
	queryGoal = 1_000_000 // absent keys to query per row: rates down to 1e-5 then show
	minRounds = 5
	fewKeys   = 100         // that a build is queried for, even if it has fewer members
	mostAdded = 5_000_000   // members added in all rounds, if five rounds do not need more
	mostBytes = 100_000_000 // of members added and absent keys queried in all rounds, too
	timedOps  = 20_000      // the fewest operations to time together, if rounds are few
)

// newPlan reaches the goal of queries unless there are few absent keys, or keys
// are long: then that would take a great many builds, or bytes to hash.
func newPlan(d *Dataset) Plan {
	n := d.Members.Len()
	p := Plan{queries: min(d.Absent.Len(), max(n, fewKeys), queryGoal)}
	rounds := min((queryGoal+p.queries-1)/p.queries, mostAdded/n, queryGoal/fewKeys, mostBytes/p.bytes(d))
	p.Rounds = max(minRounds, rounds)
	return p
}

// bytes returns how many bytes of keys a round adds and queries, at least 1.
func (p Plan) bytes(d *Dataset) int {
	absent := len(d.Absent.bytes) / d.Absent.Len()
	return max(1, len(d.Members.bytes)+p.queries*absent)
}

// repeats returns how often a round repeats what takes too short to be timed.
// The median over many rounds makes up for the shortness of each.
func (p Plan) repeats(d *Dataset) int {
	short := timedOps * minRounds / (d.Members.Len() * p.Rounds)
	return max(1, min(short, mostBytes/(p.bytes(d)*p.Rounds)))
}

// A cell collects the measurements of one structure at one rate.
type cell struct {
	Structure
	rate    float64
	beside  bool  // has the fixed rate of a peer, to stand beside it
	absent  *Keys // told to a filter that wants to know them; else nil
	skipped int   // rounds left out after each one measured: see tell
	bytes   uint64
	failure string // why it could not be built or measured; else empty
	done    []result
}

// newCells returns the cells to measure: first the exact structures, then those
// with a configurable rate, rate by rate, then those with a fixed rate, each
// after the structure of ours that it is compared with, if that is static too.
func newCells(chosen []Structure, rates []float64) []*cell {
	var cells, fixed []*cell
	for _, s := range chosen {
		switch {
		case s.Exact:
			cells = append(cells, &cell{Structure: s})
		case s.Fixed > 0:
			fixed = append(append(fixed, besides(fixed, chosen, s, rates)...), &cell{Structure: s, rate: s.Fixed})
		}
	}
	for _, rate := range rates {
		for _, s := range chosen {
			if !s.Exact && s.Fixed == 0 {
				cells = append(cells, &cell{Structure: s, rate: rate})
			}
		}
	}
	return append(cells, fixed...)
}

// besides returns the cell of ours that has the fixed rate of a static peer,
// unless it is there already.
func besides(there []*cell, chosen []Structure, peer Structure, rates []float64) []*cell {
	i := slices.IndexFunc(chosen, func(s Structure) bool { return s.Name == peer.Against && s.Static })
	if i < 0 || slices.Contains(rates, peer.Fixed) ||
		slices.ContainsFunc(there, func(c *cell) bool { return c.beside && c.rate == peer.Fixed }) {
		return nil
	}
	ours := chosen[i]
	ours.Against = "" // nothing of ours has a rate near this one
	return []*cell{{Structure: ours, rate: peer.Fixed, beside: true}}
}

// mostTold is how many absent keys a filter is told in all rounds, if five
// rounds do not need more.
const mostTold = 5_000_000

// tell lets a filter know the absent keys. Many of them for few members would
// take most of the time of a run: then it is measured in fewer rounds, which
// does no harm, as its rate is 0.
func (c *cell) tell(absent *Keys, rounds int) {
	c.absent = absent
	c.skipped = max(0, min(rounds/minRounds, int(int64(rounds)*int64(absent.Len())/mostTold))-1)
}

// size returns the bytes that c uses for the keys. A heap includes the bytes of
// the keys if the structure stores them.
func (c *cell) size(keys *Keys) (uint64, error) {
	if c.Heap {
		return heapGrowth(func() (any, error) { return c.build(keys, true) })
	}
	f, err := c.build(keys, c.Static || c.Over > 0) // others have their size before they are filled
	if err != nil {
		return 0, err
	}
	return f.SizeBytes(), nil
}

// build returns a filter for the keys. It adds them if fill is set.
func (c *cell) build(keys *Keys, fill bool) (*Filter, error) {
	f, err := c.Build(uint64(keys.Len()), c.rate, hashfam.Family{})
	if err == nil && fill {
		_, _, err = c.addAll(f, keys)
	}
	return f, err
}

// attempt does what may go wrong in a third party's code. An error or a panic
// of a peer ends the measuring of its cell only; its failure is kept to show.
func (c *cell) attempt(do func() error) (err error) {
	if c.failure != "" {
		return nil
	}
	if !c.Peer {
		return do()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			c.failure, err = err.Error(), nil
		}
	}()
	return do()
}

const (
	smallHeap   = 1 << 20
	smallBuilds = 5
)

// heapGrowth returns how much the heap grows when build is called. It calls
// build several times if the growth is small, and returns the least growth,
// because the program or a library may allocate something else meanwhile.
func heapGrowth(build func() (any, error)) (least uint64, err error) {
	for range smallBuilds {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // the second call frees what pools dropped in the first
		runtime.ReadMemStats(&before)
		built, err := build()
		if err != nil {
			return 0, err
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(built)
		if grown := max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc; least == 0 || grown > 0 && grown < least {
			least = grown
		}
		if least >= smallHeap {
			break
		}
	}
	return least, nil
}
