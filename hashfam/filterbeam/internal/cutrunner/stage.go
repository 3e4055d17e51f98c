package cutrunner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"golang.org/x/sync/errgroup"
)

// A stage passes a collection's elements to a function.
type stage struct {
	options Options
	number  int
	name    string // of the edge, with the phase
	edge    *graph.MultiEdge
	phase   phase
	in      *collection
	out     []*collection
	idle    chan *graph.Fn // copies of the function that no worker uses
	bundles int            // so far
}

// A phase is what a stage does with an edge's function.
type phase string

const (
	wholeEdge  phase = ""
	splitting  phase = "/split"   // creates restrictions and splits them
	processing phase = "/process" // processes the restrictions
)

func newStage(o Options, number int, e *graph.MultiEdge, p phase, in *collection, out []*collection) *stage {
	idle := make(chan *graph.Fn, maxTries*max(o.Workers, 1))
	return &stage{options: o, number: number, name: e.Name() + string(p), edge: e, phase: p, in: in, out: out, idle: idle}
}

// run processes all elements in bundles, and then the residuals of splits,
// which can be split again. It returns the attempts that succeeded.
func (s *stage) run(ctx context.Context) ([]*attempt, error) {
	var committed []*attempt
	for items := s.in.items; len(items) > 0; {
		round, err := s.runAll(ctx, s.shuffled(items))
		if err != nil {
			return committed, err
		}
		committed = append(committed, round...)
		items = nil
		for _, a := range round {
			a.commit()
			items = append(items, a.residuals...)
		}
	}
	return committed, nil
}

// shuffled returns the items in another order.
func (s *stage) shuffled(items []item) []item {
	items = slices.Clone(items)
	r := rand.New(rand.NewPCG(s.options.Seed, uint64(s.number)))
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items
}

// runAll processes the items in bundles, several at a time, and returns the
// attempts that succeeded, one for each bundle.
func (s *stage) runAll(ctx context.Context, items []item) ([]*attempt, error) {
	bundles := slices.Collect(slices.Chunk(items, cmp.Or(s.options.Elements, len(items))))
	succeeded := make([]*attempt, len(bundles))
	var all errgroup.Group
	all.SetLimit(max(s.options.Workers, 1))
	for i, bundle := range bundles {
		number := s.bundles + i
		all.Go(func() (err error) {
			succeeded[i], err = s.runBundle(ctx, number, bundle)
			return err
		})
	}
	s.bundles += len(bundles)
	return succeeded, all.Wait()
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
			a.faults = faults[:try]
			return a, nil
		}
		failed = append(failed, fmt.Errorf("%s, try %d: %w", s.name, try, cmp.Or(err, errLost)))
	}
	return nil, errors.Join(failed...)
}

// takeFn returns a copy of the function, which an earlier attempt may have
// used.
func (s *stage) takeFn() (*graph.Fn, error) {
	select {
	case fn := <-s.idle:
		return fn, nil
	default:
		return s.copyFn()
	}
}

// copyFn returns a copy that is made from the function's serialized form.
func (s *stage) copyFn() (*graph.Fn, error) {
	encoded, err := graphx.EncodeMultiEdge(s.edge)
	if err != nil {
		return nil, err
	}
	_, fn, _, _, _, err := graphx.DecodeMultiEdge(encoded)
	if err != nil {
		return nil, err
	}
	if s.edge.Op == graph.Combine {
		_, err = graph.AsCombineFn(fn)
	} else {
		_, err = graph.AsDoFn(fn, graph.MainUnknown)
	}
	return fn, err
}

// nodes returns the nodes of the SDK that call a function. The elements go to
// the first of them, and what the function emits goes to out.
func (s *stage) nodes(fn *graph.Fn, out []exec.Node) []exec.Node {
	do := (*graph.DoFn)(fn)
	parDo := &exec.ParDo{Fn: do, Inbound: s.edge.Input, Out: out, PID: s.name}
	switch {
	case s.phase == splitting:
		split := &exec.SplitAndSizeRestrictions{Fn: do, Out: out[0]}
		return []exec.Node{&exec.PairWithRestriction{Fn: do, Out: split}, split}
	case s.phase == processing:
		return []exec.Node{&exec.ProcessSizedElementsAndRestrictions{PDo: parDo}}
	case s.edge.Op == graph.Combine:
		keyed := typex.IsKV(s.edge.Input[0].Type)
		return []exec.Node{&exec.Combine{Fn: (*graph.CombineFn)(fn), UsesKey: keyed, Out: out[0], PID: s.name}}
	}
	return []exec.Node{parDo}
}
