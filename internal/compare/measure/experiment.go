package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
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

// NewExperiment finds out the size of each structure, and so whether it can be
// built. If a structure cannot have a rate, that is noted; it is an error only
// if no other structure can.
func NewExperiment(d *Dataset, filters []Structure, rates []float64, counters []Tally) (*Experiment, error) {
	e := &Experiment{data: d, cells: newCells(filters, rates), tallies: counters, plan: newPlan(d)}
	var impossible error
	possible := len(e.cells) == 0
	for _, c := range e.cells {
		switch err := e.size(c); {
		case errors.Is(err, bloom.ErrParams):
			c.failure, impossible = err.Error(), cmp.Or(impossible, err)
		case err != nil:
			return e, err
		default:
			possible = possible || !c.Exact
		}
	}
	if possible {
		return e, nil
	}
	return e, impossible
}

// size measures the size of c.
func (e *Experiment) size(c *cell) error {
	if c.Knows {
		c.tell(&e.data.Absent, e.plan.Rounds)
	}
	err := c.attempt(func() (err error) {
		c.bytes, err = c.size(&e.data.Members)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s at -fpr %g: %w", c.Name, c.rate, err)
	}
	return nil
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
