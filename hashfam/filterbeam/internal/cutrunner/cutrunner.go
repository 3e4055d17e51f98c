package cutrunner

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// Options say how a pipeline is run.
type Options struct {
	Elements int                 // of a bundle; 0 for one bundle in each stage
	Workers  int                 // bundles at a time; 0 for one
	Seed     uint64              // of the order of elements
	Fault    func(Attempt) Fault // which attempts fail; nil for none
	Split    bool                // split restrictions while they are processed
	Lift     bool                // combine before the grouping, too
	Hold     bool                // keep elements in memory, and see whether they change
	Divide   int                 // grouping whose keys two tasks get, which is wrong; from 1 on
}

// A Result tells what a run has done.
type Result struct {
	Tries  int         // attempts
	Failed [points]int // attempts that failed, by the point of the fault
	Splits int         // of restrictions while they were processed
	Stages []string    // their names

	counters map[metrics.StepKey]int64
}

// Metrics returns the counters of the attempts that succeeded.
func (r *Result) Metrics() metrics.Results {
	return *metrics.NewResults(metrics.MergeCounters(r.counters, r.counters), nil, nil, nil, nil)
}

// JobID returns the name of the runner.
func (r *Result) JobID() string { return "cutrunner" }

// commit adds the counters of an attempt.
func (r *Result) commit(a *attempt) {
	r.Splits += len(a.residuals)
	all := a.metrics.AllMetrics()
	for _, c := range all.Counters() {
		r.counters[c.Key] += c.Result()
	}
}

// A runner runs one pipeline.
type runner struct {
	options     Options
	store       *store
	collections map[int]*collection // by the number of the node
	lifted      map[int]bool        // collections grouped after they were combined
	groupings   int                 // so far

	mu     sync.Mutex
	result *Result
}

// count counts an attempt.
func (r *runner) count(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Tries++
	if a.fault.Point != None {
		r.result.Failed[a.fault.Point]++
	}
}

// Run runs a pipeline. It returns an error if all attempts at a bundle fail, or
// if the pipeline contains what the package does not run.
func Run(ctx context.Context, p *beam.Pipeline, o Options) (*Result, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	r := &runner{
		options: o, collections: map[int]*collection{}, lifted: map[int]bool{},
		result: &Result{counters: map[metrics.StepKey]int64{}},
	}
	if r.store, err = newStore(); err != nil {
		return nil, err
	}
	defer r.store.close()
	for _, e := range edges {
		for _, out := range e.Output {
			r.collections[out.To.ID()] = &collection{coder: out.To.Coder}
		}
	}
	for _, e := range edges {
		if err := r.runEdge(ctx, e, edges); err != nil {
			return r.result, err
		}
	}
	for _, c := range r.collections {
		if err := r.check(c.coder, c.items); err != nil {
			return r.result, fmt.Errorf("at the end of the job: %w", err)
		}
	}
	return r.result, nil
}

// check returns an error if one of the items that are held has changed.
func (r *runner) check(c *coder.Coder, items []item) error {
	if !r.options.Hold {
		return nil
	}
	e := newEncoder(c, false)
	for _, i := range items {
		if err := e.check(r.store, i); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) input(e *graph.MultiEdge) *collection  { return r.collections[e.Input[0].From.ID()] }
func (r *runner) output(e *graph.MultiEdge) *collection { return r.collections[e.Output[0].To.ID()] }

// runEdge runs a primitive of the pipeline.
func (r *runner) runEdge(ctx context.Context, e *graph.MultiEdge, all []*graph.MultiEdge) error {
	if e.Op != graph.Flatten && len(e.Input) > 1 {
		return fmt.Errorf("cutrunner: %v has several inputs", e)
	}
	switch e.Op {
	case graph.Impulse:
		i, err := newEncoder(coder.NewBytes(), false).encode(r.store, wrap(e.Value))
		r.output(e).items = []item{i}
		return err
	case graph.Flatten:
		for _, in := range e.Input {
			r.output(e).items = append(r.output(e).items, r.collections[in.From.ID()].items...)
		}
		return nil
	case graph.WindowInto, graph.Reshuffle: // elements are in the global window, and always shuffled
		r.output(e).items = r.input(e).items
		return nil
	case graph.ParDo:
		if e.DoFn.IsSplittable() {
			return r.runSplittable(ctx, e)
		}
		return r.runParDo(ctx, e)
	case graph.CoGBK:
		return r.runGroup(ctx, e, all)
	case graph.Combine:
		return r.runCombine(ctx, e)
	}
	return fmt.Errorf("cutrunner: %v is not supported", e)
}
