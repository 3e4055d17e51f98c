package cutrunner

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// newStage returns a stage of an edge. Its name ends in step.
func (r *runner) newStage(e *graph.MultiEdge, step string, in *coder.Coder, out ...*collection) *stage {
	s := &stage{runner: r, name: e.Name() + step, number: len(r.result.Stages), edge: e, in: in, out: out}
	r.result.Stages = append(r.result.Stages, s.name)
	return s
}

// outputs returns the collections that an edge writes.
func (r *runner) outputs(e *graph.MultiEdge) []*collection {
	var out []*collection
	for _, o := range e.Output {
		out = append(out, r.collections[o.To.ID()])
	}
	return out
}

func parDo(s *stage, fn *graph.Fn, out []exec.Node) *exec.ParDo {
	return &exec.ParDo{Fn: (*graph.DoFn)(fn), Inbound: s.edge.Input, Out: out, PID: s.name}
}

func (r *runner) runParDo(ctx context.Context, e *graph.MultiEdge) error {
	in := r.input(e)
	s := r.newStage(e, "", in.coder, r.outputs(e)...)
	s.units = func(fn *graph.Fn, out []exec.Node) []exec.Node {
		return []exec.Node{parDo(s, fn, out)}
	}
	return s.run(ctx, in.items)
}

// runSplittable runs a splittable function in two stages: one makes
// restrictions and splits them, the other one processes them.
func (r *runner) runSplittable(ctx context.Context, e *graph.MultiEdge) error {
	in := r.input(e)
	restrictions := &collection{coder: pair(pair(in.coder, e.RestrictionCoder), coder.NewDouble())}
	s := r.newStage(e, "/split", in.coder, restrictions)
	s.units = func(fn *graph.Fn, out []exec.Node) []exec.Node {
		split := &exec.SplitAndSizeRestrictions{Fn: (*graph.DoFn)(fn), Out: out[0]}
		return []exec.Node{&exec.PairWithRestriction{Fn: (*graph.DoFn)(fn), Out: split}, split}
	}
	if err := s.run(ctx, in.items); err != nil {
		return err
	}
	process := r.newStage(e, "/process", restrictions.coder, r.outputs(e)...)
	process.units = func(fn *graph.Fn, out []exec.Node) []exec.Node {
		return []exec.Node{&exec.ProcessSizedElementsAndRestrictions{PDo: parDo(process, fn, out)}}
	}
	return process.run(ctx, restrictions.items)
}

func pair(a, b *coder.Coder) *coder.Coder { return coder.NewKV([]*coder.Coder{a, b}) }

// runGroup groups a collection by key. If a combiner follows, it may combine
// each bundle first.
func (r *runner) runGroup(ctx context.Context, e *graph.MultiEdge, all []*graph.MultiEdge) error {
	in, out := r.input(e), r.output(e)
	if next := consumer(e, all); r.options.Lift && next != nil && next.Op == graph.Combine {
		r.lifted[next.ID()] = true
		var err error
		if in, err = r.combineFirst(ctx, next, e, in); err != nil {
			return err
		}
	}
	out.coder = in.coder // that of an element, which is a pair
	var err error
	out.items, err = r.store.group(in.items)
	if r.groupings++; r.groupings == r.options.Divide {
		out.items = divided(out.items)
	}
	return err
}

// divided returns the groups with those of several values in two.
func divided(groups []item) []item {
	var all []item
	for _, g := range groups {
		some := g
		if n := len(g.values) / 2; n > 0 {
			some.values, g.values = g.values[:n], g.values[n:]
			all = append(all, some)
		}
		all = append(all, g)
	}
	return all
}

// consumer returns the edge that reads the output of e, or nil.
func consumer(e *graph.MultiEdge, all []*graph.MultiEdge) *graph.MultiEdge {
	for _, next := range all {
		for _, in := range next.Input {
			if in.From.ID() == e.Output[0].To.ID() {
				return next
			}
		}
	}
	return nil
}

// combiner returns what all ways to call a combiner have in common.
func combiner(s *stage, fn *graph.Fn, out []exec.Node) *exec.Combine {
	keyed := typex.IsKV(s.edge.Input[0].Type)
	return &exec.Combine{Fn: (*graph.CombineFn)(fn), UsesKey: keyed, Out: out[0], PID: s.name}
}

// combineFirst combines each bundle before it is grouped.
func (r *runner) combineFirst(ctx context.Context, e, group *graph.MultiEdge, in *collection) (*collection, error) {
	key := in.coder.Components[0]
	accumulators := &collection{coder: pair(key, e.AccumCoder)}
	windows := group.Input[0].From.WindowingStrategy().Fn.Coder()
	s := r.newStage(e, "/lifted", in.coder, accumulators)
	s.units = func(fn *graph.Fn, out []exec.Node) []exec.Node {
		return []exec.Node{&exec.LiftedCombine{Combine: combiner(s, fn, out), KeyCoder: key, WindowCoder: windows}}
	}
	return accumulators, s.run(ctx, in.items)
}

// runCombine combines the values of each key, or the accumulators of them.
func (r *runner) runCombine(ctx context.Context, e *graph.MultiEdge) error {
	in := r.input(e)
	if !r.lifted[e.ID()] {
		s := r.newStage(e, "", in.coder, r.outputs(e)...)
		s.units = func(fn *graph.Fn, out []exec.Node) []exec.Node { return []exec.Node{combiner(s, fn, out)} }
		return s.run(ctx, in.items)
	}
	merged := &collection{coder: in.coder}
	s := r.newStage(e, "/merge", in.coder, merged)
	s.units = func(fn *graph.Fn, out []exec.Node) []exec.Node {
		return []exec.Node{&exec.MergeAccumulators{Combine: combiner(s, fn, out)}}
	}
	if err := s.run(ctx, in.items); err != nil {
		return err
	}
	extract := r.newStage(e, "/extract", in.coder, r.outputs(e)...)
	extract.units = func(fn *graph.Fn, out []exec.Node) []exec.Node {
		return []exec.Node{&exec.ExtractOutput{Combine: combiner(extract, fn, out)}}
	}
	return extract.run(ctx, merged.items)
}
