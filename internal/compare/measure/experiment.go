package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// An Experiment compares structures on the same keys.
type Experiment struct {
	data    *Dataset
	cells   []*cell
	tallies []Tally
	effort  Effort
}

// Results contains the measurements from an experiment.
type Results struct {
	Data        *Dataset       `json:"-"`
	Effort      Effort         `json:"-"`
	Rows        []Row          `json:"rows"`
	Frequency   []FrequencyRow `json:"frequency"`
	Failures    []Failure      `json:"failed,omitempty"`
	Interrupted bool           `json:"interrupted,omitempty"`
}

// NewExperiment prepares an experiment, and builds each structure to measure
// its size. A structure that does not support a rate is noted as a failure.
// NewExperiment returns an error if no filter supports its rate, or if one of
// our structures cannot be built for another reason.
func NewExperiment(d *Dataset, filters []Structure, rates []float64, counters []Tally) (*Experiment, error) {
	e := &Experiment{data: d, cells: newCells(filters, rates), tallies: counters, effort: newEffort(d)}
	var impossible error
	possible := len(e.cells) == 0
	for _, c := range e.cells {
		if c.Knows {
			c.tell(&d.Absent, e.effort.Rounds)
		}
		err := c.attempt(func() (err error) { c.bytes, err = c.size(&d.Members); return err })
		switch {
		case errors.Is(err, hashfam.ErrParams):
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

// Steps returns the number of times that Run will call done.
func (e *Experiment) Steps() int {
	return e.effort.Rounds*len(e.cells) + frequencyRounds*len(e.tallies)
}

// Run measures everything and calls done after each step. When ctx is canceled,
// ctx's error is returned with the current results.
func (e *Experiment) Run(ctx context.Context, done func()) (*Results, error) {
	frequency := []FrequencyRow{}
	err := e.measureCells(ctx, done)
	if err == nil && len(e.tallies) > 0 {
		frequency, err = countFrequencies(ctx, e.data.Stream, e.tallies, done)
	}
	r := &Results{Data: e.data, Effort: e.effort, Rows: []Row{}, Frequency: frequency, Interrupted: ctx.Err() != nil}
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

// measureCells runs all rounds. Each round measures all cells, so that a
// disturbance of the machine affects all structures.
func (e *Experiment) measureCells(ctx context.Context, done func()) error {
	for round := range e.effort.Rounds {
		for i := range e.cells {
			c := e.cells[(i+round)%len(e.cells)] // the neighbors change in each round
			if round%(c.skipped+1) == 0 {
				if err := c.attempt(func() error { return c.measure(ctx, e.data, e.effort, round) }); err != nil {
					return fmt.Errorf("%s at %g: %w", c.Name, c.rate, err)
				}
			}
			done()
		}
	}
	return nil
}

// An Effort determines the number of rounds, and the number of absent keys to
// query in each. False positives within a round are not independent, since a
// filter may be fuller than average by chance. But if a round does not query
// more absent keys than the filter has members, this effect stays below the
// sampling error, so intervals that are computed from the sums over all rounds
// are valid.
type Effort struct {
	Rounds, queries int
	repeats         int // in a round, since few short operations cannot be timed
}

const (
	queryGoal = 1_000_000 // absent keys to query per row, enough for rates down to 1e-5
	minRounds = 5
	fewKeys   = 100         // absent keys per round even if there are fewer members
	mostAdded = 5_000_000   // members added in all rounds, unless five rounds need more
	mostBytes = 100_000_000 // bytes of keys added and queried in all rounds, unless five rounds need more
	timedOps  = 20_000      // operations per measured time if there are few rounds
)

// newEffort plans enough rounds to query queryGoal absent keys. It plans fewer
// rounds, but at least minRounds, if there are so few absent keys that this
// would need too many builds, or if it would need to hash too many bytes.
func newEffort(d *Dataset) Effort {
	n := d.Members.Len()
	e := Effort{queries: min(d.Absent.Len(), max(n, fewKeys), queryGoal)}
	bytes := max(1, len(d.Members.bytes)+e.queries*(len(d.Absent.bytes)/d.Absent.Len())) // in a round
	e.Rounds = min((queryGoal+e.queries-1)/e.queries, mostAdded/n, queryGoal/fewKeys, mostBytes/bytes)
	e.Rounds = max(minRounds, e.Rounds)
	e.repeats = max(1, min(timedOps*minRounds/(n*e.Rounds), mostBytes/(bytes*e.Rounds)))
	return e
}

// A cell collects a structure's measurements at one rate.
type cell struct {
	Structure
	rate    float64
	beside  bool  // has a peer's fixed rate, for comparison
	absent  *Keys // nil unless the filter needs them
	skipped int   // rounds skipped after each measured round: see tell
	bytes   uint64
	failure string // the error message if it could not be measured
	done    []result
}

// newCells returns the cells to measure: first exact structures, then the
// structures with a configurable rate at each of the rates, and then the
// structures with a fixed rate. A static peer with a fixed rate follows our
// structure with the same rate (see matching).
func newCells(chosen []Structure, rates []float64) []*cell {
	var cells, fixed []*cell
	for _, s := range chosen {
		switch {
		case s.Exact:
			cells = append(cells, &cell{Structure: s})
		case s.Fixed > 0:
			fixed = append(append(fixed, matching(fixed, chosen, s, rates)...), &cell{Structure: s, rate: s.Fixed})
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

// matching returns a cell for our structure that uses the fixed rate of a
// static peer, unless there is already one.
func matching(there []*cell, chosen []Structure, peer Structure, rates []float64) []*cell {
	i := slices.IndexFunc(chosen, func(s Structure) bool { return s.Name == peer.Against && s.Static })
	done := slices.ContainsFunc(there, func(c *cell) bool { return c.beside && c.rate == peer.Fixed })
	if i < 0 || done || slices.Contains(rates, peer.Fixed) {
		return nil
	}
	ours := chosen[i]
	ours.Against = "" // ours have no such rate
	return []*cell{{Structure: ours, rate: peer.Fixed, beside: true}}
}

// tell passes the absent keys to a filter that is built to find none of them.
// Such a filter needs only a few rounds. So if there are at least ten rounds,
// which would add at least 10,000,000 absent keys in total, some rounds are
// skipped. The remaining rounds add about 5,000,000 to 7,500,000 absent keys,
// or more if fewer than five rounds would remain otherwise.
func (c *cell) tell(absent *Keys, rounds int) {
	c.absent = absent
	c.skipped = max(0, min(rounds/minRounds, int(int64(rounds)*int64(absent.Len())/5_000_000))-1)
}

// size returns the number of bytes that c uses for the keys.
func (c *cell) size(keys *Keys) (bytes uint64, err error) {
	if c.Heap {
		bytes = heapGrowth(func() (f any) { f, err = c.build(keys, true); return f })
		return bytes, err
	}
	f, err := c.build(keys, c.Static || c.Over > 0) // other structures have a fixed size
	if err != nil {
		return 0, err
	}
	return f.SizeBytes(), nil
}

// build returns a filter for the keys. It adds the keys if fill is set.
func (c *cell) build(keys *Keys, fill bool) (*Filter, error) {
	f, err := c.Build(uint64(keys.Len()), c.rate, hashfam.Family{})
	if err == nil && fill {
		_, _, err = c.addAll(f, keys)
	}
	return f, err
}

// attempt calls do and returns its error. If a peer panics or returns an error
// other than context.Canceled, attempt returns nil instead and records the
// failure, so that the cell will not be measured again.
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
			c.failure = err.Error()
			err = nil
		}
	}()
	return do()
}

// heapGrowth returns the growth of the heap when build is called. If the growth
// is small, heapGrowth calls build several times and returns the smallest
// growth, since other memory may be allocated at the same time.
func heapGrowth(build func() any) (least uint64) {
	for range 5 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // the second call frees memory that pools released in the first
		runtime.ReadMemStats(&before)
		built := build()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(built)
		if grown := max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc; least == 0 || grown > 0 && grown < least {
			least = grown
		}
		if least >= 1<<20 {
			break
		}
	}
	return least
}
