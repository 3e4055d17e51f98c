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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
)

// A stage passes a collection's elements to a function.
type stage struct {
	runner  *runner
	name    string
	number  int
	edge    *graph.MultiEdge
	in      *coder.Coder
	out     []*collection
	call    caller
	idle    chan *worker
	bundles int
}

// worker returns an idle worker, or a new one.
func (s *stage) worker() (*worker, error) {
	select {
	case w := <-s.idle:
		return w, nil
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
	return &worker{fn: fn}, err
}

// run processes the items in bundles, and then the residuals of splits.
func (s *stage) run(ctx context.Context, items []item) error {
	s.idle = make(chan *worker, maxTries*max(s.runner.options.Workers, 1))
	for len(items) > 0 {
		items = slices.Clone(items)
		r := rand.New(rand.NewPCG(s.runner.options.Seed, uint64(s.number)))
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		var residuals []item
		for _, a := range s.runAll(ctx, items) {
			if a.err != nil {
				return a.err
			}
			s.commit(a)
			residuals = append(residuals, a.residuals...)
		}
		items = residuals
	}
	return nil
}

// runAll processes the items in bundles, several at a time, and returns the
// last attempt at each bundle.
func (s *stage) runAll(ctx context.Context, items []item) []*attempt {
	size := cmp.Or(s.runner.options.Elements, len(items))
	bundles := slices.Collect(slices.Chunk(items, size))
	last := make([]*attempt, len(bundles))
	slots := make(chan struct{}, max(s.runner.options.Workers, 1))
	var all sync.WaitGroup
	for i, b := range bundles {
		number := s.bundles
		s.bundles++
		slots <- struct{}{}
		all.Go(func() {
			last[i] = s.runBundle(ctx, number, b)
			<-slots
		})
	}
	all.Wait()
	return last
}

// maxTries is the largest number of attempts at a bundle.
const maxTries = 3

// runBundle makes attempts until one succeeds, and returns the last one.
func (s *stage) runBundle(ctx context.Context, number int, items []item) *attempt {
	var twins sync.WaitGroup
	defer twins.Wait()
	var failed []error
	for try := range maxTries {
		a := &attempt{stage: s, Attempt: Attempt{s.name, s.number, number, try, len(items)}}
		if s.runner.options.Fault != nil {
			a.fault = s.runner.options.Fault(a.Attempt)
		}
		if a.fault.Point == Twin && try < maxTries-1 {
			twins.Go(func() { a.run(ctx, items) })
			s.runner.count(a)
			continue
		}
		a.run(ctx, items)
		s.runner.count(a)
		switch {
		case a.err == nil && a.fault.Point == None:
			return a
		case a.err == nil:
			a.err = errLost // its output is dropped
		}
		failed = append(failed, fmt.Errorf("%s, try %d: %w", s.name, try, a.err))
	}
	return &attempt{err: errors.Join(failed...)}
}

// commit passes the output of an attempt to the next stages.
func (s *stage) commit(a *attempt) {
	for i, items := range a.outputs {
		s.out[i].items = append(s.out[i].items, items...)
	}
	result := s.runner.result
	result.Splits += len(a.residuals)
	all := a.metrics.AllMetrics()
	for _, c := range all.Counters() {
		result.counters[c.Key] += c.Result()
	}
}

// A worker has a copy of the stage's function.
type worker struct {
	fn      *graph.Fn
	units   []exec.Node // the elements go to the first; none before the first bundle
	sinks   []*sink
	decoder *decoder
}

// A sink receives the elements that an attempt sends to a collection.
type sink struct {
	exec.Discard
	attempt *attempt
	encoder *encoder
	items   []item
}

func (s *sink) ProcessElement(_ context.Context, v *exec.FullValue, _ ...exec.ReStream) error {
	if err := s.attempt.reach(Output); err != nil {
		return err
	}
	i, err := s.encoder.encode(s.attempt.stage.runner.store, v)
	s.items = append(s.items, i)
	return err
}

// An attempt processes a bundle.
type attempt struct {
	Attempt
	stage   *stage
	fault   Fault
	reached [points]int

	worker    *worker
	size      float64 // of the restriction that is being processed
	residuals []item  // from splits

	outputs [][]item // one for each output of the stage
	metrics metrics.Results
	err     error
}

// reach counts an event and returns an error if the attempt must fail here.
func (a *attempt) reach(p Point) error {
	a.reached[p]++
	if a.fault.Point == p && a.reached[p] > a.fault.After {
		return errLost
	}
	return nil
}

// run processes the items, and sets a.err if the attempt fails.
func (a *attempt) run(ctx context.Context, items []item) {
	a.worker, a.err = a.stage.worker()
	if a.err != nil {
		return
	}
	defer func() {
		if r := recover(); r != nil { // emitters panic with the error of a sink
			if err, ok := r.(error); ok && err == errLost {
				a.err = err
			} else {
				a.err = fmt.Errorf("cutrunner: %s: %v\n%s", a.Stage, r, debug.Stack())
			}
		}
		if a.err != nil {
			a.worker.units = nil // broken; the function stays
		}
		a.stage.idle <- a.worker
	}()
	ctx = metrics.SetBundleID(context.WithValue(ctx, attemptKey{}, a), fmt.Sprint(a.Attempt))
	if a.err = a.process(ctx, items); a.err != nil {
		return
	}
	for _, s := range a.worker.sinks {
		a.outputs = append(a.outputs, s.items)
	}
	a.metrics = metrics.ResultsExtractor(ctx)
}

// process calls the units like a real runner's worker.
func (a *attempt) process(ctx context.Context, items []item) error {
	w := a.worker
	if err := w.up(ctx, a); err != nil {
		return err
	}
	if err := a.reach(Start); err != nil {
		return err
	}
	if err := w.units[0].StartBundle(ctx, a.Stage, exec.DataContext{}); err != nil {
		return err
	}
	for _, i := range items {
		if err := a.reach(Element); err != nil {
			return err
		}
		v, values, err := w.decoder.decode(i)
		if err != nil {
			return err
		}
		a.size, _ = v.Elm2.(float64)
		if err := w.units[0].ProcessElement(ctx, v, values...); err != nil {
			return err
		}
	}
	if err := a.reach(Finish); err != nil {
		return err
	}
	return w.units[0].FinishBundle(ctx)
}

// up creates the worker's units, if it has none, and resets its sinks.
func (w *worker) up(ctx context.Context, a *attempt) error {
	if w.units == nil {
		w.sinks = nil
		var out []exec.Node
		for _, c := range a.stage.out {
			s := &sink{encoder: newEncoder(c.coder, a.stage.runner.options.Hold)}
			w.sinks = append(w.sinks, s)
			out = append(out, s)
		}
		w.units = a.stage.call(a.stage, w.fn, out)
		w.decoder = newDecoder(a.stage.runner.store, a.stage.in)
		for _, u := range w.units {
			if err := u.Up(ctx); err != nil {
				return err
			}
		}
	}
	for _, s := range w.sinks {
		s.attempt, s.items = a, nil
	}
	return nil
}

// minSplit is the size of the smallest restriction that is split.
const minSplit = 4096

// split splits the restriction that is being processed, if it is large enough
// and the option is set.
func (a *attempt) split(ctx context.Context) error {
	sdf, splittable := a.worker.units[0].(*exec.ProcessSizedElementsAndRestrictions)
	if !splittable || !a.stage.runner.options.Split || a.size < minSplit {
		return nil
	}
	unit := <-sdf.SU
	defer func() { sdf.SU <- unit }()
	_, residuals, err := unit.Split(ctx, 0.5)
	if err != nil {
		return err
	}
	for _, r := range residuals {
		i, err := newEncoder(a.stage.in, a.stage.runner.options.Hold).encode(a.stage.runner.store, r)
		if err != nil {
			return err
		}
		a.residuals = append(a.residuals, i)
		a.size /= 2
	}
	return nil
}
