package main

import (
	"context"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// An errorPoint is the error of counts in some bytes of memory.
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
		found, err := countFrequencies(ctx, words, talliesOf(bytes), func() {})
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			list = append(list, errorPoint{x.Structure, bytes, x})
		}
		done()
	}
	return list, nil
}

// talliesOf returns the sketches and the tracker that fit into bytes.
func talliesOf(bytes int) []tally {
	width := uint64(bytes / 4 / 5)
	sketch := func(conservative bool) func(*stream, hashfam.Family) (counter, error) {
		return func(_ *stream, family hashfam.Family) (counter, error) {
			return countmin.New(countmin.Config{Width: width, Depth: 5, Conservative: conservative, Family: family})
		}
	}
	bound := func(total float64) float64 { return math.E / float64(width) * total }
	return []tally{
		{name: "count-min", build: sketch(false), bound: bound},
		{name: "count-min-conservative", build: sketch(true), bound: bound},
		{name: "heavy-hitters", build: func(_ *stream, family hashfam.Family) (counter, error) {
			h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: heavyPhi, MemoryBytes: bytes, Family: family})
			return heavyCounter{h}, err
		}},
	}
}

// errorTable shows the errors by memory.
func errorTable(list []errorPoint) table {
	t := table{columns: []column{
		{name: "KiB"}, {name: "structure", left: true}, {name: "mean error"}, {name: "largest"}, {name: "bound"},
		{name: "above it"}, {name: "missed"}, {name: "extra"},
	}}
	for _, x := range list {
		c := x.cells()
		t.lines = append(t.lines, line{cells: []string{strconv.Itoa(x.bytes >> 10), x.structure, c[4], c[5], c[6], c[7], c[9], c[10]}})
	}
	return t
}

// errorChart draws the mean error of counts against memory.
func errorChart(errors []errorPoint) *chart {
	c := newChart("count-error", "How much a word's count is too high, words of Moby-Dick", "KiB", "mean error, occurrences")
	first, last := float64(errors[0].bytes)/1024, float64(errors[len(errors)-1].bytes)/1024
	c.across(first, last, 6, kibTicks)
	list := errorSeries(errors)
	low, high := math.Inf(1), 0.0
	for _, l := range list {
		for _, p := range l.XYs {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	c.upByTens(math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high))))
	for _, l := range list {
		c.line(l.XYs, l.look)
	}
	c.nameEnds(list, 0)
	return c
}

var errorColors = map[string]mark{
	"count-min": {color: blue}, "count-min-conservative": {color: green}, "heavy-hitters": {color: vermilion},
}

// errorSeries returns the mean errors by memory. An error of 0 has no place on
// a logarithmic axis.
func errorSeries(errors []errorPoint) []series {
	var list []series
	for _, x := range errors {
		if x.MeanError == nil || *x.MeanError <= 0 {
			continue
		}
		i := slices.IndexFunc(list, func(l series) bool { return l.name == x.structure })
		if i < 0 {
			i = len(list)
			list = append(list, series{name: x.structure, look: errorColors[x.structure]})
		}
		list[i].XYs = append(list[i].XYs, plotter.XY{X: float64(x.bytes) / 1024, Y: *x.MeanError})
	}
	return list
}
