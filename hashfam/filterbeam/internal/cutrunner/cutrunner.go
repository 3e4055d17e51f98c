// Package cutrunner is a Beam runner for tests. Like the runners on a cluster,
// it runs each stage in small bundles, several at a time, and repeats bundles
// that fail. A test selects the attempts that fail, and the point at which they
// fail. Restrictions are split while they are processed.
//
// Each worker has a copy of the stage's function, made from its serialized
// form, and uses it again after an attempt that failed. Elements that pass
// between two stages are encoded and written to a file. If [Options].Hold is
// set, they are handed on in memory instead, and compared with their encodings
// at the end of the job. A stage sees only the output of attempts that
// succeeded, in no particular order, and starts when the stage before it is
// complete.
//
// The package runs what filterbeam uses: ParDo without side inputs, splittable
// or not, GroupByKey, Combine and Flatten, all in the global window.
package cutrunner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
)

// Options control how a pipeline is run.
type Options struct {
	Elements int                 // elements in a bundle; 0 for one bundle per stage
	Workers  int                 // bundles at a time; 0 for one
	Seed     uint64              // for the order of elements
	Fault    func(Attempt) Fault // selects the attempts that fail; nil for none
	Hold     bool                // hold elements in memory, and check that they do not change
	Divide   int                 // number of the grouping, from 1, whose values each get a task, which is an error
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
	file        *os.File     // contains the encoded elements, so that only the workers use memory
	end         atomic.Int64 // of the file
	options     Options
	collections map[int]*collection // by the number of the node
	groupings   int                 // so far
	result      *Result
}

// Run runs a pipeline. It returns an error if all attempts at a bundle fail, if
// an element changed that is held in memory, or if the pipeline contains
// something that the package cannot run.
func Run(ctx context.Context, p *beam.Pipeline, o Options) (*Result, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	r := &runner{options: o, collections: map[int]*collection{}, result: &Result{counters: map[metrics.StepKey]int64{}}}
	if r.file, err = os.CreateTemp("", "cutrunner"); err != nil {
		return nil, err
	}
	defer os.Remove(r.file.Name())
	defer r.file.Close()
	for _, e := range edges {
		if err := r.runEdge(ctx, e); err != nil {
			return r.result, err
		}
	}
	for _, c := range r.collections {
		if err := c.check(); err != nil {
			return r.result, err
		}
	}
	return r.result, nil
}

// runEdge runs a primitive of the pipeline. Its inputs are complete.
func (r *runner) runEdge(ctx context.Context, e *graph.MultiEdge) error {
	var in, out []*collection
	for _, i := range e.Input {
		in = append(in, r.collections[i.From.ID()])
	}
	for _, o := range e.Output {
		c := &collection{runner: r, coder: o.To.Coder}
		r.collections[o.To.ID()] = c
		out = append(out, c)
	}
	switch {
	case e.Op == graph.Impulse:
		i, err := out[0].store(global(e.Value))
		out[0].items = []item{i}
		return err
	case e.Op == graph.Flatten, e.Op == graph.WindowInto, e.Op == graph.Reshuffle: // elements are always shuffled
		for _, c := range in {
			out[0].items = append(out[0].items, c.items...)
		}
		return nil
	case len(in) > 1:
	case e.Op == graph.CoGBK:
		return r.group(in[0], out[0])
	case e.Op == graph.ParDo && e.DoFn.IsSplittable():
		return r.runSplittable(ctx, e, in[0], out)
	case e.Op == graph.ParDo, e.Op == graph.Combine:
		return r.runStage(ctx, e, "", in[0], out)
	}
	return fmt.Errorf("cutrunner: %v is not supported", e)
}

// runStage runs a stage of an edge, whose name is the edge's name and step.
func (r *runner) runStage(ctx context.Context, e *graph.MultiEdge, step step, in *collection, out []*collection) error {
	s := &stage{runner: r, edge: e, step: step, name: e.Name() + string(step), in: in, out: out}
	s.number, s.idle = len(r.result.Stages), make(chan *graph.Fn, maxTries*max(r.options.Workers, 1))
	r.result.Stages = append(r.result.Stages, s.name)
	return s.run(ctx)
}

// runSplittable runs a splittable function in two stages.
func (r *runner) runSplittable(ctx context.Context, e *graph.MultiEdge, in *collection, out []*collection) error {
	pair := func(a, b *coder.Coder) *coder.Coder { return coder.NewKV([]*coder.Coder{a, b}) }
	restrictions := &collection{runner: r, coder: pair(pair(in.coder, e.RestrictionCoder), coder.NewDouble())}
	if err := r.runStage(ctx, e, splitting, in, []*collection{restrictions}); err != nil {
		return err
	}
	return r.runStage(ctx, e, processing, restrictions, out)
}

// group groups a collection by key, in the order in which the keys first occur.
func (r *runner) group(in, out *collection) error {
	r.groupings++
	out.coder = in.coder
	decoder := exec.MakeElementDecoder(in.coder.Components[0])
	place := map[string]int{}
	for _, i := range in.items {
		encoded, err := in.bytes(i)
		if err != nil {
			return err
		}
		rest := bytes.NewReader(encoded)
		if _, err := decoder.Decode(rest); err != nil {
			return err
		}
		key := string(encoded[:len(encoded)-rest.Len()])
		at, known := place[key]
		if !known || r.groupings == r.options.Divide {
			at = len(out.items)
			place[key] = at
			out.items = append(out.items, i)
		}
		out.items[at].values = append(out.items[at].values, i)
	}
	return nil
}
