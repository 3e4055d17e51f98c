package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	seiflotfy "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"
)

const (
	benchRate                = 0.01
	benchEpsilon, benchDelta = 1e-4, 0.01
	benchBlock               = 1024 // keys that a batch call gets
)

// A contestant is a filter with the operations to time, each over all keys.
type contestant struct {
	name   string
	peer   string // the peer it is compared with; empty for a peer itself
	single func(n int) single
	batch  func(n int) batch // nil if there is none
}

// The operations of one filter; nil if it cannot do one.
type single struct {
	add      func([]byte)
	contains func([]byte) bool
	delete   func([]byte) bool
}

type batch struct {
	addAll      func([][]byte)
	containsAll func([]bool, [][]byte) []bool
	deleteAll   func([][]byte) int
}

var contestants = []contestant{
	ofBloom("classic", bloom.Classic),
	ofBloom("blocked", bloom.Blocked),
	ofCounting("counting", counting.Classic),
	ofCounting("counting-blocked", counting.Blocked),
	ofCuckoo("cuckoo", false),
	ofCuckoo("cuckoo-compact", true),
	ofSketch("count-min", false),
	ofSketch("count-min-conservative", true),
	{name: "seiflotfy", single: func(n int) single { // github.com/seiflotfy/cuckoofilter
		f := seiflotfy.NewFilter(uint(n))
		return single{func(key []byte) { f.Insert(key) }, f.Lookup, f.Delete}
	}},
	{name: "boom-count-min", single: func(int) single { // github.com/tylertreat/BoomFilters
		s := boom.NewCountMinSketch(benchEpsilon, benchDelta)
		return single{add: func(key []byte) { s.Add(key) }, contains: func(key []byte) bool { return s.Count(key) > 0 }}
	}},
	{name: "bnb", single: func(n int) single { // github.com/bits-and-blooms/bloom
		f := peer.NewWithEstimates(uint(n), benchRate)
		return single{add: func(key []byte) { f.Add(key) }, contains: f.Test}
	}},
	{name: "boom", single: func(n int) single { // github.com/tylertreat/BoomFilters
		f := boom.NewDefaultCountingBloomFilter(uint(n), benchRate)
		return single{func(key []byte) { f.Add(key) }, f.Test, f.TestAndRemove}
	}},
}

// must returns what a constructor built.
func must[T any](built T, err error) T {
	if err != nil {
		panic(err)
	}
	return built
}

func ofBloom(name string, layout bloom.Layout) contestant {
	build := func(n int) *bloom.Filter {
		return must(bloom.New(bloom.Config{Capacity: uint64(n), FPRate: benchRate, Layout: layout}))
	}
	return contestant{
		name: name, peer: "bnb",
		single: func(n int) single { f := build(n); return single{add: f.Add, contains: f.Contains} },
		batch:  func(n int) batch { f := build(n); return batch{addAll: f.AddAll, containsAll: f.ContainsAll} },
	}
}

func ofCounting(name string, layout counting.Layout) contestant {
	build := func(n int) *counting.Filter {
		return must(counting.New(counting.Config{Capacity: uint64(n), FPRate: benchRate, Layout: layout}))
	}
	return contestant{
		name: name, peer: "boom",
		single: func(n int) single { f := build(n); return single{f.Add, f.Contains, f.Delete} },
		batch:  func(n int) batch { f := build(n); return batch{f.AddAll, f.ContainsAll, f.DeleteAll} },
	}
}

func ofCuckoo(name string, compact bool) contestant {
	build := func(n int) *cuckoo.Filter {
		return must(cuckoo.New(cuckoo.Config{Capacity: uint64(n), FPRate: benchRate, Compact: compact}))
	}
	return contestant{
		name: name, peer: "seiflotfy",
		single: func(n int) single {
			f := build(n)
			return single{func(key []byte) { _ = f.Add(key) }, f.Contains, f.Delete}
		},
		batch: func(n int) batch {
			f := build(n)
			return batch{func(keys [][]byte) { _, _ = f.AddAll(keys) }, f.ContainsAll, f.DeleteAll}
		},
	}
}

func ofSketch(name string, conservative bool) contestant {
	build := func() *countmin.Sketch {
		return must(countmin.New(countmin.Config{Epsilon: benchEpsilon, Delta: benchDelta, Conservative: conservative}))
	}
	return contestant{
		name: name, peer: "boom-count-min",
		single: func(int) single {
			s := build()
			return single{add: s.Add, contains: func(key []byte) bool { return s.Count(key) > 0 }}
		},
		batch: func(int) batch {
			s, counts := build(), make([]uint64, 0, benchBlock)
			return batch{addAll: s.AddAll, containsAll: func(dst []bool, keys [][]byte) []bool {
				counts = s.CountAll(counts[:0], keys)
				return dst
			}}
		},
	}
}

// chosenContestants returns those that FILTERFAM_ONLY names, by parts of their
// names with commas, and those they are compared with.
func chosenContestants() []contestant {
	names := os.Getenv("FILTERFAM_ONLY")
	wanted := map[string]bool{}
	for _, c := range contestants {
		for name := range strings.SplitSeq(names, ",") {
			if strings.Contains(c.name, name) {
				wanted[c.name], wanted[c.peer] = true, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(contestants), func(c contestant) bool { return !wanted[c.name] })
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
		n = o.synthetic
	}
	d := syntheticData(n)
	for i := range n {
		members, absent = append(members, d.members.at(i)), append(absent, d.absent.at(i))
	}
	return members, absent
}
