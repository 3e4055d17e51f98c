package cutrunner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"golang.org/x/sync/errgroup"
)

// A stage passes a collection's elements to a function.
type stage struct {
	*runner
	step    step
	name    string
	number  int
	edge    *graph.MultiEdge
	in      *collection
	out     []*collection
	idle    chan *graph.Fn // copies of the function that no worker uses
	bundles int
}

// A step is a stage of a splittable function, or empty.
type step string

const (
	splitting  step = "/split"   // creates restrictions and splits them
	processing step = "/process" // processes the restrictions
)

// fn returns a copy of the function, which an earlier attempt may have used.
func (s *stage) fn() (*graph.Fn, error) {
	select {
	case fn := <-s.idle:
		return fn, nil
	default:
	}
	encoded, err := graphx.EncodeMultiEdge(s.edge)
	if err != nil {
		return nil, err
	}
	_, fn, _, _, _, err := graphx.DecodeMultiEdge(encoded)
	switch {
	case err != nil:
	case s.edge.Op == graph.Combine:
		_, err = graph.AsCombineFn(fn)
	default:
		_, err = graph.AsDoFn(fn, graph.MainUnknown)
	}
	return fn, err
}

// units returns the nodes that call a function. The elements go to the first.
func (s *stage) units(fn *graph.Fn, out []exec.Node) []exec.Node {
	do := (*graph.DoFn)(fn)
	parDo := &exec.ParDo{Fn: do, Inbound: s.edge.Input, Out: out, PID: s.name}
	switch {
	case s.step == splitting:
		split := &exec.SplitAndSizeRestrictions{Fn: do, Out: out[0]}
		return []exec.Node{&exec.PairWithRestriction{Fn: do, Out: split}, split}
	case s.step == processing:
		return []exec.Node{&exec.ProcessSizedElementsAndRestrictions{PDo: parDo}}
	case s.edge.Op == graph.Combine:
		keyed := typex.IsKV(s.edge.Input[0].Type)
		return []exec.Node{&exec.Combine{Fn: (*graph.CombineFn)(fn), UsesKey: keyed, Out: out[0], PID: s.name}}
	}
	return []exec.Node{parDo}
}

// run processes all elements in bundles, and then the residuals of splits.
func (s *stage) run(ctx context.Context) error {
	for items := s.in.items; len(items) > 0; {
		items = slices.Clone(items)
		r := rand.New(rand.NewPCG(s.options.Seed, uint64(s.number)))
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		last, err := s.runAll(ctx, items)
		if err != nil {
			return err
		}
		items = nil
		for _, a := range last {
			s.commit(a)
			items = append(items, a.residuals...)
		}
	}
	return nil
}

// runAll processes the items in bundles, several at a time, and returns an
// attempt at each bundle that succeeded.
func (s *stage) runAll(ctx context.Context, items []item) ([]*attempt, error) {
	bundles := slices.Collect(slices.Chunk(items, cmp.Or(s.options.Elements, len(items))))
	last := make([]*attempt, len(bundles))
	var all errgroup.Group
	all.SetLimit(max(s.options.Workers, 1))
	for i, b := range bundles {
		number := s.bundles + i
		all.Go(func() (err error) {
			last[i], err = s.runBundle(ctx, number, b)
			return err
		})
	}
	s.bundles += len(bundles)
	return last, all.Wait()
}

// maxTries is the largest number of attempts at a bundle.
const maxTries = 3

// runBundle makes attempts until one succeeds, and returns it.
func (s *stage) runBundle(ctx context.Context, number int, items []item) (*attempt, error) {
	var twins sync.WaitGroup
	defer twins.Wait()
	var failed []error
	var faults []Point
	for try := range maxTries {
		a := &attempt{stage: s, Attempt: Attempt{s.number, number, try, len(items)}}
		if s.options.Fault != nil {
			a.fault = s.options.Fault(a.Attempt)
		}
		faults = append(faults, a.fault.Point)
		if a.fault.Point == Twin && try < maxTries-1 {
			twins.Go(func() { _ = a.run(ctx, items) }) // its output is dropped
			continue
		}
		err := a.run(ctx, items)
		if err == nil && a.fault.Point == None {
			a.faults = faults
			return a, nil
		}
		failed = append(failed, fmt.Errorf("%s, try %d: %w", s.name, try, cmp.Or(err, errLost)))
	}
	return nil, errors.Join(failed...)
}

// commit passes the output of an attempt to the next stages.
func (s *stage) commit(a *attempt) {
	for i, sink := range a.sinks {
		s.out[i].items = append(s.out[i].items, sink.items...)
	}
	for _, p := range a.faults {
		s.result.Failed[p]++
	}
	s.result.Splits += len(a.residuals)
	for _, c := range a.metrics.AllMetrics().Counters() {
		s.result.counters[c.Key] += c.Result()
	}
}

// A sink receives the elements that an attempt sends to a collection.
type sink struct {
	exec.Discard
	attempt *attempt
	to      *collection
	items   []item
}

func (s *sink) ProcessElement(_ context.Context, v *exec.FullValue, _ ...exec.ReStream) error {
	if err := s.attempt.reach(Output); err != nil {
		return err
	}
	i, err := s.to.store(v)
	s.items = append(s.items, i)
	return err
}

// An attempt is one run of a bundle, which a planned fault can end early. The
// bundle then gets another attempt.
type attempt struct {
	Attempt
	stage   *stage
	fault   Fault
	faults  []Point // of this attempt and the earlier ones
	reached [points]int

	unit      exec.Node // that the elements go to
	size      float64   // of the restriction that is being processed
	residuals []item    // from splits

	sinks   []*sink // one for each output of the stage
	metrics metrics.Results
}

// reach counts an event and returns an error if the attempt must fail here.
func (a *attempt) reach(p Point) error {
	a.reached[p]++
	if a.fault.Point == p && a.reached[p] > a.fault.After {
		return errLost
	}
	return nil
}

// run processes the items. It returns an error if the attempt fails.
func (a *attempt) run(ctx context.Context, items []item) (err error) {
	fn, err := a.stage.fn()
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r == errLost { // emitters panic with the error of a sink
			err = errLost
		} else if r != nil {
			err = fmt.Errorf("cutrunner: %s: %v\n%s", a.stage.name, r, debug.Stack())
		}
		a.stage.idle <- fn
	}()
	ctx = metrics.SetBundleID(context.WithValue(ctx, attemptKey{}, a), fmt.Sprint(a.Attempt))
	err = a.process(ctx, fn, items)
	a.metrics = metrics.ResultsExtractor(ctx)
	return err
}

// process calls the units like a real runner's worker.
func (a *attempt) process(ctx context.Context, fn *graph.Fn, items []item) error {
	if err := a.up(ctx, fn); err != nil {
		return err
	}
	if err := a.unit.StartBundle(ctx, a.stage.name, exec.DataContext{}); err != nil {
		return err
	}
	for _, i := range items {
		if err := a.reach(Element); err != nil {
			return err
		}
		v, values, err := a.stage.in.element(i)
		if err != nil {
			return err
		}
		a.size, _ = v.Elm2.(float64)
		if err := a.unit.ProcessElement(ctx, v, values...); err != nil {
			return err
		}
	}
	if err := a.reach(Finish); err != nil {
		return err
	}
	return a.unit.FinishBundle(ctx)
}

// up creates the attempt's units and sinks.
func (a *attempt) up(ctx context.Context, fn *graph.Fn) error {
	var out []exec.Node
	for _, c := range a.stage.out {
		s := &sink{attempt: a, to: c}
		a.sinks, out = append(a.sinks, s), append(out, s)
	}
	units := a.stage.units(fn, out)
	a.unit = units[0]
	for _, u := range units {
		if err := u.Up(ctx); err != nil {
			return err
		}
	}
	return nil
}

// minSplit is the size of the smallest restriction that is split.
const minSplit = 4096

// split splits the restriction that is being processed, if it is large enough.
func (a *attempt) split(ctx context.Context) error {
	sdf, splittable := a.unit.(*exec.ProcessSizedElementsAndRestrictions)
	if !splittable || a.size < minSplit {
		return nil
	}
	unit := <-sdf.SU
	defer func() { sdf.SU <- unit }()
	_, residuals, err := unit.Split(ctx, 0.5)
	for _, r := range residuals {
		i, err := a.stage.in.store(r)
		if err != nil {
			return err
		}
		a.residuals = append(a.residuals, i)
		a.size /= 2
	}
	return err
}
