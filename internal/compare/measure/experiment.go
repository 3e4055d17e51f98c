package measure

import (
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
func NewExperiment(ctx context.Context, d *Dataset, filters []Structure, rates []float64, counters []Tally) (*Experiment, error) {
	e := &Experiment{data: d, cells: newCells(filters, rates), tallies: counters, plan: newPlan(d)}
	var impossible error
	possible := len(e.cells) == 0
	for _, c := range e.cells {
		err := e.size(ctx, c)
		switch {
		case errors.Is(err, bloom.ErrParams):
			c.failure = err.Error()
			if impossible == nil {
				impossible = err
			}
		case err != nil:
			return e, err
		default:
			possible = possible || !c.Exact
		}
	}
	if !possible {
		return e, impossible
	}
	return e, nil
}

// size measures the size of c.
func (e *Experiment) size(ctx context.Context, c *cell) error {
	if c.Knows {
		c.tell(&e.data.Absent, e.plan.Rounds)
	}
	err := c.attempt(ctx, func() (err error) {
		c.bytes, err = c.size(ctx, &e.data.Members)
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
				err := c.attempt(ctx, func() error { return c.measure(ctx, e.data, e.plan, round) })
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil:
					return fmt.Errorf("%s at %g: %w", c.Name, c.rate, err)
				}
			}
			done()
		}
	}
	return nil
}
