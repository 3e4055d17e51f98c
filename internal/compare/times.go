package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/filterfam/filterfam/hashfam"
)

// A batcher answers for many keys at once.
type batcher interface {
	ContainsAll(dst []bool, keys [][]byte) []bool
}

const batchKeys = 1024

// A timePoint is the time of a lookup, half of them of members.
type timePoint struct {
	structure string
	batch     bool
	ns        float64
}

func (p timePoint) name() string {
	if p.batch {
		return p.structure + ", batch"
	}
	return p.structure
}

// measureTimes returns for each number of keys the times of lookups at 1 %, one
// by one and, if there is such a call, in batches. It goes over all numbers
// several times and takes the least times: other programs on the machine only
// add to them, and they are busy for minutes, which would fall on one number
// alone.
func (s sweep) measureTimes(ctx context.Context, done func()) (map[int][]timePoint, error) {
	found := make(map[int][]*timed)
	for range s.passes {
		for _, n := range s.times {
			list, err := s.timesAt(ctx, n)
			if err != nil {
				return nil, err
			}
			for i, earlier := range found[n] {
				list[i].times = append(list[i].times, earlier.times...)
			}
			found[n] = list
			done()
		}
	}
	result := make(map[int][]timePoint)
	for n, list := range found {
		for _, t := range list {
			t.ns = slices.Min(t.times)
			result[n] = append(result[n], t.timePoint)
		}
	}
	return result, nil
}

// A timed is a way to query all keys, with the times it took.
type timed struct {
	timePoint
	query func()
	times []float64
}

// passRounds is how often a pass measures each way to query.
const passRounds = 2

// timesAt does one pass for n keys.
func (s sweep) timesAt(ctx context.Context, n int) ([]*timed, error) {
	random := syntheticKeys(rand.NewChaCha8([32]byte([]byte("filterfam compare times of keys!"))), 2*n)
	keys := make([][]byte, 2*n) // every other one a member
	for i := range keys {
		keys[i] = random.at(i)
	}
	var list []*timed
	for _, one := range named("map", "bloom", "bloom-blocked", "counting", "cuckoo", "cuckoo-compact", "static", "perfect", "bits-and-blooms", "seiflotfy-cuckoo") {
		ways, err := waysToQuery(one, keys)
		if err != nil {
			return nil, err
		}
		list = append(list, ways...)
	}
	repeats := max(1, s.lookups/len(keys))
	for range passRounds {
		for _, t := range list {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			start := time.Now()
			for range repeats {
				t.query()
			}
			t.times = append(t.times, perKey(time.Since(start), repeats*len(keys)))
		}
	}
	for _, t := range list {
		t.query = nil // and with it the filter
	}
	return list, nil
}

// waysToQuery builds a filter of every other key and returns how to query it
// for all of them: one by one and, if it can, in batches.
func waysToQuery(one structure, keys [][]byte) ([]*timed, error) {
	f, err := one.build(uint64(len(keys)/2), 0.01, hashfam.Family{})
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(keys); i += 2 {
		if err := f.Add(keys[i]); err != nil && !one.peer {
			return nil, err
		}
	}
	if f, ok := f.(staticFilter); ok {
		if err := f.Build(); err != nil {
			return nil, err
		}
	}
	list := []*timed{{timePoint: timePoint{structure: one.name}, query: func() {
		for _, key := range keys {
			f.Contains(key)
		}
	}}}
	if b, ok := f.(batcher); ok {
		dst := make([]bool, 0, batchKeys)
		list = append(list, &timed{timePoint: timePoint{structure: one.name, batch: true}, query: func() {
			for block := range slices.Chunk(keys, batchKeys) {
				dst = b.ContainsAll(dst[:0], block)
			}
		}})
	}
	return list, nil
}

// timeTable shows the times by the number of keys.
func timeTable(sizes []int, times map[int][]timePoint) table {
	t := table{columns: []column{{name: "structure", left: true}}}
	for _, n := range sizes {
		t.columns = append(t.columns, column{name: thousands(n)})
	}
	for i, p := range times[sizes[0]] {
		cells := []string{p.name()}
		for _, n := range sizes {
			cells = append(cells, nanoseconds(times[n][i].ns))
		}
		t.lines = append(t.lines, line{cells: cells})
	}
	return t
}

// timeChart draws the time of a lookup against the number of keys.
func timeChart(sizes []int, times map[int][]timePoint) *chart {
	c := newChart("time-by-n", "A lookup at 1 %, by the number of keys", "keys", "nanoseconds")
	c.across(float64(sizes[0]), float64(sizes[len(sizes)-1]), 12, countTicks)
	var list []series
	top := 0.0
	for i, p := range times[sizes[0]] {
		if p.structure == "counting" || p.structure == "cuckoo-compact" || p.structure == "perfect" || p.structure == "seiflotfy-cuckoo" {
			continue // in the table; here they would cover others
		}
		l := series{name: p.name(), look: markOf(p.structure)}
		if p.batch {
			l.look.dashes = dashed
		}
		for _, n := range sizes {
			l.XYs = append(l.XYs, plotter.XY{X: float64(n), Y: times[n][i].ns})
			top = max(top, times[n][i].ns)
		}
		c.line(l.XYs, l.look)
		list = append(list, l)
	}
	step := 10.0
	for top/step > 10 {
		step *= 2
	}
	top = math.Ceil(top/step) * step
	c.up(0, top, every(step, top))
	c.nameEnds(list, top/22)
	return c
}
