package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// A sweep measures what the documents show: rates, sizes and times over many
// numbers of keys, and the error of counts over many sizes.
type sweep struct {
	accuracy []int // numbers of keys
	times    []int
	sizes    []int
	memory   []int // bytes of counters
	rates    []float64
	lookups  int // to time together at least
	rounds   int
}

func newSweep(quick bool) sweep {
	s := sweep{
		accuracy: []int{1000, 10_000, 100_000, 1_000_000},
		times:    spread(1e3, 1e7, 2),
		sizes:    spread(1e3, 1e7, 40),
		memory:   []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10},
		rates:    []float64{0.03, 0.01, 0.001, 0.0001},
		lookups:  1_000_000, rounds: 5,
	}
	if quick { // the same documents from fewer keys
		s.accuracy = []int{100, 200, 300, 400}
		s.times = spread(100, 1000, 8)
		s.sizes = spread(1e3, 1e5, 40)
		s.lookups, s.rounds = 1000, 1
	}
	return s
}

// spread returns numbers from low to high, so many for every factor of ten.
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

func chosen(names ...string) []structure {
	var list []structure
	for _, name := range names {
		for _, s := range structures {
			if s.name == name {
				list = append(list, s)
			}
		}
	}
	return list
}

// ourOwn are the structures that meet a rate and are of this library.
func ourOwn() []structure {
	return slices.DeleteFunc(slices.Clone(structures), func(s structure) bool { return s.peer || s.exact })
}

// measureAccuracy returns the rows of all our structures at every number of
// keys.
func (s sweep) measureAccuracy(ctx context.Context, done func()) (map[int][]row, error) {
	result := make(map[int][]row)
	for _, n := range s.accuracy {
		d := syntheticData(n)
		cells := newCells(ourOwn(), s.rates)
		if err := prepare(ctx, cells, d); err != nil {
			return nil, err
		}
		p := newPlan(d)
		if s.rounds < p.rounds {
			p.rounds = max(s.rounds, min(p.rounds, 4_000_000/n/len(cells)))
		}
		if err := measure(ctx, cells, d, p, func() {}); err != nil {
			return nil, err
		}
		result[n] = rows(cells, n)
		done()
	}
	return result, nil
}

// A series is a line of a figure.
type series struct {
	name string
	look mark
	plotter.XYs
}

// sizeSeries returns bits per key by the number of keys, at 1 %.
func (s sweep) sizeSeries(ctx context.Context) ([]series, error) {
	var list []series
	for _, one := range chosen("bloom", "cuckoo", "cuckoo-compact", "ristretto", "seiflotfy-cuckoo") {
		line := series{name: one.name, look: markOf(one.name)}
		for _, n := range s.sizes {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f, err := one.build(uint64(n), 0.01, hashfam.Family{})
			if err != nil {
				return nil, fmt.Errorf("%s of %d keys: %w", one.name, n, err)
			}
			line.XYs = append(line.XYs, plotter.XY{X: float64(n), Y: 8 * float64(f.SizeBytes()) / float64(n)})
		}
		list = append(list, line)
	}
	return list, nil
}

// A batcher answers for many keys at once.
type batcher interface {
	ContainsAll(dst []bool, keys [][]byte) []bool
}

const batchKeys = 1024

// A timePoint is the time of a look-up, half of them of members.
type timePoint struct {
	structure string
	batch     bool
	ns        float64
}

// measureTimes returns for each number of keys the times of look-ups at 1 %,
// one by one and, where there is such a call, in batches.
func (s sweep) measureTimes(ctx context.Context, done func()) (map[int][]timePoint, error) {
	result := make(map[int][]timePoint)
	for _, n := range s.times {
		points, err := s.timesAt(ctx, n)
		if err != nil {
			return nil, err
		}
		result[n] = points
		done()
	}
	return result, nil
}

func (s sweep) timesAt(ctx context.Context, n int) ([]timePoint, error) {
	keys := syntheticKeys(rand.NewChaCha8([32]byte([]byte("filterfam compare times of keys!"))), 2*n)
	asked := make([][]byte, 2*n) // every other one a member
	for i := range asked {
		asked[i] = keys.at(i)
	}
	type contestant struct {
		timePoint
		ask   func()
		times []float64
	}
	var list []*contestant
	for _, one := range chosen("map", "bloom", "bloom-blocked", "counting", "cuckoo", "cuckoo-compact", "bits-and-blooms", "seiflotfy-cuckoo") {
		f, err := one.build(uint64(n), 0.01, hashfam.Family{})
		if err != nil {
			return nil, err
		}
		for i := 0; i < len(asked); i += 2 {
			if err := f.Add(asked[i]); err != nil && !one.peer {
				return nil, err
			}
		}
		list = append(list, &contestant{timePoint: timePoint{structure: one.name}, ask: func() {
			for _, key := range asked {
				f.Contains(key)
			}
		}})
		if b, ok := f.(batcher); ok {
			dst := make([]bool, 0, batchKeys)
			list = append(list, &contestant{timePoint: timePoint{structure: one.name, batch: true}, ask: func() {
				for keys := range slices.Chunk(asked, batchKeys) {
					dst = b.ContainsAll(dst[:0], keys)
				}
			}})
		}
	}
	repeats := max(1, s.lookups/len(asked))
	for range s.rounds {
		for _, c := range list {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			start := time.Now()
			for range repeats {
				c.ask()
			}
			c.times = append(c.times, perKey(time.Since(start), repeats*len(asked)))
		}
	}
	var points []timePoint
	for _, c := range list {
		c.ns = median(c.times)
		points = append(points, c.timePoint)
	}
	return points, nil
}

// An errorPoint is the error of counts with so much memory.
type errorPoint struct {
	structure string
	bytes     int
	frequencyRow
}

// measureErrors counts the words of Moby-Dick with every amount of memory.
func (s sweep) measureErrors(ctx context.Context, done func()) ([]errorPoint, error) {
	var list []errorPoint
	words := mobyDick()
	for _, bytes := range s.memory {
		width := uint64(bytes / 4 / 5)
		sketch := func(conservative bool) func(*stream, hashfam.Family) (counter, error) {
			return func(_ *stream, family hashfam.Family) (counter, error) {
				return countmin.New(countmin.Config{Width: width, Depth: 5, Conservative: conservative, Family: family})
			}
		}
		bound := func(total float64) float64 { return math.E / float64(width) * total }
		for _, t := range []tally{
			{name: "count-min", build: sketch(false), bound: bound},
			{name: "count-min-conservative", build: sketch(true), bound: bound},
			{name: "heavy-hitters", build: func(_ *stream, family hashfam.Family) (counter, error) {
				h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: heavyPhi, MemoryBytes: bytes, Family: family})
				return heavyCounter{h}, err
			}},
		} {
			found, err := countFrequencies(ctx, words, []tally{t}, func() {})
			if err != nil {
				return nil, err
			}
			list = append(list, errorPoint{t.name, bytes, found[0]})
		}
		done()
	}
	return list, nil
}
