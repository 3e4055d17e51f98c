package countmin_test

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A sketchHeap finds heavy hitters as lecture notes do: a plain sketch counts
// all keys, and a min-heap has those whose count was 1/k of the keys so far or
// more when they came last. As the number of keys grows, the smallest fall out.
type sketchHeap struct {
	sketch *countmin.Sketch
	k      uint64
	keys   []counted
	at     map[string]int // where a key is in the heap
	peak   int            // the largest size of the heap in bytes
	bytes  int
}

// counted is a key and the count of its last occurrence.
type counted struct {
	key   string
	count uint64
}

func newSketchHeap(p countmin.Params, k uint64) *sketchHeap {
	s, err := countmin.NewFromParams(p)
	if err != nil {
		panic(err)
	}
	return &sketchHeap{sketch: s, k: k, at: map[string]int{}}
}

// add counts key.
func (h *sketchHeap) add(key string) {
	h.sketch.AddString(key)
	n := h.sketch.CountString(key)
	i, in := h.at[key]
	switch {
	case in:
		h.keys[i].count = n
		heap.Fix(h, i)
	case n*h.k >= h.sketch.Total():
		heap.Push(h, counted{key, n})
	}
	for len(h.keys) > 0 && h.keys[0].count*h.k < h.sketch.Total() {
		heap.Pop(h)
	}
	h.peak = max(h.peak, h.bytes)
}

// entryBytes is what a key in the heap takes besides its bytes: a string and a
// count, and a string, an integer and a byte of an index that is half full.
const entryBytes = 24 + 2*25

// sizeBytes returns the memory of the sketch and of the largest heap.
func (h *sketchHeap) sizeBytes() int { return int(h.sketch.SizeBytes()) + h.peak }

// counts returns the reported keys with their counts.
func (h *sketchHeap) counts() map[string]uint64 {
	counts := map[string]uint64{}
	for _, c := range h.keys {
		counts[c.key] = c.count
	}
	return counts
}

func (h *sketchHeap) Len() int           { return len(h.keys) }
func (h *sketchHeap) Less(i, j int) bool { return h.keys[i].count < h.keys[j].count }
func (h *sketchHeap) Swap(i, j int) {
	h.keys[i], h.keys[j] = h.keys[j], h.keys[i]
	h.at[h.keys[i].key], h.at[h.keys[j].key] = i, j
}

func (h *sketchHeap) Push(x any) {
	c := x.(counted)
	h.at[c.key] = len(h.keys)
	h.keys = append(h.keys, c)
	h.bytes += entryBytes + len(c.key)
}

func (h *sketchHeap) Pop() any {
	c := h.keys[len(h.keys)-1]
	h.keys = h.keys[:len(h.keys)-1]
	delete(h.at, c.key)
	h.bytes -= entryBytes + len(c.key)
	return c
}

// The last printed example of the lecture notes: among n keys those that occur
// n/50 times or more are desired, epsilon is half of 1/50, and the sketch has m
// = 271 ln(1/delta) counters, 271 = e/epsilon rounded down in each row. All
// desired keys are reported, and a key below n/100 is reported with a
// probability of at most delta.
//
// By Markov's inequality a row of w counters errs by n/100 or more with a
// probability of at most 100/w, and all d rows with (100/w)^d: 0.0502 for 3
// rows, where delta is 0.1, and 0.0068 for 5, where it is 0.01. The stream has
// little slack: most keys count a little more than n/100, so that one of them
// in a counter is enough. A correct program fails with a chance of less than
// 1e-8 for each of the four keys just below n/100 and each delta; keys that
// occur once are far from their bound. HeavyHitters in the same memory must
// meet the same bound.
func TestHeavyHittersOfTheLectureNotes(t *testing.T) {
	families := 200
	if conformance.Long(t, 0.5, 0.1) {
		families = 2000
	}
	stream := lectureStream()
	for _, delta := range []float64{0.1, 0.01} {
		depth := int(math.Ceil(math.Log(1 / delta)))
		chance := math.Pow(100.0/271, float64(depth))
		require.LessOrEqual(t, chance, delta)
		allowed := binomialBound(families, chance, 1e-8)
		light, tracked := map[string]int{}, map[string]int{}
		for i := range families {
			fam := hashfam.Family{}.Derive(fmt.Sprint("lecture ", i))
			order(stream, i)
			h := newSketchHeap(countmin.Params{Width: 271, Depth: depth, CounterBits: 32, Family: fam}, 50)
			for _, key := range stream {
				h.add(key)
			}
			requireDesired(t, h.counts(), light)
			hh, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1.0 / 50, MemoryBytes: h.sizeBytes(), Family: fam})
			require.NoError(t, err)
			hh.AddAllStrings(stream)
			requireDesired(t, countsOf(hh), tracked)
			require.True(t, hh.Complete())
		}
		t.Logf("delta %g, %d families: %d rows of 271 and a heap report a key of n/100 - 1 in %d to %d of them, HeavyHitters in the same memory in %d to %d; the bound is %.1f, %d are allowed",
			delta, families, depth, least(light), most(light), least(tracked), most(tracked), chance*float64(families), allowed)
		require.LessOrEqual(t, most(light), allowed)
		require.LessOrEqual(t, most(tracked), allowed)
	}
}

// least returns in how many families the least reported of the keys that occur
// 99 times is reported.
func least(light map[string]int) int {
	n := math.MaxInt
	for i := range 4 {
		n = min(n, light[fmt.Sprint("light ", i)])
	}
	return n
}

// most returns in how many families the most reported key is.
func most(light map[string]int) (n int) {
	for _, families := range light {
		n = max(n, families)
	}
	return n
}

// lectureStream returns 10,000 keys: five that occur 200 times, 80 that occur
// 102 times, four that occur 99 times, and others that occur once.
func lectureStream() (stream []string) {
	occur := func(name string, keys, times int) {
		for i := range keys * times {
			stream = append(stream, fmt.Sprint(name, i%keys))
		}
	}
	occur("desired ", 5, 200)
	occur("heavy ", 80, 102)
	occur("light ", 4, 99)
	occur("rare ", 10_000-len(stream), 1)
	return stream
}

// order puts the keys in a random order, in two thirds of the families with the
// most frequent ones first or last.
func order(stream []string, family int) {
	rng := rand.New(rand.NewPCG(uint64(family), 1))
	rng.Shuffle(len(stream), func(i, j int) { stream[i], stream[j] = stream[j], stream[i] })
	if sign := family%3 - 1; sign != 0 {
		slices.SortStableFunc(stream, func(a, b string) int { return sign * cmp.Compare(a[0], b[0]) })
	}
}

// requireDesired checks that all desired keys are reported, and counts in which
// keys below n/100 are.
func requireDesired(t *testing.T, reported map[string]uint64, light map[string]int) {
	for i := range 5 {
		require.GreaterOrEqual(t, reported[fmt.Sprint("desired ", i)], uint64(200))
	}
	for key := range reported {
		if key[0] != 'd' && key[0] != 'h' {
			light[key]++
		}
	}
}

// The Config for epsilon = 1/100 has at least as many counters as the notes.
func TestTheConfigOfTheLectureNotes(t *testing.T) {
	for _, delta := range []float64{0.5, 0.1, 0.01, 1e-6} {
		p, err := countmin.Config{Epsilon: 1.0 / 100, Delta: delta}.Params()
		require.NoError(t, err)
		require.EqualValues(t, 272, p.Width, "e/epsilon is 271.8")
		require.GreaterOrEqual(t, float64(p.Width)*float64(p.Depth), 271*math.Log(1/delta))
		require.Less(t, float64(p.Depth-1), math.Log(1/delta))
	}
}

// binomialBound returns the smallest number that a binomial variable exceeds
// with a probability of less than tail.
func binomialBound(n int, p, tail float64) int {
	logN, _ := math.Lgamma(float64(n + 1))
	above := 0.0
	for k := n; k > 0; k-- {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		above += math.Exp(logN - a - b + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		if above >= tail {
			return k
		}
	}
	return 0
}
