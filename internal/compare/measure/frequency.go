package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/filterfam/filterfam/hashfam"
)

// A FrequencyRow holds the measurements of one tally. Errors are in
// occurrences, over all distinct keys of the stream.
type FrequencyRow struct {
	Structure  string   `json:"structure"`
	Setting    string   `json:"setting"`
	Distinct   int      `json:"distinct"`
	Total      int      `json:"total"`
	Bytes      uint64   `json:"bytes"`
	BitsPerKey float64  `json:"bits_per_key"`
	MeanError  *float64 `json:"mean_error"` // nil if it cannot be queried for a key
	MaxError   *float64 `json:"max_error"`
	ErrorBound *float64 `json:"error_bound"` // nil if there is none
	AboveBound float64  `json:"above_bound"` // the share of keys
	BelowTruth uint64   `json:"below_truth"` // keys, in all rounds
	Wanted     int      `json:"wanted"`      // heavy hitters, or the top
	Missed     float64  `json:"missed"`      // of them, mean over the rounds
	Extra      float64  `json:"extra"`       // reported and not wanted
	AddNS      float64  `json:"add_ns"`

	Memory int  `json:"-"` // bytes that it was given, if that was its setting
	Peer   bool `json:"-"`
}

// countFrequencies measures every tally on the stream under several families.
// When ctx ends, it returns the rows finished until then.
func countFrequencies(ctx context.Context, s *Stream, chosen []Tally, done func()) ([]FrequencyRow, error) {
	truth := make([]uint64, s.keys.Len())
	for _, id := range s.order {
		truth[id]++
	}
	list := []FrequencyRow{}
	for _, t := range chosen {
		row, err := t.measure(ctx, s, truth, done)
		if err != nil {
			return list, err
		}
		list = append(list, row)
	}
	return list, nil
}

// measure counts the stream under one family after another.
func (t Tally) measure(ctx context.Context, s *Stream, truth []uint64, done func()) (FrequencyRow, error) {
	total, distinct := len(s.order), s.keys.Len()
	x := FrequencyRow{Structure: t.Name, Setting: t.Setting, Distinct: distinct, Total: total, Peer: t.Peer}
	if t.bound != nil {
		x.ErrorBound = pointer(t.bound(float64(total)))
	}
	wanted := t.wanted(s, truth)
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
		reported := x.query(c, s, truth)
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

// judge compares the keys that one round reported with those it should have
// reported.
func (x *FrequencyRow) judge(t Tally, reported []string, wanted map[string]bool) {
	x.Wanted = len(wanted)
	if t.top { // of keys that tie for the last place of the top, any will do
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

// query adds up the errors of one round and returns the keys that seem to be
// heavy hitters.
func (x *FrequencyRow) query(c Counter, s *Stream, truth []uint64) (heavy []string) {
	if c.Count == nil {
		return nil
	}
	if x.MeanError == nil {
		x.MeanError, x.MaxError = new(float64), new(float64)
	}
	share := 1 / float64(len(truth)) / frequencyRounds
	for i, want := range truth {
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

// wanted returns the keys that the tally should report: those above heavyPhi of
// the total, or the topK and all that tie for the last place.
func (t Tally) wanted(s *Stream, truth []uint64) map[string]bool {
	least := uint64(math.Ceil(heavyPhi * float64(len(s.order))))
	if t.top {
		counts := slices.SortedFunc(slices.Values(truth), func(a, b uint64) int { return cmp.Compare(b, a) })
		least = counts[min(topK, len(counts))-1]
	}
	wanted := make(map[string]bool)
	for i, n := range truth {
		if n >= least {
			wanted[string(s.keys.At(i))] = true
		}
	}
	return wanted
}
