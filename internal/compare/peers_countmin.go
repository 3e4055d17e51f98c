package main

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	boom "github.com/tylertreat/BoomFilters"
)

// peerTallies are the sketch and the top-k of github.com/tylertreat/BoomFilters
// at the error that ours is configured for.
var peerTallies = []tally{
	{name: "boom-count-min", setting: "0.1%, 1%", peer: true, build: newBoomSketch, bound: epsilonBound},
	{name: "boom-top-k", setting: "100", top: true, peer: true, build: newBoomTop},
}

type boomSketch struct{ *boom.CountMinSketch }

func newBoomSketch(*stream, hashfam.Family) (counter, error) {
	return boomSketch{boom.NewCountMinSketch(sketchEpsilon, sketchDelta)}, nil
}

func (s boomSketch) Add(key []byte)    { s.CountMinSketch.Add(key) }
func (s boomSketch) SizeBytes() uint64 { return boomCells() * 8 }

// boomCells is how many counters of eight bytes it makes.
func boomCells() uint64 {
	return uint64(math.Ceil(math.E/sketchEpsilon)) * uint64(math.Ceil(math.Log(1/sketchDelta)))
}

// boomTop keeps the keys it is given, which this program never changes. It does
// not say how often other keys occurred.
type boomTop struct{ *boom.TopK }

func newBoomTop(*stream, hashfam.Family) (counter, error) {
	return boomTop{boom.NewTopK(sketchEpsilon, sketchDelta, topK)}, nil
}

func (t boomTop) Add(key []byte) { t.TopK.Add(key) }

// SizeBytes counts the counters and, of each element, pointer, slice header and
// count; the keys are the caller's.
func (t boomTop) SizeBytes() uint64 { return boomCells()*8 + topK*(8+24+8) }

func (t boomTop) Report() (keys []string) {
	for _, e := range t.Elements() {
		keys = append(keys, string(e.Data))
	}
	return keys
}
