package cutrunner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
)

// A stage passes the elements of a collection to a function.
type stage struct {
	runner *runner
	name   string
	number int
	edge   *graph.MultiEdge
	in     *coder.Coder
	out    []*collection
	// units returns what calls a copy of the function; the first one takes the
	// elements.
	units func(fn *graph.Fn, out []exec.Node) []exec.Node

	mu      sync.Mutex
	idle    []*worker
	bundles int
}

// worker returns a worker that is idle, or a new one.
func (s *stage) worker() (*worker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return w, nil
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

func (s *stage) release(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, w)
}

// run processes the items in bundles, and then what splits have cut off.
func (s *stage) run(ctx context.Context, items []item) error {
	for len(items) > 0 {
		items = append([]item(nil), items...)
		r := rand.New(rand.NewPCG(s.runner.options.Seed, uint64(s.number)))
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		var residuals []item
		for _, a := range s.runAll(ctx, s.cut(items)) {
			if a.err != nil {
				return a.err
			}
			s.commit(a)
			residuals = append(residuals, a.residuals...)
		}
		if err := s.check(items, nil); err != nil {
			return err
		}
		items = residuals
	}
	for _, out := range s.out {
		if err := s.runner.check(out.coder, out.items); err != nil {
			return fmt.Errorf("%s, at its end: %w", s.name, err)
		}
	}
	return s.down(ctx)
}

// down ends the workers.
func (s *stage) down(ctx context.Context) error {
	for _, w := range s.idle {
		for _, u := range w.units {
			if err := u.Down(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error if an item that the stage reads or writes has changed.
func (s *stage) check(in []item, out [][]item) error {
	if err := s.runner.check(s.in, in); err != nil {
		return fmt.Errorf("%s, input: %w", s.name, err)
	}
	for i, items := range out {
		if err := s.runner.check(s.out[i].coder, items); err != nil {
			return fmt.Errorf("%s, output: %w", s.name, err)
		}
	}
	return nil
}

// cut returns the bundles.
func (s *stage) cut(items []item) [][]item {
	size := s.runner.options.Elements
	if size == 0 {
		return [][]item{items}
	}
	var bundles [][]item
	for len(items) > size {
		bundles = append(bundles, items[:size])
		items = items[size:]
	}
	return append(bundles, items)
}

// runAll processes the bundles, several at a time, and returns the last attempt
// at each.
func (s *stage) runAll(ctx context.Context, bundles [][]item) []*attempt {
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

// maxTries is the number of attempts at a bundle.
const maxTries = 3

// runBundle makes attempts until one succeeds, and returns it, or the last one.
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
			a.err = errLost // it is not committed
		}
		failed = append(failed, fmt.Errorf("%s, try %d: %w", s.name, try, a.err))
	}
	return &attempt{err: errors.Join(failed...)}
}

// commit passes on the output of an attempt.
func (s *stage) commit(a *attempt) {
	for i, items := range a.outputs {
		s.out[i].items = append(s.out[i].items, items...)
	}
	s.runner.result.commit(a)
}
