package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// What the frequency table asks for.
const (
	sketchEpsilon, sketchDelta = 0.001, 0.01
	heavyPhi                   = 0.001
	heavyMemory                = 16 << 10
	topK, topMemory            = 100, 64 << 10
	frequencyRounds            = 5
)

// A stream is keys in the order in which they occur.
type stream struct {
	about string
	keys  keyList  // each once
	order []uint32 // places in keys

	mapBytes uint64 // of a map that counts the keys, once measured
}

// A counter is one structure that counts how often keys occur: it can be asked
// for each key, or lists keys by itself, or both.
type counter interface {
	Add(key []byte)
	SizeBytes() uint64
}

type asked interface{ Count(key []byte) uint64 }
type reporter interface{ Report() []string }

// A tally is one entry of the frequency table.
type tally struct {
	name, setting string
	top           bool // asked for the topK keys, not for those above heavyPhi
	peer          bool
	build         func(s *stream, family hashfam.Family) (counter, error)
	bound         func(total float64) float64 // of the error, but for sketchDelta of the keys; nil: none
}

func epsilonBound(total float64) float64 { return sketchEpsilon * total }

var tallies = append([]tally{
	{name: "map", setting: "exact", build: newTallyMap},
	{name: "count-min", setting: "0.1%, 1%", build: newSketch(false), bound: epsilonBound},
	{name: "count-min-conservative", setting: "0.1%, 1%", build: newSketch(true), bound: epsilonBound},
	{name: "heavy-hitters", setting: "0.1%, 16 KiB", build: newHeavy},
	{name: "top-k", setting: "100, 64 KiB", top: true, build: newTop},
}, peerTallies...)

// A tallyMap is what a Go program has without any of this.
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

// A frequencyRow is what is measured of one tally. Errors are in occurrences,
// over all distinct keys of the stream.
type frequencyRow struct {
	Structure  string   `json:"structure"`
	Setting    string   `json:"setting"`
	Distinct   int      `json:"distinct"`
	Total      int      `json:"total"`
	Bytes      uint64   `json:"bytes"`
	BitsPerKey float64  `json:"bits_per_key"`
	MeanError  *float64 `json:"mean_error"` // nil where it cannot be asked for a key
	MaxError   *float64 `json:"max_error"`
	ErrorBound *float64 `json:"error_bound"` // nil where there is none
	AboveBound float64  `json:"above_bound"` // the share of keys
	BelowTruth uint64   `json:"below_truth"` // keys, in all rounds
	Wanted     int      `json:"wanted"`      // heavy hitters, or the top
	Missed     float64  `json:"missed"`      // of them, mean over the rounds
	Extra      float64  `json:"extra"`       // reported and not wanted
	AddNS      float64  `json:"add_ns"`

	peer bool
}

// countFrequencies measures every tally on the stream under several families.
// When ctx ends, it returns the rows finished until then.
func countFrequencies(ctx context.Context, s *stream, chosen []tally, done func()) ([]frequencyRow, error) {
	truth := make([]uint64, s.keys.len())
	for _, id := range s.order {
		truth[id]++
	}
	list := []frequencyRow{}
	for _, t := range chosen {
		row, err := t.measure(ctx, s, truth, done)
		if err != nil {
			return list, err
		}
		list = append(list, row)
	}
	return list, nil
}

func (t tally) measure(ctx context.Context, s *stream, truth []uint64, done func()) (frequencyRow, error) {
	total, distinct := len(s.order), s.keys.len()
	x := frequencyRow{Structure: t.name, Setting: t.setting, Distinct: distinct, Total: total, peer: t.peer}
	bound := math.Inf(1)
	if t.bound != nil {
		bound = t.bound(float64(total))
		x.ErrorBound = &bound
	}
	wanted := t.wanted(s, truth)
	x.Wanted = len(wanted)
	var adds []float64
	for round := range frequencyRounds {
		c, err := t.build(s, hashfam.Family{}.Derive(fmt.Sprintf("frequency round %d", round)))
		if err != nil {
			return x, fmt.Errorf("%s: %w", t.name, err)
		}
		start := time.Now()
		for i := 0; i < total; {
			if ctx.Err() != nil {
				return x, ctx.Err()
			}
			for stop := min(i+blockKeys, total); i < stop; i++ {
				c.Add(s.keys.at(int(s.order[i])))
			}
		}
		adds = append(adds, perKey(time.Since(start), total))
		x.Bytes = max(x.Bytes, c.SizeBytes())

		reported := x.ask(c, s, truth, bound)
		if c, ok := c.(reporter); ok {
			reported = c.Report()
		}
		hits := 0
		for _, key := range reported {
			if wanted[key] {
				hits++
			}
		}
		// Of keys that tie for the last place of the top, any will do.
		want := len(wanted)
		if t.top {
			want = min(topK, want)
		}
		x.Wanted = want
		x.Missed += float64(max(0, want-hits)) / frequencyRounds
		x.Extra += float64(len(reported)-hits) / frequencyRounds
		done()
	}
	x.BitsPerKey = 8 * float64(x.Bytes) / float64(distinct)
	x.AddNS = median(adds)
	return x, nil
}

// ask adds up the errors of one round and returns the keys that seem to be heavy
// hitters.
func (x *frequencyRow) ask(c counter, s *stream, truth []uint64, bound float64) (heavy []string) {
	counts, ok := c.(asked)
	if !ok {
		return nil
	}
	if x.MeanError == nil {
		x.MeanError, x.MaxError = new(float64), new(float64)
	}
	share := 1 / float64(len(truth)) / frequencyRounds
	for i, want := range truth {
		got := counts.Count(s.keys.at(i))
		if float64(got) >= heavyPhi*float64(len(s.order)) {
			heavy = append(heavy, string(s.keys.at(i)))
		}
		if got < want {
			x.BelowTruth++
			continue
		}
		over := float64(got - want)
		*x.MeanError += over * share
		*x.MaxError = max(*x.MaxError, over)
		if over > bound {
			x.AboveBound += share
		}
	}
	return heavy
}

// wanted returns the keys that the tally should report: those above heavyPhi
// of the total, or the topK with all that tie for the last place.
func (t tally) wanted(s *stream, truth []uint64) map[string]bool {
	least := uint64(math.Ceil(heavyPhi * float64(len(s.order))))
	if t.top {
		counts := slices.SortedFunc(slices.Values(truth), func(a, b uint64) int { return cmp.Compare(b, a) })
		least = counts[min(topK, len(counts))-1]
	}
	wanted := make(map[string]bool)
	for i, n := range truth {
		if n >= least {
			wanted[string(s.keys.at(i))] = true
		}
	}
	return wanted
}

// mobyDick is the stream of the words of the novel.
func mobyDick() *stream {
	s := streamOf(data.Tokens(data.MobyDick()))
	s.about = fmt.Sprintf("%s words of Moby-Dick, %s of them distinct.", thousands(len(s.order)), thousands(s.keys.len()))
	return s
}

func streamOf(keys []string) *stream {
	s, places := &stream{}, make(map[string]uint32)
	for _, key := range keys {
		place, seen := places[key]
		if !seen {
			place = uint32(len(places))
			places[key] = place
			s.keys.add([]byte(key))
		}
		s.order = append(s.order, place)
	}
	return s
}

// zipfStream draws a million keys, or as many as there are, from the list under
// Zipf's law with exponent 1.1.
func zipfStream(keys *keyList) *stream {
	draws := max(keys.len(), 1_000_000)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(5, 6)), 1.1, 1, uint64(keys.len()-1))
	s, places := &stream{order: make([]uint32, draws)}, make(map[uint64]uint32)
	for i := range s.order {
		rank := zipf.Uint64()
		place, seen := places[rank]
		if !seen {
			place = uint32(len(places))
			places[rank] = place
			s.keys.add(keys.at(int(rank)))
		}
		s.order[i] = place
	}
	s.about = fmt.Sprintf("%s keys drawn under Zipf's law, exponent 1.1, %s of them distinct.", thousands(draws), thousands(len(places)))
	return s
}

var frequencyHead = []string{"counting", "setting", "KiB", "bits/key", "error", "max", "bound", "above", "heavy", "missed", "extra", "add"}

const frequencyLegend = "How to read it: error is how much a count is too high on average over all distinct keys, max for the " +
	"worst; bound is what a sketch promises for 99 % of them, above the share for which it does not hold. heavy are the keys " +
	"above 0.1 % of the total, or the 100 most frequent; missed are those not reported, extra those reported besides. " +
	"setting is a sketch's epsilon and delta; phi or k, and all memory."

func (x frequencyRow) cells() []string {
	average, most, bound, above := "-", "-", "-", "-"
	if x.MeanError != nil {
		average, most = hundredths(*x.MeanError), brief(uint64(*x.MaxError))
	}
	if x.ErrorBound != nil {
		bound, above = hundredths(*x.ErrorBound), percent(x.AboveBound, 2)
	}
	return []string{
		x.Structure, x.Setting, fmt.Sprintf("%.1f", float64(x.Bytes)/1024), fmt.Sprintf("%.2f", x.BitsPerKey),
		average, most, bound, above,
		thousands(x.Wanted), mean(x.Missed), mean(x.Extra), nanoseconds(x.AddNS),
	}
}

// mean writes a mean of small numbers.
func mean(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

// frequencyTable lays the rows out within 100 columns.
func frequencyTable(list []frequencyRow) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.AlignRight)
	width := [2]int{len(frequencyHead[0]), len(frequencyHead[1])}
	for _, x := range list {
		width[0], width[1] = max(width[0], len(x.Structure)), max(width[1], len(x.Setting))
	}
	write := func(cells []string) {
		for i, cell := range cells {
			if i < 2 {
				cell += strings.Repeat(" ", width[i]-len(cell))
			}
			fmt.Fprint(w, cell, "\t")
		}
		fmt.Fprintln(w)
	}
	write(frequencyHead)
	for _, x := range list {
		write(x.cells())
	}
	w.Flush()
	var lines strings.Builder
	for line := range strings.Lines(b.String()) {
		lines.WriteString(strings.TrimRight(strings.TrimPrefix(line, " "), " \n") + "\n")
	}
	return lines.String()
}

func frequencyMarkdown(list []frequencyRow) string {
	var b strings.Builder
	b.WriteString("| " + strings.Join(frequencyHead, " | ") + " |\n|---|---|" + strings.Repeat("---:|", len(frequencyHead)-2) + "\n")
	for _, x := range list {
		b.WriteString("| " + strings.Join(x.cells(), " | ") + " |\n")
	}
	return b.String()
}

// undercounted names our structures that gave a count below the truth.
func undercounted(list []frequencyRow) []string {
	var names []string
	for _, x := range list {
		if x.BelowTruth > 0 && !x.peer {
			names = append(names, fmt.Sprintf("%s: %s times", x.Structure, thousands(int(x.BelowTruth))))
		}
	}
	return names
}
