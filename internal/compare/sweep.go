package main

import (
	"context"
	"math"
	"slices"
)

// A sweep measures for the documents: rates, sizes and times over many numbers
// of keys, and the error of counts over many sizes.
type sweep struct {
	accuracy []int // numbers of keys
	times    []int
	sizes    []int
	memory   []int // bytes of counters
	rates    []float64
	peerKeys int
	lookups  int // to time together at least
	rounds   int // of each filter at least, if it has many keys
	most     int // rounds
	passes   int // over the numbers of keys of times
}

func newSweep(quick bool) sweep {
	s := sweep{
		accuracy: []int{1000, 10_000, 100_000, 1_000_000},
		times:    spread(1e3, 1e7, 2),
		sizes:    spread(1e3, 1e7, 40),
		memory:   []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10},
		rates:    []float64{0.03, 0.01, 0.001, 0.0001},
		peerKeys: 1_000_000, lookups: 1_000_000, rounds: 5, most: math.MaxInt, passes: 3,
	}
	if quick { // the same documents from fewer keys
		s.accuracy = []int{100, 200, 300, 400}
		s.times = spread(100, 1000, 8)
		s.sizes = spread(1e3, 1e5, 40)
		s.peerKeys, s.lookups, s.rounds, s.most, s.passes = 1000, 1000, 1, 2, 1
	}
	return s
}

// spread returns numbers from low to high, perDecade of them for every factor
// of ten.
func spread(low, high float64, perDecade int) []int {
	var list []int
	for i := 0; ; i++ {
		n := low * math.Pow(10, float64(i)/float64(perDecade))
		if n > high*1.001 {
			return list
		}
		list = append(list, int(math.Round(n)))
	}
}

// measurements are the results of a sweep.
type measurements struct {
	run, peers *report // the main job, and all structures on random keys
	accuracy   map[int][]row
	times      map[int][]timePoint
	errors     []errorPoint
	sizes      []series
}

// steps returns how often measure calls done.
func (s sweep) steps() int { return 2 + len(s.accuracy) + s.passes*len(s.times) + len(s.memory) }

func (s sweep) measure(ctx context.Context, done func()) (m measurements, err error) {
	for _, part := range []func() error{
		func() error { m.run, err = s.runAll(ctx, options{rates: s.rates}); done(); return err },
		func() error {
			m.peers, err = s.runAll(ctx, options{synthetic: s.peerKeys, rates: []float64{0.01}, peers: true})
			done()
			return err
		},
		func() error { m.accuracy, err = s.measureAccuracy(ctx, done); return err },
		func() error { m.times, err = s.measureTimes(ctx, done); return err },
		func() error { m.errors, err = s.measureErrors(ctx, done); return err },
		func() error { m.sizes, err = s.sizeSeries(ctx); return err },
	} {
		if err := part(); err != nil {
			return m, err
		}
	}
	return m, nil
}

// runAll does the program's main job under flags. It is an error if a structure
// of ours loses a key.
func (s sweep) runAll(ctx context.Context, o options) (*report, error) {
	d, err := loadData(ctx, o, nil, nil)
	if err != nil {
		return nil, err
	}
	filters, counters := o.chosen()
	e, err := newExperiment(ctx, d, filters, o.rates, counters)
	if err != nil {
		return nil, err
	}
	e.plan.rounds = min(e.plan.rounds, s.most)
	r, err := e.run(ctx, func() {})
	if err != nil {
		return nil, err
	}
	return r, r.broken()
}

// named returns structures in the order of the names.
func named(names ...string) []structure {
	var list []structure
	for _, name := range names {
		list = append(list, structures[slices.IndexFunc(structures, func(s structure) bool { return s.name == name })])
	}
	return list
}

// ourOwn are the structures of this library that meet a rate when they are
// full. Those that grow never are.
func ourOwn() []structure {
	return slices.DeleteFunc(slices.Clone(structures), func(s structure) bool { return s.peer || s.exact || s.over > 0 })
}
