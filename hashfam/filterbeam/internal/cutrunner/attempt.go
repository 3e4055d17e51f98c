package cutrunner

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
)

// An attempt is one run of a bundle, which a planned fault can end early. The
// bundle then gets another attempt.
type attempt struct {
	Attempt
	stage   *stage
	fault   Fault
	faults  []Point // of the attempts before this one, if this one succeeds
	reached [points]int

	first     exec.Node // the node that the elements go to
	size      float64   // of the restriction that is being processed
	residuals []item    // from splits

	sinks   []*sink // one for each output of the stage
	metrics metrics.Results
}

// run processes the items. It returns an error if the attempt fails.
func (a *attempt) run(ctx context.Context, items []item) (err error) {
	fn, err := a.stage.takeFn()
	if err != nil {
		return err
	}
	defer func() {
		r := recover()
		switch {
		case r == errLost: // emitters panic with the error of a sink
			err = errLost
		case r != nil:
			err = fmt.Errorf("cutrunner: %s: %v\n%s", a.stage.name, r, debug.Stack())
		}
		a.stage.idle <- fn
	}()
	ctx = metrics.SetBundleID(context.WithValue(ctx, attemptKey{}, a), fmt.Sprint(a.Attempt))
	err = a.process(ctx, fn, items)
	a.metrics = metrics.ResultsExtractor(ctx)
	return err
}

// process calls the nodes like a real runner's worker.
func (a *attempt) process(ctx context.Context, fn *graph.Fn, items []item) error {
	if err := a.start(ctx, fn); err != nil {
		return err
	}
	for _, i := range items {
		if err := a.reach(Element); err != nil {
			return err
		}
		v, values, err := a.stage.in.input(i)
		if err != nil {
			return err
		}
		a.size, _ = v.Elm2.(float64)
		if err := a.first.ProcessElement(ctx, v, values...); err != nil {
			return err
		}
	}
	if err := a.reach(Finish); err != nil {
		return err
	}
	return a.first.FinishBundle(ctx)
}

// start creates the attempt's nodes and sinks, and starts the bundle.
func (a *attempt) start(ctx context.Context, fn *graph.Fn) error {
	var out []exec.Node
	for _, c := range a.stage.out {
		s := &sink{attempt: a, to: c}
		a.sinks = append(a.sinks, s)
		out = append(out, s)
	}
	nodes := a.stage.nodes(fn, out)
	for _, n := range nodes {
		if err := n.Up(ctx); err != nil {
			return err
		}
	}
	a.first = nodes[0]
	return a.first.StartBundle(ctx, a.stage.name, exec.DataContext{})
}

// reach counts an event and returns an error if the attempt must fail here.
func (a *attempt) reach(p Point) error {
	a.reached[p]++
	if a.fault.Point == p && a.reached[p] > a.fault.After {
		return errLost
	}
	return nil
}

// minSplit is the size of the smallest restriction that is split.
const minSplit = 4096

// split splits the restriction that is being processed, if it is large enough.
func (a *attempt) split(ctx context.Context) error {
	sdf, splittable := a.first.(*exec.ProcessSizedElementsAndRestrictions)
	if !splittable || a.size < minSplit {
		return nil
	}
	unit := <-sdf.SU
	defer func() { sdf.SU <- unit }()
	_, residuals, err := unit.Split(ctx, 0.5)
	for _, r := range residuals {
		i, err := a.stage.in.keep(r)
		if err != nil {
			return err
		}
		a.residuals = append(a.residuals, i)
		a.size /= 2
	}
	return err
}

// commit passes the output of the attempt to the next stages.
func (a *attempt) commit() {
	for _, s := range a.sinks {
		s.to.items = append(s.to.items, s.items...)
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
	i, err := s.to.keep(v)
	s.items = append(s.items, i)
	return err
}
