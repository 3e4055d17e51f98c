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

// A contestant is a filter with the operations to time. Those of a batch get
// keys, which they hash. An operation that it does not have is nil.
type contestant struct {
	add, query, delete          func(key []byte)
	addAll, queryAll, deleteAll func(keys [][]byte)
}

// contestants build filters for n keys, each with the peer it is compared with;
// that of a peer is empty.
var contestants = []struct {
	name, peer string
	build      func(n int) contestant
}{
	{"classic", "bnb", of(measure.NewBloom(bloom.Classic))},
	{"blocked", "bnb", of(measure.NewBloom(bloom.Blocked))},
	{"counting", "boom", of(measure.NewCounting(counting.Classic))},
	{"counting-blocked", "boom", of(measure.NewCounting(counting.Blocked))},
	{"cuckoo", "seiflotfy", of(measure.NewCuckoo(false))},
	{"cuckoo-compact", "seiflotfy", of(measure.NewCuckoo(true))},
	{"count-min", "boom-count-min", ofSketch(false)},
	{"count-min-conservative", "boom-count-min", ofSketch(true)},
	{"blocked-xxhash", "bnb", func(n int) contestant { // digests by conversion, without a secret
		f := must(bloom.New(bloom.Config{Capacity: uint64(n), FPRate: benchRate, Layout: bloom.Blocked}))
		return contestant{
			add:   func(key []byte) { f.AddDigest(hashfam.Digest(xxhash.Sum64(key))) },
			query: func(key []byte) { f.ContainsDigest(hashfam.Digest(xxhash.Sum64(key))) },
		}
	}},
	{"seiflotfy", "", of(measure.NewSeiflotfy)},
	{"boom-count-min", "", func(int) contestant {
		s := boom.NewCountMinSketch(benchEpsilon, benchDelta)
		return contestant{add: func(key []byte) { s.Add(key) }, query: func(key []byte) { s.Count(key) }}
	}},
	{"bnb", "", of(measure.NewPeerBloom)},
	{"boom", "", of(measure.NewBoomCounting)},
}

// must returns what a constructor built.
func must[T any](built T, err error) T {
	if err != nil {
		panic(err)
	}
	return built
}

// of returns the operations of a filter.
func of(build measure.Build) func(n int) contestant {
	return func(n int) contestant {
		f := must(build(uint64(n), benchRate, hashfam.Family{}))
		c := contestant{add: func(key []byte) { _ = f.Add(key) }, query: func(key []byte) { f.Contains(key) }}
		if f.Delete != nil {
			c.delete = func(key []byte) { f.Delete(key) }
		}
		if b, ok := f.Set.(interface {
			Family() hashfam.Family
			ContainsAll(dst []bool, digests []hashfam.Digest) []bool
		}); ok {
			digests, dst := make([]hashfam.Digest, 0, benchBlock), make([]bool, 0, benchBlock)
			sum := func(keys [][]byte) []hashfam.Digest { return b.Family().SumAll(digests[:0], keys) }
			c.queryAll = func(keys [][]byte) { dst = b.ContainsAll(dst[:0], sum(keys)) }
			switch b := f.Set.(type) {
			case interface{ AddAll([]hashfam.Digest) }:
				c.addAll = func(keys [][]byte) { b.AddAll(sum(keys)) }
			case interface {
				AddAll([]hashfam.Digest) (int, error)
			}:
				c.addAll = func(keys [][]byte) { _, _ = b.AddAll(sum(keys)) }
			}
			if b, ok := f.Set.(interface{ DeleteAll([]hashfam.Digest) int }); ok {
				c.deleteAll = func(keys [][]byte) { b.DeleteAll(sum(keys)) }
			}
		}
		return c
	}
}

func ofSketch(conservative bool) func(n int) contestant {
	return func(int) contestant {
		s := must(countmin.New(countmin.Config{Epsilon: benchEpsilon, Delta: benchDelta, Conservative: conservative}))
		digests, counts := make([]hashfam.Digest, 0, benchBlock), make([]uint64, 0, benchBlock)
		sum := func(keys [][]byte) []hashfam.Digest { return s.Family().SumAll(digests[:0], keys) }
		return contestant{
			add: s.Add, query: func(key []byte) { s.Count(key) },
			addAll:   func(keys [][]byte) { s.AddAll(sum(keys)) },
			queryAll: func(keys [][]byte) { counts = s.CountAll(counts[:0], sum(keys)) },
		}
	}
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
				if wanted[c.name] {
					c.build(len(members)).single(c.name, members, absent, took)
					c.build(len(members)).batch(c.name, members, absent, took)
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

// single times each operation on all keys.
func (c contestant) single(name string, members, absent [][]byte, took map[timing]float64) {
	each := func(operation string, keys [][]byte, do func([]byte)) {
		start := time.Now()
		for _, key := range keys {
			do(key)
		}
		took[timing{name, operation, false}] = float64(time.Since(start).Nanoseconds()) / float64(len(keys))
	}
	each("add", members, c.add)
	each("hit", members, c.query)
	each("miss", absent, c.query)
	if c.delete != nil {
		each("delete", members, c.delete)
	}
}

// batch times each operation that takes batches on all keys.
func (c contestant) batch(name string, members, absent [][]byte, took map[timing]float64) {
	blocks := func(operation string, keys [][]byte, do func([][]byte)) {
		if do == nil {
			return
		}
		start := time.Now()
		for block := range slices.Chunk(keys, benchBlock) {
			do(block)
		}
		took[timing{name, operation, true}] = float64(time.Since(start).Nanoseconds()) / float64(len(keys))
	}
	blocks("add", members, c.addAll)
	blocks("hit", members, c.queryAll)
	blocks("miss", absent, c.queryAll)
	blocks("delete", members, c.deleteAll)
}

// benchTable shows the times and ratios, one operation a line.
func benchTable(rounds []map[timing]float64) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "filter\toperation\tns\tagainst\tsingle\t\tbatch\t\tgain\t")
	for _, c := range contestants {
		for _, operation := range []string{"add", "hit", "miss", "delete"} {
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
