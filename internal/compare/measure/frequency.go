package measure

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// A FrequencyRow contains a tally's measurements. Errors are in occurrences,
// over all distinct keys in the stream.
type FrequencyRow struct {
	Structure  string   `json:"structure"`
	Setting    string   `json:"setting"`
	Distinct   int      `json:"distinct"`
	Total      int      `json:"total"`
	Bytes      uint64   `json:"bytes"`
	BitsPerKey float64  `json:"bits_per_key"`
	MeanError  *float64 `json:"mean_error"` // nil if keys cannot be queried
	MaxError   *float64 `json:"max_error"`
	ErrorBound *float64 `json:"error_bound"`    // nil if there is none
	AboveBound float64  `json:"above_bound"`    // fraction of keys
	Quantile   *float64 `json:"error_quantile"` // ErrorQuantile for 99% of keys, mean over the rounds; nil if there is none
	BelowTruth uint64   `json:"below_truth"`    // keys in all rounds
	Wanted     int      `json:"wanted"`         // number of keys that should be reported
	Missed     float64  `json:"missed"`         // mean over the rounds
	Extra      float64  `json:"extra"`          // reported but not wanted, mean over the rounds
	AddNS      float64  `json:"add_ns"`

	Memory int  `json:"-"` // the memory size in bytes if it was configured
	Peer   bool `json:"-"`
}

// countFrequencies measures each tally on the stream, until ctx is canceled.
func countFrequencies(ctx context.Context, s *Stream, chosen []Tally, done func()) ([]FrequencyRow, error) {
	list := []FrequencyRow{}
	for _, t := range chosen {
		row, err := t.measure(ctx, s, done)
		if err != nil {
			return list, err
		}
		list = append(list, row)
	}
	return list, nil
}

// measure counts the stream with several families.
func (t Tally) measure(ctx context.Context, s *Stream, done func()) (FrequencyRow, error) {
	total, distinct := len(s.order), s.keys.Len()
	x := FrequencyRow{Structure: t.Name, Setting: t.Setting, Distinct: distinct, Total: total, Peer: t.Peer}
	if t.bound != nil {
		x.ErrorBound = pointer(t.bound(float64(total)))
	}
	wanted := t.wanted(s)
	var adds []float64
	for round := range frequencyRounds {
		c, err := t.Build(s, hashfam.Family{}.Derive(fmt.Sprintf("frequency round %d", round)))
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return x, fmt.Errorf("%s: %w", t.Name, err)
		}
		start := time.Now()
		for _, place := range s.order {
			c.Add(s.keys.At(int(place)))
		}
		adds = append(adds, perKey(time.Since(start), total))
		x.Bytes = max(x.Bytes, c.SizeBytes())
		x.addQuantile(c)
		reported := x.query(c, s)
		if c.Report != nil {
			reported = c.Report()
		}
		x.judge(t, reported, wanted)
		done()
	}
	x.BitsPerKey = 8 * float64(x.Bytes) / float64(distinct)
	x.AddNS = Median(adds)
	return x, nil
}

// judge compares the keys that a round reported with the wanted keys.
func (x *FrequencyRow) judge(t Tally, reported []string, wanted map[string]bool) {
	x.Wanted = len(wanted)
	if t.top { // keys that tie for the last place can replace each other
		x.Wanted = min(topK, len(wanted))
	}
	hits := 0
	for _, key := range reported {
		if wanted[key] {
			hits++
		}
	}
	x.Missed += float64(max(0, x.Wanted-hits)) / frequencyRounds
	x.Extra += float64(len(reported)-hits) / frequencyRounds
}

// addQuantile adds a round's error quantile to x.
func (x *FrequencyRow) addQuantile(c Counter) {
	if c.Quantile == nil {
		return
	}
	if x.Quantile == nil {
		x.Quantile = new(float64)
	}
	*x.Quantile += float64(c.Quantile(SketchDelta)) / frequencyRounds
}

// query adds a round's errors to x and returns the apparent heavy hitters.
func (x *FrequencyRow) query(c Counter, s *Stream) (heavy []string) {
	if c.Count == nil {
		return nil
	}
	if x.MeanError == nil {
		x.MeanError, x.MaxError = new(float64), new(float64)
	}
	share := 1 / float64(len(s.counts)) / frequencyRounds
	for i, want := range s.counts {
		got := c.Count(s.keys.At(i))
		if float64(got) >= heavyPhi*float64(len(s.order)) {
			heavy = append(heavy, string(s.keys.At(i)))
		}
		if got < want {
			x.BelowTruth++
			continue
		}
		over := float64(got - want)
		*x.MeanError += over * share
		*x.MaxError = max(*x.MaxError, over)
		if x.ErrorBound != nil && over > *x.ErrorBound {
			x.AboveBound += share
		}
	}
	return heavy
}

// wanted returns the keys that the tally should report: those with at least
// heavyPhi of the total, or the topK and all that tie for the last place.
func (t Tally) wanted(s *Stream) map[string]bool {
	least := uint64(math.Ceil(heavyPhi * float64(len(s.order))))
	if t.top {
		counts := slices.Sorted(slices.Values(s.counts))
		least = counts[max(0, len(counts)-topK)]
	}
	wanted := make(map[string]bool)
	for i, n := range s.counts {
		if n >= least {
			wanted[string(s.keys.At(i))] = true
		}
	}
	return wanted
}

// The settings of the frequency table.
const (
	sketchEpsilon   = 0.001
	SketchDelta     = 0.01
	heavyPhi        = 0.001
	topK            = 100
	frequencyRounds = 5
)

// A Counter counts keys.
type Counter struct {
	Add       func(key []byte)
	Count     func(key []byte) uint64    // nil if keys cannot be queried
	Report    func() []string            // nil if it does not report keys
	Quantile  func(delta float64) uint64 // nil if there is no error quantile
	Complete  func() bool                // reports whether Report is complete; nil if unknown
	SizeBytes func() uint64
}

// A Tally is an entry in the frequency table.
type Tally struct {
	Name, Setting string
	Peer          bool
	Build         BuildCounter
	top           bool                        // should report the topK keys instead of keys above heavyPhi
	bound         func(total float64) float64 // of the error, except for a fraction SketchDelta of the keys; or nil
}

// A BuildCounter function returns a counter for a stream.
type BuildCounter func(s *Stream, family hashfam.Family) (Counter, error)

func epsilonBound(total float64) float64 { return sketchEpsilon * total }

// Tallies lists all counters, in the order of the rows. Peers are configured
// for the same error as ours.
var Tallies = []Tally{
	{Name: "map", Setting: "exact", Build: newTallyMap},
	{Name: "count-min", Setting: "0.1%, 1%", Build: NewSketch(false), bound: epsilonBound},
	{Name: "count-min-conservative", Setting: "0.1%, 1%", Build: NewSketch(true), bound: epsilonBound},
	{Name: "heavy-hitters", Setting: "0.1%, 16 KiB", Build: newHeavy(16 << 10)},
	{Name: "top-k", Setting: "100, 64 KiB", top: true, Build: NewTop(topK, 64<<10)},
	{Name: "boom-count-min", Setting: "0.1%, 1%", Peer: true, Build: NewBoomSketch, bound: epsilonBound},
	{Name: "boom-top-k", Setting: "100", top: true, Peer: true, Build: NewBoomTop(sketchEpsilon, topK)},
}

// newTallyMap counts exactly, as a Go program would without this library.
func newTallyMap(s *Stream, _ hashfam.Family) (Counter, error) {
	counts := make(map[string]uint64)
	return Counter{
		Add:   func(key []byte) { counts[string(key)]++ },
		Count: func(key []byte) uint64 { return counts[string(key)] },
		SizeBytes: func() uint64 {
			return heapGrowth(func() any {
				m := make(map[string]uint64, s.keys.Len())
				for i := range s.keys.Len() {
					m[string(s.keys.At(i))]++
				}
				return m
			})
		},
	}, nil
}

// NewSketch builds a countmin.Sketch.
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
		return Counter{Add: s.Add, Count: s.Count, Quantile: s.ErrorQuantile, SizeBytes: s.SizeBytes}, nil
	}
}

func newHeavy(memory int) BuildCounter {
	return func(_ *Stream, family hashfam.Family) (Counter, error) {
		return tracked(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: heavyPhi, MemoryBytes: memory, Family: family}))
	}
}

// NewTop builds a HeavyHitters for the most frequent keys.
func NewTop(k, memory int) BuildCounter {
	return func(_ *Stream, family hashfam.Family) (Counter, error) {
		return tracked(countmin.NewHeavyHitters(countmin.HeavyConfig{K: k, MemoryBytes: memory, Family: family}))
	}
}

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

// NewBoomSketch builds the sketch from github.com/tylertreat/BoomFilters.
func NewBoomSketch(*Stream, hashfam.Family) (Counter, error) {
	s := boom.NewCountMinSketch(sketchEpsilon, SketchDelta)
	return Counter{Add: func(key []byte) { s.Add(key) }, Count: s.Count, SizeBytes: fixed(BoomBytes(sketchEpsilon))}, nil
}

// BoomBytes returns the size of BoomFilters' counters, of eight bytes each.
func BoomBytes(epsilon float64) uint {
	return 8 * uint(math.Ceil(math.E/epsilon)) * uint(math.Ceil(math.Log(1/SketchDelta)))
}

// NewBoomTop builds the top-k from github.com/tylertreat/BoomFilters, which
// retains the keys that it is given. The reported size contains the counters
// and, for each element, a pointer, a slice header and a count.
func NewBoomTop(epsilon float64, k uint) BuildCounter {
	return func(*Stream, hashfam.Family) (Counter, error) {
		t := boom.NewTopK(epsilon, SketchDelta, k)
		return Counter{
			Add: func(key []byte) { t.Add(key) }, SizeBytes: fixed(BoomBytes(epsilon) + k*(8+24+8)),
			Report: func() (keys []string) {
				for _, e := range t.Elements() {
					keys = append(keys, string(e.Data))
				}
				return keys
			},
		}, nil
	}
}
