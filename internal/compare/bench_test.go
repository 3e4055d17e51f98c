package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	seiflotfy "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"
)

// The benchmarks store FILTERFAM_N random keys of 16 bytes at 1 %, a million
// unless it is set, and ask for as many that were not stored.
const (
	benchRate                = 0.01
	benchRounds              = 7
	benchEpsilon, benchDelta = 1e-4, 0.01
)

func benchKeys(b *testing.B) (members, absent [][]byte) {
	b.Helper()
	n := 1_000_000
	if text := os.Getenv("FILTERFAM_N"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			b.Fatalf("FILTERFAM_N=%q: want a number of keys above 0", text)
		}
	}
	d := syntheticData(n)
	slices16 := func(l *keyList) [][]byte {
		keys := make([][]byte, n)
		for i := range keys {
			keys[i] = l.at(i)
		}
		return keys
	}
	return slices16(&d.members), slices16(&d.absent)
}

// A contestant is a filter with the operations to time, each over all keys.
type contestant struct {
	name   string
	peer   string // whom it is compared to; empty for a peer itself
	single func() single
	batch  func() batch // nil where there is none
}

// The operations of one filter; what it cannot do is nil.
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

func contestants(b *testing.B, n int) []contestant {
	b.Helper()
	var list []contestant
	for _, layout := range []struct {
		name   string
		layout bloom.Layout
	}{{"classic", bloom.Classic}, {"blocked", bloom.Blocked}} {
		build := func() *bloom.Filter {
			f, err := bloom.New(bloom.Config{Capacity: uint64(n), FPRate: benchRate, Layout: layout.layout})
			if err != nil {
				b.Fatal(err)
			}
			return f
		}
		list = append(list, contestant{
			name: layout.name,
			peer: "bnb",
			single: func() single {
				f := build()
				return single{add: f.Add, contains: f.Contains}
			},
			batch: func() batch {
				f := build()
				return batch{addAll: f.AddAll, containsAll: f.ContainsAll}
			},
		})
	}
	for _, layout := range []struct {
		name   string
		layout counting.Layout
	}{{"counting", counting.Classic}, {"counting-blocked", counting.Blocked}} {
		build := func() *counting.Filter {
			f, err := counting.New(counting.Config{Capacity: uint64(n), FPRate: benchRate, Layout: layout.layout})
			if err != nil {
				b.Fatal(err)
			}
			return f
		}
		list = append(list, contestant{
			name: layout.name,
			peer: "boom",
			single: func() single {
				f := build()
				return single{f.Add, f.Contains, f.Delete}
			},
			batch: func() batch {
				f := build()
				return batch{f.AddAll, f.ContainsAll, f.DeleteAll}
			},
		})
	}
	for _, form := range []struct {
		name    string
		compact bool
	}{{"cuckoo", false}, {"cuckoo-compact", true}} {
		build := func() *cuckoo.Filter {
			f, err := cuckoo.New(cuckoo.Config{Capacity: uint64(n), FPRate: benchRate, Compact: form.compact})
			if err != nil {
				b.Fatal(err)
			}
			return f
		}
		list = append(list, contestant{
			name: form.name,
			peer: "seiflotfy",
			single: func() single {
				f := build()
				return single{func(key []byte) { _ = f.Add(key) }, f.Contains, f.Delete}
			},
			batch: func() batch {
				f := build()
				return batch{func(keys [][]byte) { _, _ = f.AddAll(keys) }, f.ContainsAll, f.DeleteAll}
			},
		})
	}
	for _, form := range []struct {
		name         string
		conservative bool
	}{{"count-min", false}, {"count-min-conservative", true}} {
		build := func() *countmin.Sketch {
			s, err := countmin.New(countmin.Config{Epsilon: benchEpsilon, Delta: benchDelta, Conservative: form.conservative})
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
		list = append(list, contestant{
			name: form.name,
			peer: "boom-count-min",
			single: func() single {
				s := build()
				return single{add: s.Add, contains: func(key []byte) bool { return s.Count(key) > 0 }}
			},
			batch: func() batch {
				s, counts := build(), make([]uint64, 0, benchBlock)
				return batch{addAll: s.AddAll, containsAll: func(dst []bool, keys [][]byte) []bool {
					counts = s.CountAll(counts[:0], keys)
					return dst
				}}
			},
		})
	}
	return append(list, contestant{name: "seiflotfy", single: func() single { // github.com/seiflotfy/cuckoofilter
		f := seiflotfy.NewFilter(uint(n))
		return single{func(key []byte) { f.Insert(key) }, f.Lookup, f.Delete}
	}}, contestant{name: "boom-count-min", single: func() single {
		s := boom.NewCountMinSketch(benchEpsilon, benchDelta)
		return single{add: func(key []byte) { s.Add(key) }, contains: func(key []byte) bool { return s.Count(key) > 0 }}
	}}, contestant{name: "bnb", single: func() single { // github.com/bits-and-blooms/bloom
		f := peer.NewWithEstimates(uint(n), benchRate)
		return single{add: func(key []byte) { f.Add(key) }, contains: f.Test}
	}}, contestant{name: "boom", single: func() single { // github.com/tylertreat/BoomFilters
		f := boom.NewDefaultCountingBloomFilter(uint(n), benchRate)
		return single{func(key []byte) { f.Add(key) }, f.Test, f.TestAndRemove}
	}})
}

// only leaves the contestants that FILTERFAM_ONLY names, by parts of their
// names with commas, and those they are compared to.
func only(list []contestant) []contestant {
	names := os.Getenv("FILTERFAM_ONLY")
	if names == "" {
		return list
	}
	wanted := map[string]bool{}
	for _, c := range list {
		for name := range strings.SplitSeq(names, ",") {
			if strings.Contains(c.name, name) {
				wanted[c.name], wanted[c.peer] = true, true
			}
		}
	}
	return slices.DeleteFunc(list, func(c contestant) bool { return !wanted[c.name] })
}

// benchBlock is how many keys a batch call gets.
const benchBlock = 1024

// BenchmarkFilters times each operation per key. Keys are deleted and added
// again in turn, all of them each time; only the deletes are timed.
func BenchmarkFilters(b *testing.B) {
	members, absent := benchKeys(b)
	n := len(members)
	each := func(b *testing.B, keys [][]byte, do func([]byte)) {
		i := 0
		for b.Loop() {
			do(keys[i])
			if i++; i == n {
				i = 0
			}
		}
	}
	perBlock := func(b *testing.B, keys [][]byte, do func([][]byte)) {
		i, total := 0, 0
		for b.Loop() {
			stop := min(i+benchBlock, n)
			do(keys[i:stop])
			total += stop - i
			if i = stop; i == n {
				i = 0
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/key")
	}
	for _, c := range only(contestants(b, n)) {
		b.Run("Add/"+c.name, func(b *testing.B) { each(b, members, c.single().add) })
		f := c.single()
		for _, key := range members {
			f.add(key)
		}
		ask := func(key []byte) { f.contains(key) }
		b.Run("Hit/"+c.name, func(b *testing.B) { each(b, members, ask) })
		b.Run("Miss/"+c.name, func(b *testing.B) { each(b, absent, ask) })
		if f.delete != nil {
			b.Run("Delete/"+c.name, func(b *testing.B) {
				i := 0
				for b.Loop() {
					f.delete(members[i])
					if i++; i == n {
						b.StopTimer()
						for _, key := range members {
							f.add(key)
						}
						b.StartTimer()
						i = 0
					}
				}
				for ; i > 0; i-- {
					f.add(members[i-1])
				}
			})
		}
		if c.batch == nil {
			continue
		}
		b.Run("AddAll/"+c.name, func(b *testing.B) { perBlock(b, members, c.batch().addAll) })
		g := c.batch()
		g.addAll(members)
		var dst []bool
		askAll := func(keys [][]byte) { dst = g.containsAll(dst[:0], keys) }
		b.Run("ContainsAllHit/"+c.name, func(b *testing.B) { perBlock(b, members, askAll) })
		b.Run("ContainsAllMiss/"+c.name, func(b *testing.B) { perBlock(b, absent, askAll) })
	}
}

// BenchmarkRatios runs every contestant in turn, round after round, so that
// whatever else the machine does falls on all alike, and reports the median of
// the ratios of one round: our time over the peer's ("classic-add/bnb"), and a
// batch's over that of the same filter key by key ("classic-addall/loop").
// Below 1 is faster.
func BenchmarkRatios(b *testing.B) {
	members, absent := benchKeys(b)
	n := len(members)
	ratios := make(map[string][]float64)
	for b.Loop() {
		for range benchRounds {
			took := make(map[string]float64)
			list := only(contestants(b, n))
			for _, c := range list {
				c.round(members, absent, func(operation string, do func()) {
					start := time.Now()
					do()
					took[c.name+"-"+operation] = time.Since(start).Seconds()
				})
			}
			note := func(name string, ours, theirs string) {
				if took[ours] > 0 && took[theirs] > 0 {
					ratios[name] = append(ratios[name], took[ours]/took[theirs])
				}
			}
			for _, c := range list {
				if c.peer == "" {
					continue
				}
				for single, all := range batchOf {
					loop, block, theirs := c.name+"-"+single, c.name+"-"+all, c.peer+"-"+single
					note(loop+"/"+c.peer, loop, theirs)
					note(block+"/"+c.peer, block, theirs)
					note(block+"/loop", block, loop)
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op") // says nothing here
	for name, values := range ratios {
		b.ReportMetric(median(values), name)
	}
}

// batchOf names the batch form of each operation.
var batchOf = map[string]string{
	"add": "addall", "hit": "containsall-hit", "miss": "containsall-miss", "delete": "deleteall",
}

// round does everything that c can do once, each operation on all keys.
func (c contestant) round(members, absent [][]byte, clock func(operation string, do func())) {
	each := func(operation string, keys [][]byte, do func([]byte)) {
		clock(operation, func() {
			for _, key := range keys {
				do(key)
			}
		})
	}
	f := c.single()
	each("add", members, f.add)
	ask := func(key []byte) { f.contains(key) }
	each("hit", members, ask)
	each("miss", absent, ask)
	if f.delete != nil {
		each("delete", members, func(key []byte) { f.delete(key) })
	}
	if c.batch == nil {
		return
	}
	blocks := func(operation string, keys [][]byte, do func([][]byte)) {
		clock(operation, func() {
			for block := range slices.Chunk(keys, benchBlock) {
				do(block)
			}
		})
	}
	g := c.batch()
	blocks("addall", members, g.addAll)
	dst := make([]bool, 0, benchBlock)
	askAll := func(keys [][]byte) { dst = g.containsAll(dst[:0], keys) }
	blocks("containsall-hit", members, askAll)
	blocks("containsall-miss", absent, askAll)
	if g.deleteAll != nil {
		blocks("deleteall", members, func(keys [][]byte) { g.deleteAll(keys) })
	}
}
