package main

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/filterfam/filterfam/bloom"
)

// The benchmarks store FILTERFAM_N random keys of 16 bytes at 1 %, a million
// unless it is set, and ask for as many that were not stored.
const (
	benchRate   = 0.01
	benchRounds = 7
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
	single func() (add func([]byte), contains func([]byte) bool)
	batch  func() (addAll func([][]byte), containsAll func([]bool, [][]byte) []bool)
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
			single: func() (func([]byte), func([]byte) bool) {
				f := build()
				return f.Add, f.Contains
			},
			batch: func() (func([][]byte), func([]bool, [][]byte) []bool) {
				f := build()
				return f.AddAll, f.ContainsAll
			},
		})
	}
	return append(list, contestant{name: "bits-and-blooms", single: func() (func([]byte), func([]byte) bool) {
		f := peer.NewWithEstimates(uint(n), benchRate)
		return func(key []byte) { f.Add(key) }, f.Test
	}})
}

// benchBlock is how many keys a batch call gets.
const benchBlock = 1024

// BenchmarkFilters times each operation per key.
func BenchmarkFilters(b *testing.B) {
	members, absent := benchKeys(b)
	n := len(members)
	for _, c := range contestants(b, n) {
		b.Run("Add/"+c.name, func(b *testing.B) {
			add, _ := c.single()
			i := 0
			for b.Loop() {
				add(members[i])
				if i++; i == n {
					i = 0
				}
			}
		})
		add, contains := c.single()
		for _, key := range members {
			add(key)
		}
		for _, ask := range []struct {
			name string
			keys [][]byte
		}{{"Hit", members}, {"Miss", absent}} {
			b.Run(ask.name+"/"+c.name, func(b *testing.B) {
				i := 0
				for b.Loop() {
					contains(ask.keys[i])
					if i++; i == n {
						i = 0
					}
				}
			})
		}
		if c.batch == nil {
			continue
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
		b.Run("AddAll/"+c.name, func(b *testing.B) {
			addAll, _ := c.batch()
			perBlock(b, members, addAll)
		})
		addAll, containsAll := c.batch()
		addAll(members)
		for _, ask := range []struct {
			name string
			keys [][]byte
		}{{"ContainsAllHit", members}, {"ContainsAllMiss", absent}} {
			b.Run(ask.name+"/"+c.name, func(b *testing.B) {
				var dst []bool
				perBlock(b, ask.keys, func(keys [][]byte) { dst = containsAll(dst[:0], keys) })
			})
		}
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
			for _, c := range contestants(b, n) {
				clock := func(operation string, do func()) {
					start := time.Now()
					do()
					took[c.name+"-"+operation] = time.Since(start).Seconds()
				}
				add, contains := c.single()
				each := func(keys [][]byte) func() {
					return func() {
						for _, key := range keys {
							contains(key)
						}
					}
				}
				clock("add", func() {
					for _, key := range members {
						add(key)
					}
				})
				clock("hit", each(members))
				clock("miss", each(absent))
				if c.batch == nil {
					continue
				}
				addAll, containsAll := c.batch()
				clock("addall", func() {
					for block := range slices.Chunk(members, benchBlock) {
						addAll(block)
					}
				})
				dst := make([]bool, 0, benchBlock)
				ask := func(keys [][]byte) func() {
					return func() {
						for block := range slices.Chunk(keys, benchBlock) {
							dst = containsAll(dst[:0], block)
						}
					}
				}
				clock("containsall-hit", ask(members))
				clock("containsall-miss", ask(absent))
			}
			for _, name := range []string{"classic", "blocked"} {
				for batch, single := range map[string]string{"addall": "add", "containsall-hit": "hit", "containsall-miss": "miss"} {
					loop := name + "-" + single
					ratios[loop+"/bnb"] = append(ratios[loop+"/bnb"], took[loop]/took["bits-and-blooms-"+single])
					all := name + "-" + batch
					ratios[all+"/bnb"] = append(ratios[all+"/bnb"], took[all]/took["bits-and-blooms-"+single])
					ratios[all+"/loop"] = append(ratios[all+"/loop"], took[all]/took[loop])
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op") // says nothing here
	for name, values := range ratios {
		b.ReportMetric(median(values), name)
	}
}
