package measure

import (
	"context"
	"math"
	"slices"

	"github.com/filterfam/filterfam/countmin"
)

// A Sweep measures for the documents: rates, sizes and times over many numbers
// of keys, and the error of counts over many sizes.
type Sweep struct {
	Accuracy []int // numbers of keys
	Times    []int
	Rates    []float64
	memory   []int // bytes of counters
	peerKeys int
	lookups  int // to time together at least
	rounds   int // of each filter at least, if it has many keys
	most     int // rounds
	passes   int // over the numbers of keys of Times
}

// NewSweep returns a sweep of some minutes, or of some seconds if quick.
func NewSweep(quick bool) Sweep {
	s := Sweep{
		Accuracy: []int{1000, 10_000, 100_000, 1_000_000},
		Times:    spread(1e3, 1e7, 2),
		Rates:    []float64{0.03, 0.01, 0.001, 0.0001},
		memory:   []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10},
		peerKeys: 1_000_000, lookups: 1_000_000, rounds: 5, most: math.MaxInt, passes: 3,
	}
	if quick { // the same documents from fewer keys
		s.Accuracy = []int{100, 200, 300, 400}
		s.Times = spread(100, 1000, 8)
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

// Measurements are the results of a sweep.
type Measurements struct {
	Run, Peers *Results       // the main job, and all structures on random keys
	Accuracy   []Row          // of all our structures at every number of keys
	Times      []Curve        // of a lookup
	Errors     []FrequencyRow // with every amount of memory
}

// A Curve is what was measured of a structure by the number of keys.
type Curve struct {
	Structure string
	Batch     bool
	X, Y      []float64
}

// Steps returns how often Measure calls done.
func (s Sweep) Steps() int { return 2 + len(s.Accuracy) + s.passes*len(s.Times) + len(s.memory) }

// Measure measures everything. It is an error if a structure of ours breaks a
// promise.
func (s Sweep) Measure(ctx context.Context, done func()) (m Measurements, err error) {
	if m.Run, err = s.run(ctx, Source{}, s.Rates, false, done); err != nil {
		return m, err
	}
	if m.Peers, err = s.run(ctx, Source{Synthetic: s.peerKeys}, []float64{0.01}, true, done); err != nil {
		return m, err
	}
	if m.Accuracy, err = s.measureAccuracy(ctx, done); err != nil {
		return m, err
	}
	if m.Times, err = s.measureTimes(ctx, done); err != nil {
		return m, err
	}
	m.Errors, err = s.measureErrors(ctx, done)
	return m, err
}

// run does the program's main job.
func (s Sweep) run(ctx context.Context, from Source, rates []float64, peers bool, done func()) (*Results, error) {
	d, err := Load(ctx, from)
	if err != nil {
		return nil, err
	}
	defer done()
	left := func(peer bool) bool { return peer && !peers }
	return s.results(ctx, d, slices.DeleteFunc(slices.Clone(Structures), func(x Structure) bool { return left(x.Peer) }), rates,
		slices.DeleteFunc(slices.Clone(Tallies), func(x Tally) bool { return left(x.Peer) }), s.most)
}

// results runs an experiment of at most so many rounds, in which every promise
// must be kept.
func (s Sweep) results(ctx context.Context, d *Dataset, filters []Structure, rates []float64, counters []Tally, rounds int) (*Results, error) {
	e, err := NewExperiment(ctx, d, filters, rates, counters)
	if err != nil {
		return nil, err
	}
	e.plan.Rounds = min(e.plan.Rounds, s.most, rounds)
	r, err := e.Run(ctx, func() {})
	if err == nil {
		err = r.Broken()
	}
	return r, err
}

// OurOwn are the structures of this library that meet a rate when they are
// full. Those that grow never are.
func OurOwn() []Structure {
	return slices.DeleteFunc(slices.Clone(Structures), func(s Structure) bool { return s.Peer || s.Exact || s.Over > 0 })
}

func (s Sweep) measureAccuracy(ctx context.Context, done func()) (rows []Row, err error) {
	filters := OurOwn()
	for _, n := range s.Accuracy {
		rounds := max(s.rounds, 4_000_000/n/len(filters)/len(s.Rates))
		r, err := s.results(ctx, SyntheticData(n), filters, s.Rates, nil, rounds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r.Rows...)
		done()
	}
	return rows, nil
}

// measureErrors counts the words of Moby-Dick with every amount of memory.
func (s Sweep) measureErrors(ctx context.Context, done func()) (rows []FrequencyRow, err error) {
	words := MobyDick()
	for _, bytes := range s.memory {
		found, err := countFrequencies(ctx, words, talliesOf(bytes), func() {})
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			x.Memory = bytes
			rows = append(rows, x)
		}
		done()
	}
	return rows, nil
}

// talliesOf returns the sketches and the tracker that fit into bytes.
func talliesOf(bytes int) []Tally {
	width := uint64(bytes / 4 / 5)
	bound := func(total float64) float64 { return math.E / float64(width) * total }
	return []Tally{
		{Name: "count-min", Build: sketch(countmin.Config{Width: width, Depth: 5}), bound: bound},
		{Name: "count-min-conservative", Build: sketch(countmin.Config{Width: width, Depth: 5, Conservative: true}), bound: bound},
		{Name: "heavy-hitters", Build: newHeavy(bytes)},
	}
}
