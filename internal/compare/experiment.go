package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
)

// An experiment is the comparison of some structures on some keys.
type experiment struct {
	data    *dataset
	cells   []*cell
	tallies []tally
	plan    plan
}

// A plan says how often everything is built and how many absent keys each
// build is queried for. The false positives of one build are not independent of
// each other: a build that happens to be fuller has more of them. Querying each
// build for no more absent keys than it has members keeps that effect below the
// sampling error, so that the intervals, pooled over all builds, hold.
type plan struct{ rounds, queries int }

const (
	queryGoal = 1_000_000 // absent keys to query per row: rates down to 1e-5 then show
	minRounds = 5
	fewKeys   = 100       // that a build is queried for, even if it has fewer members
	mostAdded = 5_000_000 // members added in all rounds, if five rounds do not need more
)

// newPlan reaches the goal of queries unless there are few absent keys: then
// that would take a great many builds.
func newPlan(d *dataset) plan {
	n := d.members.len()
	q := min(d.absent.len(), max(n, fewKeys), queryGoal)
	rounds := min((queryGoal+q-1)/q, mostAdded/n, queryGoal/fewKeys)
	return plan{rounds: max(minRounds, rounds), queries: q}
}

// newExperiment finds out the size of each structure, and so whether it can be
// built. If a structure cannot have a rate, that is noted; it is an error only
// if no other structure can.
func newExperiment(ctx context.Context, d *dataset, filters []structure, rates []float64, counters []tally) (*experiment, error) {
	e := &experiment{data: d, cells: newCells(filters, rates), tallies: counters, plan: newPlan(d)}
	var impossible error
	possible := len(e.cells) == 0
	for _, c := range e.cells {
		if c.knows {
			c.tell(&d.absent, e.plan.rounds)
		}
		err := c.attempt(ctx, func() (err error) {
			c.bytes, err = c.size(ctx, &d.members)
			return err
		})
		switch {
		case errors.Is(err, bloom.ErrParams):
			err = fmt.Errorf("%s at -fpr %g: %w", c.name, c.rate, err)
			c.failure = err.Error()
			if impossible == nil {
				impossible = err
			}
		case err != nil:
			return e, fmt.Errorf("%s at -fpr %g: %w", c.name, c.rate, err)
		default:
			possible = possible || !c.exact
		}
	}
	if !possible {
		return e, impossible
	}
	return e, nil
}

// steps returns how often run calls done.
func (e *experiment) steps() int {
	return e.plan.rounds*len(e.cells) + frequencyRounds*len(e.tallies)
}

// run measures everything and calls done after each step. If ctx ends, it
// returns the error of ctx and a report of the measurements until then.
func (e *experiment) run(ctx context.Context, done func()) (*report, error) {
	frequency := []frequencyRow{}
	err := e.measureCells(ctx, done)
	if err == nil && len(e.tallies) > 0 {
		frequency, err = countFrequencies(ctx, e.data.stream, e.tallies, done)
	}
	return &report{
		data: e.data, plan: e.plan, rows: rows(e.cells, e.data.members.len()), frequency: frequency,
		failures: failuresOf(e.cells), interrupted: ctx.Err() != nil,
	}, err
}

// measureCells runs the rounds of the plan. Each builds every cell again, under
// another hash family, and times it; that interleaves the structures, so that a
// disturbance of the machine falls on all alike.
func (e *experiment) measureCells(ctx context.Context, done func()) error {
	for round := range e.plan.rounds {
		for i := range e.cells {
			c := e.cells[(i+round)%len(e.cells)] // none always follows the same neighbor
			if round%(c.skipped+1) != 0 {
				done()
				continue
			}
			err := c.attempt(ctx, func() error { return c.measure(ctx, e.data, e.plan, round) })
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return fmt.Errorf("%s at %g: %w", c.name, c.rate, err)
			}
			done()
		}
	}
	return nil
}
