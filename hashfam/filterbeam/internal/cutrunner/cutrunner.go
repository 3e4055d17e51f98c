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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
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

// A Point is a point at which an attempt to process a bundle may fail.
type Point int

// The points. A fault that an attempt does not reach, because it has fewer
// outputs or file operations, is a fault at Commit.
const (
	None    Point = iota // the attempt succeeds, unless the function returns an error
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
	Stage  int // number of the stage in the pipeline, from 0
	Bundle int // of the stage
	Try    int // of the bundle, from 0
	Size   int // elements in the bundle
}

// Random returns faults that are drawn using a seed. Up to two of three
// attempts at a bundle fail, at any point.
func Random(seed uint64) func(Attempt) Fault {
	return func(a Attempt) Fault {
		r := rand.New(rand.NewPCG(seed, uint64(a.Stage)<<32+uint64(a.Bundle)))
		if a.Try >= r.IntN(3) {
			return Fault{}
		}
		for range a.Try {
			r.Uint64()
		}
		f := Fault{Point: Element + Point(r.IntN(int(points-Element))), After: r.IntN(4)}
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
// fail here, and may split the restriction that is being processed.
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

// A collection contains the elements that one stage sends to the next.
type collection struct {
	*runner
	coder *coder.Coder // of an element, or of the pairs that are grouped
	items []item
}

// An item is an encoded element in the file. In a grouped collection, it is the
// first pair with its key, and values contains all pairs with this key.
type item struct {
	held       *exec.FullValue // the element, if it is held in memory
	at, length int64
	values     []item
}

// bytes returns an item's encoding.
func (c *collection) bytes(i item) ([]byte, error) {
	encoded := make([]byte, i.length)
	_, err := c.file.ReadAt(encoded, i.at)
	return encoded, err
}

// encode returns an element's encoding.
func (c *collection) encode(v *exec.FullValue) ([]byte, error) {
	var encoded bytes.Buffer
	err := exec.MakeElementEncoder(c.coder).Encode(v, &encoded)
	return encoded.Bytes(), err
}

// store writes an element to the file.
func (c *collection) store(v *exec.FullValue) (item, error) {
	encoded, err := c.encode(v)
	if err != nil {
		return item{}, err
	}
	i := item{length: int64(len(encoded))}
	i.at = c.end.Add(i.length) - i.length
	if c.options.Hold {
		held := *v // the engine reuses v, but not the values in it
		i.held = &held
	}
	_, err = c.file.WriteAt(encoded, i.at)
	return i, err
}

// check returns an error if an element that is held in memory differs from its
// encoding.
func (c *collection) check() error {
	for _, i := range c.items {
		if i.held == nil {
			continue
		}
		want, err := c.bytes(i)
		if err != nil {
			return err
		}
		if got, err := c.encode(i.held); err != nil || !bytes.Equal(want, got) {
			return cmp.Or(err, errors.New("cutrunner: an element has changed after it was emitted"))
		}
	}
	return nil
}

// read returns an item's element.
func (c *collection) read(i item) (*exec.FullValue, error) {
	if i.held != nil {
		return i.held, nil
	}
	encoded, err := c.bytes(i)
	if err != nil {
		return nil, err
	}
	return exec.MakeElementDecoder(c.coder).Decode(bytes.NewReader(encoded))
}

// element returns an element, or a key with its values.
func (c *collection) element(i item) (*exec.FullValue, []exec.ReStream, error) {
	v, err := c.read(i)
	switch {
	case err != nil:
		return nil, nil, err
	case i.values == nil:
		return global(v), nil, nil
	}
	return global(v.Elm), []exec.ReStream{&values{c, i.values}}, nil
}

// global returns v as an element in the global window.
func global(v any) *exec.FullValue {
	element := exec.FullValue{Elm: v}
	if full, ok := v.(*exec.FullValue); ok {
		element = *full
	}
	element.Timestamp = mtime.ZeroTimestamp
	element.Windows = window.SingleGlobalWindow
	return &element
}

// A key's values can be read several times.
type values struct {
	in    *collection
	items []item
}

func (v *values) Open() (exec.Stream, error) { return &values{v.in, v.items}, nil }

func (v *values) Read() (*exec.FullValue, error) {
	if len(v.items) == 0 {
		return nil, io.EOF
	}
	pair, err := v.in.read(v.items[0])
	if err != nil {
		return nil, err
	}
	v.items = v.items[1:]
	return global(pair.Elm2), nil
}

func (v *values) Close() error { return nil }
