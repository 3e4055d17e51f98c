// Package cutrunner is a Beam runner for tests. It runs each stage in small
// bundles, several at a time, and repeats bundles that fail, like the runners
// on a cluster. A test selects the attempts that fail, and the point at which
// they fail.
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
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// Options control how a pipeline is run.
type Options struct {
	Elements int                 // elements in a bundle; 0 for one bundle per stage
	Workers  int                 // bundles at a time; 0 for one
	Seed     uint64              // for the order of elements
	Fault    func(Attempt) Fault // selects the attempts that fail; nil for none
	Split    bool                // split restrictions while they are processed
	Hold     bool                // hold elements in memory, and check that they do not change
	Divide   int                 // number of the grouping, from 1, whose keys two tasks get, which is an error
}

// A Result describes a run.
type Result struct {
	Tries  int         // attempts
	Failed [points]int // attempts that failed, by the point of the fault
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

// Run runs a pipeline. It returns an error if all attempts at a bundle fail, if
// an element changed that is held in memory, or if the pipeline contains
// something that the package cannot run.
func Run(ctx context.Context, p *beam.Pipeline, o Options) (*Result, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	r := &runner{options: o, collections: map[int]*collection{}, result: &Result{counters: map[metrics.StepKey]int64{}}}
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
		if err := r.runEdge(ctx, e); err != nil {
			return r.result, err
		}
	}
	for _, c := range r.collections {
		if err := r.store.check(c); err != nil {
			return r.result, err
		}
	}
	return r.result, nil
}

// runEdge runs a primitive of the pipeline.
func (r *runner) runEdge(ctx context.Context, e *graph.MultiEdge) error {
	in, out := r.ends(e)
	if e.Op != graph.Flatten && len(in) > 1 {
		return fmt.Errorf("cutrunner: %v has several inputs", e)
	}
	switch e.Op {
	case graph.Impulse:
		i, err := newEncoder(coder.NewBytes(), false).encode(r.store, wrap(e.Value))
		out[0].items = []item{i}
		return err
	case graph.Flatten:
		for _, c := range in {
			out[0].items = append(out[0].items, c.items...)
		}
		return nil
	case graph.WindowInto, graph.Reshuffle: // elements are in the global window, and always shuffled
		out[0].items = in[0].items
		return nil
	case graph.ParDo:
		if e.DoFn.IsSplittable() {
			return r.runSplittable(ctx, e, in[0], out)
		}
		return r.runStage(ctx, e, "", in[0], out, callParDo)
	case graph.CoGBK:
		return r.group(in[0], out[0])
	case graph.Combine:
		return r.runStage(ctx, e, "", in[0], out, callCombine)
	}
	return fmt.Errorf("cutrunner: %v is not supported", e)
}

// ends returns the collections that an edge reads, and the ones that it writes.
func (r *runner) ends(e *graph.MultiEdge) (in, out []*collection) {
	for _, i := range e.Input {
		in = append(in, r.collections[i.From.ID()])
	}
	for _, o := range e.Output {
		out = append(out, r.collections[o.To.ID()])
	}
	return in, out
}

// A caller returns the nodes that call a function. The elements go to the first
// node.
type caller func(s *stage, fn *graph.Fn, out []exec.Node) []exec.Node

func callParDo(s *stage, fn *graph.Fn, out []exec.Node) []exec.Node {
	return []exec.Node{parDo(s, fn, out)}
}

func parDo(s *stage, fn *graph.Fn, out []exec.Node) *exec.ParDo {
	return &exec.ParDo{Fn: (*graph.DoFn)(fn), Inbound: s.edge.Input, Out: out, PID: s.name}
}

func callCombine(s *stage, fn *graph.Fn, out []exec.Node) []exec.Node {
	keyed := typex.IsKV(s.edge.Input[0].Type)
	return []exec.Node{&exec.Combine{Fn: (*graph.CombineFn)(fn), UsesKey: keyed, Out: out[0], PID: s.name}}
}

func callSplit(_ *stage, fn *graph.Fn, out []exec.Node) []exec.Node {
	split := &exec.SplitAndSizeRestrictions{Fn: (*graph.DoFn)(fn), Out: out[0]}
	return []exec.Node{&exec.PairWithRestriction{Fn: (*graph.DoFn)(fn), Out: split}, split}
}

func callProcess(s *stage, fn *graph.Fn, out []exec.Node) []exec.Node {
	return []exec.Node{&exec.ProcessSizedElementsAndRestrictions{PDo: parDo(s, fn, out)}}
}

// runStage runs a stage of an edge, whose name is the edge's name and step.
func (r *runner) runStage(ctx context.Context, e *graph.MultiEdge, step string, in *collection, out []*collection, call caller) error {
	s := &stage{runner: r, name: e.Name() + step, number: len(r.result.Stages), edge: e, in: in.coder, out: out, call: call}
	r.result.Stages = append(r.result.Stages, s.name)
	return s.run(ctx, in.items)
}

// runSplittable runs a splittable function in two stages: the first creates
// restrictions and splits them, the second processes them.
func (r *runner) runSplittable(ctx context.Context, e *graph.MultiEdge, in *collection, out []*collection) error {
	pair := func(a, b *coder.Coder) *coder.Coder { return coder.NewKV([]*coder.Coder{a, b}) }
	restrictions := &collection{coder: pair(pair(in.coder, e.RestrictionCoder), coder.NewDouble())}
	if err := r.runStage(ctx, e, "/split", in, []*collection{restrictions}, callSplit); err != nil {
		return err
	}
	return r.runStage(ctx, e, "/process", restrictions, out, callProcess)
}

// group groups a collection by key.
func (r *runner) group(in, out *collection) error {
	out.coder = in.coder // of the elements, which are pairs
	groups, err := r.store.group(in.items)
	r.groupings++
	for _, g := range groups {
		if n := len(g.values) / 2; n > 0 && r.groupings == r.options.Divide {
			some := g
			some.values, g.values = g.values[:n], g.values[n:]
			out.items = append(out.items, some)
		}
		out.items = append(out.items, g)
	}
	return err
}

// A Point is a point at which an attempt to process a bundle may fail.
type Point int

// The points. A fault that an attempt does not reach, because it has fewer
// outputs or file operations, is a fault at Commit.
const (
	None    Point = iota // the attempt succeeds, unless the function returns an error
	Start                // before StartBundle
	Element              // instead of processing an element
	Output               // while an element is sent
	File                 // in a file operation that calls [FileOperation]
	Finish               // instead of FinishBundle
	Commit               // after FinishBundle
	Twin                 // as Commit, and the next attempt runs at the same time
	points
)

// A Fault makes an attempt fail at a point.
type Fault struct {
	Point Point
	After int // elements, outputs or file operations that still succeed
}

// An Attempt is an attempt to process a bundle.
type Attempt struct {
	Stage  string // name of the function
	Number int    // of the stage in the pipeline, from 0
	Bundle int    // of the stage
	Try    int    // of the bundle, from 0
	Size   int    // elements in the bundle
}

// Random returns faults that are drawn using a seed. Up to two of three
// attempts at a bundle fail, at any point.
func Random(seed uint64) func(Attempt) Fault {
	return func(a Attempt) Fault {
		h := fnv.New64a()
		h.Write([]byte(a.Stage))
		r := rand.New(rand.NewPCG(seed, h.Sum64()+uint64(a.Number)<<32+uint64(a.Bundle)))
		if a.Try >= r.IntN(3) {
			return Fault{}
		}
		for range a.Try {
			r.Uint64()
		}
		f := Fault{Point: Start + Point(r.IntN(int(points-Start)))}
		f.After = r.IntN(4)
		if f.Point == Element {
			f.After = r.IntN(a.Size)
		}
		return f
	}
}

// errLost is the error of an attempt ended by a fault.
var errLost = errors.New("cutrunner: the worker is lost")

// attemptKey is the context key of the attempt.
type attemptKey struct{}

// FileOperation must be called by a test's file system for each operation,
// using the context of the operation. It returns an error if the attempt must
// fail here. It may also split the restriction that is being processed.
func FileOperation(ctx context.Context) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return nil
	}
	if err := a.reach(File); err != nil {
		return err
	}
	return a.split(ctx)
}
