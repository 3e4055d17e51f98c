package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// A Sweep contains the settings of the measurements for the documents.
type Sweep struct {
	Accuracy []int // numbers of keys for the rates
	Times    []int // numbers of keys for the times
	Rates    []float64
	memory   []int // sizes of the counters in bytes
	peerKeys int
	lookups  int // at least, per measurement
	rounds   int // at least
	most     int // rounds at most
	passes   int // over Times
}

// NewSweep returns a sweep of several minutes, or of seconds if it is quick.
func NewSweep(quick bool) Sweep {
	s := Sweep{
		Accuracy: []int{1000, 10_000, 100_000, 1_000_000},
		Times:    []int{1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000},
		Rates:    []float64{0.03, 0.01, 0.001, 0.0001},
		memory:   []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10},
		peerKeys: 1_000_000, lookups: 1_000_000, rounds: 5, most: math.MaxInt, passes: 3,
	}
	if quick { // fewer keys, but documents of the same shape
		s.Accuracy = []int{100, 200, 300, 400}
		s.Times = []int{100, 150, 200, 300, 400, 500, 600, 800, 1000}
		s.peerKeys = 1000
		s.lookups = 1000
		s.rounds = 1
		s.most = 2
		s.passes = 1
	}
	return s
}

// Measurements contains a sweep's results.
type Measurements struct {
	Run, Peers *Results       // the default comparison, and all structures on random keys
	Accuracy   []Row          // our structures for each number of keys
	Times      []Curve        // of lookups
	Errors     []FrequencyRow // for each memory size
}

// Steps returns the number of times that Measure will call done.
func (s Sweep) Steps() int { return 2 + len(s.Accuracy) + s.passes*len(s.Times) + len(s.memory) }

// Measure runs all measurements. It returns an error if one of our structures
// loses a key or a count.
func (s Sweep) Measure(done func()) (m Measurements, err error) {
	m.Run, err = s.run(Source{}, s.Rates, false, done)
	if err == nil {
		m.Peers, err = s.run(Source{Synthetic: s.peerKeys}, []float64{0.01}, true, done)
	}
	if err == nil {
		m.Accuracy, err = s.measureAccuracy(done)
	}
	if err == nil {
		m.Times, err = s.measureTimes(done)
	}
	if err == nil {
		m.Errors, err = s.measureErrors(done)
	}
	return m, err
}

// run compares the structures as the command does.
func (s Sweep) run(from Source, rates []float64, peers bool, done func()) (*Results, error) {
	d, err := Load(from)
	if err != nil {
		return nil, err
	}
	defer done()
	return s.results(d, Where(Structures, func(x Structure) bool { return peers || !x.Asked() }), rates,
		Where(Tallies, func(x Tally) bool { return peers || !x.Peer }), s.most)
}

// results runs an experiment with a limited number of rounds.
func (s Sweep) results(d *Dataset, filters []Structure, rates []float64, counters []Tally, rounds int) (*Results, error) {
	e, err := NewExperiment(d, filters, rates, counters)
	if err != nil {
		return nil, err
	}
	e.effort.Rounds = min(e.effort.Rounds, s.most, rounds)
	r, err := e.Run(context.Background(), func() {})
	if err == nil {
		err = r.Broken()
	}
	return r, err
}

// OurOwn returns those of our structures whose rate can be compared with the
// requested rate. Growing filters are left out because they are never full, and
// others because they know the absent keys that are queried.
func OurOwn() []Structure {
	return Where(Structures, func(s Structure) bool { return !s.Asked() && !s.Exact && !s.Knows && s.Over == 0 })
}

func (s Sweep) measureAccuracy(done func()) (rows []Row, err error) {
	filters := OurOwn()
	for _, n := range s.Accuracy {
		rounds := max(s.rounds, 4_000_000/n/len(filters)/len(s.Rates))
		r, err := s.results(SyntheticData(n), filters, s.Rates, nil, rounds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r.Rows...)
		done()
	}
	return rows, nil
}

// measureErrors counts the words of Moby-Dick using each amount of memory.
func (s Sweep) measureErrors(done func()) (rows []FrequencyRow, err error) {
	words := MobyDick()
	for _, bytes := range s.memory {
		width := uint64(bytes / 4 / 5)
		bound := func(total float64) float64 { return math.E / float64(width) * total }
		found, err := countFrequencies(context.Background(), words, []Tally{
			{Name: "count-min", Build: sketch(countmin.Config{Width: width, Depth: 5}), bound: bound},
			{Name: "count-min-conservative", Build: sketch(countmin.Config{Width: width, Depth: 5, Conservative: true}), bound: bound},
			{Name: "heavy-hitters", Build: newHeavy(bytes)},
		}, func() {})
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

// A Curve contains a structure's lookup times, one for each number of keys.
type Curve struct {
	Structure string
	Batch     bool // whether lookups are in batches
	NS        []float64
}

// Name returns the curve's name in figures and tables.
func (c Curve) Name() string {
	if c.Batch {
		return c.Structure + ", batch"
	}
	return c.Structure
}

// BatchKeys is the number of keys in a batch.
const BatchKeys = 1024

// passRounds is the number of measurements of each way to query in a pass.
const passRounds = 2

// TimeRounds returns how often each time is measured.
func (s Sweep) TimeRounds() int { return s.passes * passRounds }

// measureTimes returns the times of lookups at a rate of 1%, for each number of
// keys, one by one and in batches. Each time is the minimum over several
// passes, because other programs can only add to it, sometimes for minutes.
func (s Sweep) measureTimes(done func()) (curves []Curve, err error) {
	for range s.passes {
		for i, n := range s.Times {
			ways, err := waysToQuery(n)
			if err != nil {
				return nil, err
			}
			if curves == nil {
				for _, w := range ways {
					w.NS = slices.Repeat([]float64{math.Inf(1)}, len(s.Times))
					curves = append(curves, w.Curve)
				}
			}
			repeats := max(1, s.lookups/(2*n))
			for j := range passRounds * len(ways) {
				j %= len(ways)
				start := time.Now()
				for range repeats {
					ways[j].query()
				}
				curves[j].NS[i] = min(curves[j].NS[i], perKey(time.Since(start), repeats*2*n))
			}
			done()
		}
	}
	return curves, nil
}

// A way queries the keys for a point of a Curve.
type way struct {
	Curve
	query func()
}

// inTimes lists the structures whose lookups are timed.
var inTimes = []string{"map", "bloom", "bloom-blocked", "counting", "cuckoo", "cuckoo-compact", "static", "perfect",
	"bloom-maphash", "bloom-blocked-maphash", "cuckoo-maphash", "bits-and-blooms", "seiflotfy-cuckoo"}

// waysToQuery returns functions that query n keys and n others in turn.
func waysToQuery(n int) (ways []way, err error) {
	all := randomKeys(rand.NewChaCha8([32]byte([]byte("filterfam compare times of keys!"))), 2*n)
	var members Keys
	keys := make([][]byte, all.Len())
	for i := range keys {
		keys[i] = all.At(i)
		if i%2 == 0 {
			members.add(keys[i])
		}
	}
	for _, name := range inTimes {
		f, err := (&cell{Structure: Named(name), rate: 0.01}).build(&members, true)
		if err != nil {
			return nil, err
		}
		ways = append(ways, way{Curve{Structure: name}, func() { f.count(&all, 0, all.Len()) }})
		if b, ok := f.Inner.(interface {
			Family() hashfam.Family
			ContainsAll(dst []bool, digests []hashfam.Digest) []bool
		}); ok {
			digests := make([]hashfam.Digest, 0, BatchKeys)
			dst := make([]bool, 0, BatchKeys)
			ways = append(ways, way{Curve{Structure: name, Batch: true}, func() {
				for block := range slices.Chunk(keys, BatchKeys) {
					digests = b.Family().SumAll(digests[:0], block)
					dst = b.ContainsAll(dst[:0], digests)
				}
			}})
		}
	}
	return ways, nil
}
