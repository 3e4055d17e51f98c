package measure

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	boom "github.com/tylertreat/BoomFilters"
)

// What the frequency table asks for.
const (
	sketchEpsilon, SketchDelta = 0.001, 0.01
	heavyPhi                   = 0.001
	heavyMemory                = 16 << 10
	topK, topMemory            = 100, 64 << 10
	frequencyRounds            = 5
)

// A Counter counts how often keys occur: it can be queried for each key, or
// lists keys by itself, or both.
type Counter struct {
	Add       func(key []byte)
	Count     func(key []byte) uint64 // nil if it cannot be queried
	Report    func() []string         // nil if it lists no keys
	Complete  func() bool             // whether Report misses none; nil if it does not know
	SizeBytes func() uint64
}

// A Tally is one entry of the frequency table.
type Tally struct {
	Name, Setting string
	Peer          bool
	Build         BuildCounter
	top           bool                        // wants the topK keys, not those above heavyPhi
	bound         func(total float64) float64 // of the error, except for SketchDelta of the keys; nil: none
}

// A BuildCounter makes a counter for a stream.
type BuildCounter func(s *Stream, family hashfam.Family) (Counter, error)

func epsilonBound(total float64) float64 { return sketchEpsilon * total }

// Tallies lists everything that counts, in the order of the rows. The peers are
// configured for the error that ours are configured for.
var Tallies = []Tally{
	{Name: "map", Setting: "exact", Build: newTallyMap},
	{Name: "count-min", Setting: "0.1%, 1%", Build: NewSketch(false), bound: epsilonBound},
	{Name: "count-min-conservative", Setting: "0.1%, 1%", Build: NewSketch(true), bound: epsilonBound},
	{Name: "heavy-hitters", Setting: "0.1%, 16 KiB", Build: newHeavy(heavyMemory)},
	{Name: "top-k", Setting: "100, 64 KiB", top: true, Build: NewTop(topK, topMemory)},
	{Name: "boom-count-min", Setting: "0.1%, 1%", Peer: true, Build: NewBoomSketch, bound: epsilonBound},
	{Name: "boom-top-k", Setting: "100", top: true, Peer: true, Build: NewBoomTop(sketchEpsilon, topK)},
}

// newTallyMap counts exactly, as a Go program without this library would.
func newTallyMap(s *Stream, _ hashfam.Family) (Counter, error) {
	if s.mapBytes == 0 {
		var err error
		if s.mapBytes, err = tallyBytes(&s.keys); err != nil {
			return Counter{}, err
		}
	}
	counts := make(map[string]uint64)
	return Counter{
		Add:       func(key []byte) { counts[string(key)]++ },
		Count:     func(key []byte) uint64 { return counts[string(key)] },
		SizeBytes: func() uint64 { return s.mapBytes },
	}, nil
}

// tallyBytes returns by how much the heap grows when a map counts the keys.
func tallyBytes(keys *Keys) (uint64, error) {
	return heapGrowth(func() (any, error) {
		m := make(map[string]uint64, keys.Len())
		for i := range keys.Len() {
			m[string(keys.At(i))]++
		}
		return m, nil
	})
}

// NewSketch builds countmin.Sketch.
func NewSketch(conservative bool) BuildCounter {
	return sketch(countmin.Config{Epsilon: sketchEpsilon, Delta: SketchDelta, Conservative: conservative})
}

func sketch(c countmin.Config) BuildCounter {
	return func(_ *Stream, family hashfam.Family) (Counter, error) {
		c.Family = family
		s, err := countmin.New(c)
		if err != nil {
			return Counter{}, err
		}
		return Counter{Add: s.Add, Count: s.Count, SizeBytes: s.SizeBytes}, nil
	}
}

func newHeavy(memory int) BuildCounter {
	return func(_ *Stream, family hashfam.Family) (Counter, error) {
		return tracked(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: heavyPhi, MemoryBytes: memory, Family: family}))
	}
}

// NewTop builds countmin.TopK.
func NewTop(k, memory int) BuildCounter {
	return func(_ *Stream, family hashfam.Family) (Counter, error) {
		return tracked(countmin.NewTopK(countmin.TopKConfig{K: k, MemoryBytes: memory, Family: family}))
	}
}

// A tracker keeps frequent keys.
type tracker interface {
	Add(key []byte)
	Estimate(key []byte) countmin.Estimate
	All() iter.Seq2[string, countmin.Estimate]
	Complete() bool
	SizeBytes() uint64
}

func tracked(t tracker, err error) (Counter, error) {
	if err != nil {
		return Counter{}, err
	}
	return Counter{
		Add: t.Add, Complete: t.Complete, SizeBytes: t.SizeBytes,
		Count: func(key []byte) uint64 { return t.Estimate(key).High },
		Report: func() (keys []string) {
			for key := range t.All() {
				keys = append(keys, key)
			}
			return keys
		},
	}, nil
}

// NewBoomSketch builds the sketch of github.com/tylertreat/BoomFilters.
func NewBoomSketch(*Stream, hashfam.Family) (Counter, error) {
	s := boom.NewCountMinSketch(sketchEpsilon, SketchDelta)
	return Counter{
		Add: func(key []byte) { s.Add(key) }, Count: s.Count,
		SizeBytes: func() uint64 { return BoomBytes(sketchEpsilon) },
	}, nil
}

// BoomBytes is what the counters of github.com/tylertreat/BoomFilters take,
// which have eight bytes.
func BoomBytes(epsilon float64) uint64 {
	return 8 * uint64(math.Ceil(math.E/epsilon)) * uint64(math.Ceil(math.Log(1/SketchDelta)))
}

// NewBoomTop builds the top-k of github.com/tylertreat/BoomFilters, which does
// not say how often other keys occurred. It keeps the keys it is given, which
// this program never changes: its size is that of the counters and, of each
// element, of pointer, slice header and count.
func NewBoomTop(epsilon float64, k uint) BuildCounter {
	return func(*Stream, hashfam.Family) (Counter, error) {
		t := boom.NewTopK(epsilon, SketchDelta, k)
		return Counter{
			Add: func(key []byte) { t.Add(key) }, SizeBytes: func() uint64 { return BoomBytes(epsilon) + uint64(k)*(8+24+8) },
			Report: func() (keys []string) {
				for _, e := range t.Elements() {
					keys = append(keys, string(e.Data))
				}
				return keys
			},
		}, nil
	}
}
