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
	benchRate, benchDelta = 0.01, 0.01
	benchRounds           = 7
	benchBlock            = 1024 // keys that a batch call gets
)

// contestants make structures for n keys, in the order in which the benchmarks
// run them. BenchmarkRatios compares those that have a peer with it;
// BenchmarkBeyondTheCache takes the giants.
var contestants = []struct {
	name, peer string
	giant      bool
	make       func(n uint64) *subject
}{
	{"bloom", "bits-and-blooms", true, named("bloom")},
	{"bloom-blocked", "bits-and-blooms", true, named("bloom-blocked")},
	{"counting", "boom-counting", true, named("counting")},
	{"counting-blocked", "boom-counting", true, func(n uint64) *subject {
		return newSubject(must(counting.New(counting.Config{Capacity: n, FPRate: benchRate, Layout: counting.Blocked})))
	}},
	{"cuckoo", "seiflotfy-cuckoo", true, named("cuckoo")},
	{"cuckoo-compact", "seiflotfy-cuckoo", true, named("cuckoo-compact")},
	{"count-min", "boom-count-min", true, sketch(false)},
	{"count-min-conservative", "boom-count-min", false, sketch(true)},
	{"count-min-16", "count-min", false, smallSketch(16)},
	{"count-min-8", "count-min", false, smallSketch(8)},
	{"blocked-xxhash", "bits-and-blooms", false, func(n uint64) *subject { // digests by conversion, without a secret
		f := must(bloom.New(bloom.Config{Capacity: n, FPRate: benchRate, Layout: bloom.Blocked}))
		return &subject{add: usesOf(func(key []byte) { f.AddDigest(hashfam.Digest(xxhash.Sum64(key))) }, nil, nil),
			query: usesOf(func(key []byte) { f.ContainsDigest(hashfam.Digest(xxhash.Sum64(key))) }, nil, nil)}
	}},
	{"static", "", true, func(uint64) *subject { return newSubject(&lateStatic{}) }},
	{"bits-and-blooms", "", true, named("bits-and-blooms")},
	{"seiflotfy-cuckoo", "", true, named("seiflotfy-cuckoo")}, // its rate is 3 %
	{"boom-count-min", "", false, func(n uint64) *subject {
		s := boom.NewCountMinSketch(benchEpsilon(n), benchDelta)
		return &subject{add: usesOf(func(key []byte) { s.Add(key) }, nil, nil), query: usesOf(func(key []byte) { s.Count(key) }, nil, nil)}
	}},
	{"boom-counting", "", false, named("boom-counting")},
}

// named returns how to make a filter of the comparison.
func named(name string) func(n uint64) *subject {
	return func(n uint64) *subject {
		return newSubject(must(measure.Named(name).Build(n, benchRate, hashfam.Family{})))
	}
}

func sketch(conservative bool) func(n uint64) *subject {
	return func(n uint64) *subject {
		return newSubject(must(countmin.New(countmin.Config{Epsilon: benchEpsilon(n), Delta: benchDelta, Conservative: conservative})))
	}
}

// smallSketch returns how to make a sketch of the same shape with counters of 8
// or 16 bits.
func smallSketch(bits int) func(n uint64) *subject {
	return func(n uint64) *subject {
		return newSubject(must(countmin.New(countmin.Config{Epsilon: benchEpsilon(n), Delta: benchDelta, CounterBits: bits})))
	}
}

// benchEpsilon gives a sketch about as much memory as a counting filter.
func benchEpsilon(n uint64) float64 { return 10 / float64(n) }

// must returns what a constructor built.
func must[T any](built T, err error) T {
	if err != nil {
		panic(err)
	}
	return built
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

// A timing names the time of an operation of a structure.
type timing struct {
	name, operation string
	batch           bool
}

var operations = []string{"add", "hit", "miss", "delete"}

// timed adds the times of a contestant's operations to took, those of batches
// on a structure of their own.
func timed(took map[timing]float64, name string, build func(n uint64) *subject, members, absent [][]byte) {
	for _, form := range []string{"key", "batch"} {
		x := build(uint64(len(members)))
		for i, u := range []uses{x.add, x.query, x.query, x.remove} {
			keys := members
			if operations[i] == "miss" {
				keys = absent
			}
			if do := u[form]; do != nil {
				start := time.Now()
				do(sample{keys: keys})
				took[timing{name, operations[i], form == "batch"}] = float64(time.Since(start).Nanoseconds()) / float64(len(keys))
			}
		}
	}
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
				if wanted[c.name] && c.name != "static" {
					timed(took, c.name, c.make, members, absent)
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
		for _, operation := range operations {
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
		{{"bloom", "add", false}: 1, {"bits-and-blooms", "add", false}: 2, {"bloom", "add", true}: 0.5, {"bits-and-blooms", "hit", false}: 1},
		{{"bloom", "add", false}: 3, {"bits-and-blooms", "add", false}: 2, {"bloom", "add", true}: 1},
	}
	var lines []string
	for line := range strings.Lines(benchTable(rounds)) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"filter operation ns against single batch gain",
		"bloom add 2.00 bits-and-blooms 1.00 0.50-1.50 0.38 0.25-0.50 0.42 0.33-0.50",
		"bits-and-blooms add 2.00 - - -",
		"bits-and-blooms hit 1.00 - - -",
	}, lines)
}
