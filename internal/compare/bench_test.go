package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/assert"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

const (
	benchRate                = 0.01
	benchEpsilon, benchDelta = 1e-4, 0.01
	benchRounds              = 7
	benchBlock               = 1024 // keys that a batch call gets
)

// An operation does something to all keys, one by one or in batches.
type operation struct {
	name  string
	batch bool
	do    func(keys [][]byte)
}

// contestants build filters for n keys and return the operations to time, in
// order, each with the peer that the filter is compared with; that of a peer is
// empty.
var contestants = []struct {
	name, peer string
	operations func(n int) []operation
}{
	{"classic", "bnb", of(measure.Named("bloom").Build)},
	{"blocked", "bnb", of(measure.Named("bloom-blocked").Build)},
	{"counting", "boom", of(measure.Named("counting").Build)},
	{"counting-blocked", "boom", of(func(n uint64, rate float64, family hashfam.Family) (*measure.Filter, error) {
		return measure.Adapt(counting.New(counting.Config{Capacity: n, FPRate: rate, Layout: counting.Blocked, Family: family}))
	})},
	{"cuckoo", "seiflotfy", of(measure.Named("cuckoo").Build)},
	{"cuckoo-compact", "seiflotfy", of(measure.Named("cuckoo-compact").Build)},
	{"count-min", "boom-count-min", ofSketch(false)},
	{"count-min-conservative", "boom-count-min", ofSketch(true)},
	{"blocked-xxhash", "bnb", func(n int) []operation { // digests by conversion, without a secret
		f := must(bloom.New(bloom.Config{Capacity: uint64(n), FPRate: benchRate, Layout: bloom.Blocked}))
		return singly(func(key []byte) { f.AddDigest(hashfam.Digest(xxhash.Sum64(key))) },
			func(key []byte) { f.ContainsDigest(hashfam.Digest(xxhash.Sum64(key))) })
	}},
	{"seiflotfy", "", of(measure.Named("seiflotfy-cuckoo").Build)},
	{"boom-count-min", "", func(int) []operation {
		s := boom.NewCountMinSketch(benchEpsilon, benchDelta)
		return singly(func(key []byte) { s.Add(key) }, func(key []byte) { s.Count(key) })
	}},
	{"bnb", "", of(measure.Named("bits-and-blooms").Build)},
	{"boom", "", of(measure.Named("boom-counting").Build)},
}

// must returns what a constructor built.
func must[T any](built T, err error) T {
	if err != nil {
		panic(err)
	}
	return built
}

var operationNames = []string{"add", "hit", "miss", "delete"}

// operations returns what can be done in a form.
func (x *subject) operations(form string) (list []operation) {
	for i, u := range []uses{x.add, x.query, x.query, x.remove} {
		if do := u[form]; do != nil {
			list = append(list, operation{operationNames[i], form == "batch", func(keys [][]byte) { do(sample{keys: keys}) }})
		}
	}
	return list
}

// of returns the operations of filters, those of batches on a filter of their
// own.
func of(build measure.Build) func(n int) []operation {
	return func(n int) (list []operation) {
		for _, form := range []string{"key", "batch"} {
			f := must(build(uint64(n), benchRate, hashfam.Family{}))
			list = append(list, newSubject(f).operations(form)...)
		}
		return list
	}
}

func ofSketch(conservative bool) func(n int) []operation {
	return func(int) (list []operation) {
		for _, form := range []string{"key", "batch"} {
			s := must(countmin.New(countmin.Config{Epsilon: benchEpsilon, Delta: benchDelta, Conservative: conservative}))
			list = append(list, newSubject(s).operations(form)...)
		}
		return list
	}
}

// singly returns the operations of what takes keys one by one.
func singly(add, query func(key []byte)) []operation {
	x := subject{add: usesOf(add, nil, nil), query: usesOf(query, nil, nil)}
	return x.operations("key")
}

// benchKeys returns FILTERFAM_N random keys of 16 bytes, a million unless it is
// set, and as many others.
func benchKeys(b *testing.B) (members, absent [][]byte) {
	b.Helper()
	n := 1_000_000
	if text := os.Getenv("FILTERFAM_N"); text != "" {
		o := options{}
		if err := o.setSynthetic(text); err != nil {
			b.Fatalf("FILTERFAM_N=%q: %v", text, err)
		}
		n = o.Synthetic
	}
	d := measure.SyntheticData(n)
	for i := range n {
		members, absent = append(members, d.Members.At(i)), append(absent, d.Absent.At(i))
	}
	return members, absent
}

// A timing names the time of an operation of a filter.
type timing struct {
	name, operation string
	batch           bool
}

// BenchmarkRatios runs every contestant in turn, round after round, so that
// whatever else the machine does falls on all alike, and prints the times and
// their ratios within a round. With -benchtime 1x it takes one to two minutes.
// FILTERFAM_ONLY names contestants, by parts of their names with commas; those
// they are compared with run, too.
func BenchmarkRatios(b *testing.B) {
	members, absent := benchKeys(b)
	wanted := map[string]bool{}
	for _, c := range contestants {
		for name := range strings.SplitSeq(os.Getenv("FILTERFAM_ONLY"), ",") {
			if strings.Contains(c.name, name) {
				wanted[c.name], wanted[c.peer] = true, true
			}
		}
	}
	var rounds []map[timing]float64
	for b.Loop() {
		for range benchRounds {
			took := make(map[timing]float64)
			for _, c := range contestants {
				if !wanted[c.name] {
					continue
				}
				for _, o := range c.operations(len(members)) {
					keys := members
					if o.name == "miss" {
						keys = absent
					}
					start := time.Now()
					o.do(keys)
					took[timing{c.name, o.name, o.batch}] = float64(time.Since(start).Nanoseconds()) / float64(len(keys))
				}
			}
			rounds = append(rounds, took)
		}
	}
	b.ReportMetric(0, "ns/op") // means nothing here
	// Not b.Log, which cuts a benchmark's output after ten lines.
	fmt.Printf("\n%s keys on %s\n\n%s\n%s\n", measure.Thousands(len(members)), report.ThisMachine(nil), benchTable(rounds), benchLegend)
}

const benchLegend = `How to read it: ns is the time of a key; single is that over the time of the
library it is against; batch is that of a key in a batch call, with its hashing,
over the same; gain is batch over single. Each is the median of the rounds; the
ratios have the lowest and the highest after them. Below 1 ours is faster.`

// benchTable shows the times and ratios, one operation a line.
func benchTable(rounds []map[timing]float64) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "filter\toperation\tns\tagainst\tsingle\t\tbatch\t\tgain\t")
	for _, c := range contestants {
		for _, operation := range operationNames {
			ours, all, theirs := timing{c.name, operation, false}, timing{c.name, operation, true}, timing{c.peer, operation, false}
			if ns := ratioOf(rounds, ours, timing{}); ns != "" {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.name, operation, strings.Fields(ns)[0], c.peer,
					orTabs(ratioOf(rounds, ours, theirs)), orTabs(ratioOf(rounds, all, theirs)), orTabs(ratioOf(rounds, all, ours)))
			}
		}
	}
	w.Flush()
	return b.String()
}

func orTabs(ratio string) string {
	if ratio == "" {
		return "-\t"
	}
	return ratio
}

// ratioOf returns the median and the range of a ratio over the rounds, or
// nothing if there is none. The time of no operation is 1.
func ratioOf(rounds []map[timing]float64, ours, theirs timing) string {
	var list []float64
	for _, took := range rounds {
		if theirs == (timing{}) {
			took[theirs] = 1
		}
		if took[ours] > 0 && took[theirs] > 0 {
			list = append(list, took[ours]/took[theirs])
		}
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f\t%.2f-%.2f", measure.Median(list), slices.Min(list), slices.Max(list))
}

func TestTheTableOfRatiosHasOneOperationALine(t *testing.T) {
	rounds := []map[timing]float64{
		{{"classic", "add", false}: 1, {"bnb", "add", false}: 2, {"classic", "add", true}: 0.5, {"bnb", "hit", false}: 1},
		{{"classic", "add", false}: 3, {"bnb", "add", false}: 2, {"classic", "add", true}: 1},
	}
	var lines []string
	for line := range strings.Lines(benchTable(rounds)) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"filter operation ns against single batch gain",
		"classic add 2.00 bnb 1.00 0.50-1.50 0.38 0.25-0.50 0.42 0.33-0.50",
		"bnb add 2.00 - - -",
		"bnb hit 1.00 - - -",
	}, lines)
}
