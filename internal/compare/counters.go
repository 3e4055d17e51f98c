package main

import (
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// What the frequency table asks for.
const (
	sketchEpsilon, sketchDelta = 0.001, 0.01
	heavyPhi                   = 0.001
	heavyMemory                = 16 << 10
	topK, topMemory            = 100, 64 << 10
	frequencyRounds            = 5
)

// A counter is one structure that counts how often keys occur: it can be
// queried for each key, or lists keys by itself, or both.
type counter interface {
	Add(key []byte)
	SizeBytes() uint64
}

type queried interface{ Count(key []byte) uint64 }
type reporter interface{ Report() []string }

// A tally is one entry of the frequency table.
type tally struct {
	name, setting string
	top           bool // wants the topK keys, not those above heavyPhi
	peer          bool
	build         func(s *stream, family hashfam.Family) (counter, error)
	bound         func(total float64) float64 // of the error, except for sketchDelta of the keys; nil: none
}

func epsilonBound(total float64) float64 { return sketchEpsilon * total }

var tallies = append([]tally{
	{name: "map", setting: "exact", build: newTallyMap},
	{name: "count-min", setting: "0.1%, 1%", build: newSketch(false), bound: epsilonBound},
	{name: "count-min-conservative", setting: "0.1%, 1%", build: newSketch(true), bound: epsilonBound},
	{name: "heavy-hitters", setting: "0.1%, 16 KiB", build: newHeavy},
	{name: "top-k", setting: "100, 64 KiB", top: true, build: newTop},
}, peerTallies...)

// A tallyMap counts exactly, as a Go program without this library would.
type tallyMap struct {
	counts map[string]uint64
	bytes  uint64
}

func newTallyMap(s *stream, _ hashfam.Family) (counter, error) {
	if s.mapBytes == 0 {
		var err error
		if s.mapBytes, err = tallyBytes(&s.keys); err != nil {
			return nil, err
		}
	}
	return &tallyMap{counts: make(map[string]uint64), bytes: s.mapBytes}, nil
}

func (m *tallyMap) Add(key []byte)          { m.counts[string(key)]++ }
func (m *tallyMap) Count(key []byte) uint64 { return m.counts[string(key)] }
func (m *tallyMap) SizeBytes() uint64       { return m.bytes }

// tallyBytes returns by how much the heap grows when a map counts the keys.
func tallyBytes(keys *keyList) (uint64, error) {
	return heapGrowth(func() (any, error) {
		m := make(map[string]uint64, keys.len())
		for i := range keys.len() {
			m[string(keys.at(i))]++
		}
		return m, nil
	})
}

func newSketch(conservative bool) func(*stream, hashfam.Family) (counter, error) {
	return func(_ *stream, family hashfam.Family) (counter, error) {
		return countmin.New(countmin.Config{Epsilon: sketchEpsilon, Delta: sketchDelta, Conservative: conservative, Family: family})
	}
}

type heavyCounter struct{ *countmin.HeavyHitters }

func newHeavy(_ *stream, family hashfam.Family) (counter, error) {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: heavyPhi, MemoryBytes: heavyMemory, Family: family})
	return heavyCounter{h}, err
}

func (h heavyCounter) Count(key []byte) uint64 { return h.Estimate(key).Count }

func (h heavyCounter) Report() (keys []string) {
	for key := range h.All() {
		keys = append(keys, key)
	}
	return keys
}

type topCounter struct{ *countmin.TopK }

func newTop(_ *stream, family hashfam.Family) (counter, error) {
	k, err := countmin.NewTopK(countmin.TopKConfig{K: topK, MemoryBytes: topMemory, Family: family})
	return topCounter{k}, err
}

func (k topCounter) Count(key []byte) uint64 { return k.Estimate(key).Count }

func (k topCounter) Report() (keys []string) {
	for key := range k.All() {
		keys = append(keys, key)
	}
	return keys
}
