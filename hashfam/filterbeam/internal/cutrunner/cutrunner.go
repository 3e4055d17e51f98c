// Package cutrunner is a Beam runner for tests. Like the runners on a cluster,
// it runs each stage in small bundles, several at a time, and repeats bundles
// that fail. A test selects the attempts that fail, and the point at which they
// fail. Restrictions are split while they are processed.
//
// Each worker has a copy of the stage's function, made from its serialized
// form, and uses it again after an attempt that failed. Elements that pass
// between two stages are encoded and written to a file, from which the next
// stage reads them. If [Options].Hold is set, the elements are also held in
// memory. The next stage then gets these, and they are compared with their
// encodings at the end of the job. A stage sees only the output of attempts
// that succeeded, in no particular order, and starts when the stage before it
// is complete.
//
// The package runs what filterbeam uses, such as ParDo without side inputs,
// GroupByKey, Combine and Flatten, all in the global window.
package cutrunner

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// Options control how a pipeline is run.
type Options struct {
	Elements int                 // elements in a bundle; 0 for one bundle per stage
	Workers  int                 // bundles at a time; 0 for one
	Seed     uint64              // for the order of elements
	Fault    func(Attempt) Fault // selects the attempts that fail; nil for none
	Hold     bool                // hold elements in memory, and check that they do not change
	Divide   int                 // number of the grouping, from 1, whose values each get a task, as if the runner had a bug
}

// A Result describes a run.
type Result struct {
	Failed [points]int // attempts that failed before one succeeded, by the point of the fault
	Splits int         // restrictions split while they were processed
	Stages []string    // names of the stages

	counters map[metrics.StepKey]int64
}

// Metrics returns the counters of the attempts that succeeded.
func (r *Result) Metrics() metrics.Results {
	return *metrics.NewResults(metrics.MergeCounters(r.counters, r.counters), nil, nil, nil, nil)
}

// JobID returns the name of the runner.
func (r *Result) JobID() string { return "cutrunner" }

// A runner runs one pipeline.
type runner struct {
	options     Options
	store       *store
	collections map[int]*collection // by the number of the node
	groupings   int                 // so far
	result      *Result
}

// Run runs a pipeline. It returns an error if all attempts at a bundle fail, if
// an element that is held in memory was changed, or if the pipeline contains
// something that the package cannot run.
func Run(ctx context.Context, p *beam.Pipeline, o Options) (*Result, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	all, err := newStore()
	if err != nil {
		return nil, err
	}
	defer all.remove()
	result := &Result{counters: map[metrics.StepKey]int64{}}
	r := &runner{options: o, store: all, collections: map[int]*collection{}, result: result}
	for _, e := range edges {
		if err := r.runEdge(ctx, e); err != nil {
			return result, err
		}
	}
	for _, c := range r.collections {
		if err := c.checkHeld(); err != nil {
			return result, err
		}
	}
	return result, nil
}

// newCollection returns an empty collection.
func (r *runner) newCollection(c *coder.Coder) *collection {
	return &collection{store: r.store, hold: r.options.Hold, coder: c}
}

// runEdge runs a primitive of the pipeline. Its inputs are complete.
func (r *runner) runEdge(ctx context.Context, e *graph.MultiEdge) (err error) {
	var in, out []*collection
	for _, i := range e.Input {
		in = append(in, r.collections[i.From.ID()])
	}
	for _, o := range e.Output {
		c := r.newCollection(o.To.Coder)
		r.collections[o.To.ID()] = c
		out = append(out, c)
	}
	switch {
	case e.Op == graph.Impulse:
		impulse, err := out[0].keep(global(e.Value))
		out[0].items = []item{impulse}
		return err
	case e.Op == graph.Flatten, e.Op == graph.WindowInto, e.Op == graph.Reshuffle: // elements are always shuffled
		for _, c := range in {
			out[0].items = append(out[0].items, c.items...)
		}
		return nil
	case len(in) > 1:
		return fmt.Errorf("cutrunner: %v has several inputs, which is not supported", e)
	case e.Op == graph.CoGBK:
		r.groupings++
		out[0].coder = in[0].coder
		out[0].items, err = in[0].group(r.groupings == r.options.Divide)
		return err
	case e.Op == graph.ParDo && e.DoFn.IsSplittable():
		return r.runSplittable(ctx, e, in[0], out)
	case e.Op == graph.ParDo, e.Op == graph.Combine:
		return r.runStage(ctx, e, wholeEdge, in[0], out)
	}
	return fmt.Errorf("cutrunner: %v is not supported", e)
}

// runSplittable runs a splittable function in two stages.
func (r *runner) runSplittable(ctx context.Context, e *graph.MultiEdge, in *collection, out []*collection) error {
	restricted := pairOf(in.coder, e.RestrictionCoder)
	restrictions := r.newCollection(pairOf(restricted, coder.NewDouble())) // with their sizes
	if err := r.runStage(ctx, e, splitting, in, []*collection{restrictions}); err != nil {
		return err
	}
	if err := r.runStage(ctx, e, processing, restrictions, out); err != nil {
		return err
	}
	return restrictions.checkHeld()
}

func pairOf(a, b *coder.Coder) *coder.Coder { return coder.NewKV([]*coder.Coder{a, b}) }

// runStage runs a stage of an edge.
func (r *runner) runStage(ctx context.Context, e *graph.MultiEdge, p phase, in *collection, out []*collection) error {
	s := newStage(r.options, len(r.result.Stages), e, p, in, out)
	r.result.Stages = append(r.result.Stages, s.name)
	committed, err := s.run(ctx)
	for _, a := range committed {
		r.result.add(a)
	}
	return err
}

// add adds the results of an attempt that succeeded, and the faults of the
// attempts before it.
func (r *Result) add(a *attempt) {
	for _, point := range a.faults {
		r.Failed[point]++
	}
	r.Splits += len(a.residuals)
	for _, c := range a.metrics.AllMetrics().Counters() {
		r.counters[c.Key] += c.Result()
	}
}
