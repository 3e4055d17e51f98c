package pebblefilter

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/filterfam/filterfam/bloom"
)

// A row is what one policy takes, at tables of tableKeys keys. Times are in
// nanoseconds, the least of all rounds.
type row struct {
	name        string
	p           pebble.FilterPolicy
	bits, rate  float64
	ask         [2]float64 // filters of askedKeys keys
	allocations float64
	write       float64

	filters [2][]byte
}

const tableKeys = 34_000

var askedKeys = [2]int{14_000, 1_000_000}

// BenchmarkTable prints Pebble's own policy beside ours, measured in turns:
//
//	go test -run '^$' -bench Table
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		rows := []*row{
			{name: "Pebble's own, 10 bits", p: pebbles},
			{name: "Blocked 1 %", p: mustBloom(bloom.Blocked, 0.01)},
			{name: "Static 1 %", p: mustStatic(0.01)},
			{name: "Static 0.1 %", p: mustStatic(0.001)},
		}
		for _, r := range rows {
			r.prepare()
		}
		questions := randomKeys(9, tableKeys)
		for range 60 {
			for _, r := range rows {
				r.round(questions)
			}
		}
		printTable(rows)
	}
}

// prepare measures what does not depend on time.
func (r *row) prepare() {
	filter, questions := randomFilter(r.p, tableKeys), randomKeys(2, 400_000)
	r.bits = 8 * float64(len(filter)) / tableKeys
	for _, k := range questions {
		if ask(r.p, filter, k) {
			r.rate += 1 / float64(len(questions))
		}
	}
	r.allocations = testing.AllocsPerRun(1000, func() { ask(r.p, filter, questions[0]) })
	r.ask, r.write = [2]float64{math.Inf(1), math.Inf(1)}, math.Inf(1)
	for i, n := range askedKeys {
		r.filters[i] = randomFilter(r.p, n)
	}
}

// randomKeys returns n keys of 16 bytes. On keys that are numbered in text,
// Pebble's own filter has three times its rate.
func randomKeys(seed uint64, n int) [][]byte {
	rng, keys, all := rand.New(rand.NewPCG(seed, 0)), make([][]byte, n), make([]byte, 0, 16*n)
	for i := range keys {
		all = binary.LittleEndian.AppendUint64(all, rng.Uint64())
		all = binary.LittleEndian.AppendUint64(all, rng.Uint64())
		keys[i] = all[16*i : 16*i+16 : 16*i+16]
	}
	return keys
}

func randomFilter(p pebble.FilterPolicy, n int) []byte {
	w := p.NewWriter(pebble.TableFilter)
	for _, k := range randomKeys(1, n) {
		w.AddKey(k)
	}
	return w.Finish(nil)
}

func (r *row) round(questions [][]byte) {
	for i, filter := range r.filters {
		start := time.Now()
		for _, k := range questions {
			ask(r.p, filter, k)
		}
		r.ask[i] = min(r.ask[i], float64(time.Since(start))/float64(len(questions)))
	}
	start := time.Now()
	w := r.p.NewWriter(pebble.TableFilter)
	for _, k := range questions {
		w.AddKey(k)
	}
	w.Finish(nil)
	r.write = min(r.write, float64(time.Since(start))/float64(len(questions)))
}

func printTable(rows []*row) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\npolicy\tbits per key\tfalse positives\tns, %d keys\tns, %d keys\tallocations\tns per key written\t\n", askedKeys[0], askedKeys[1])
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.3f\t%.3f %%\t%.1f\t%.1f\t%.0f\t%.1f\t\n", r.name, r.bits, 100*r.rate, r.ask[0], r.ask[1], r.allocations, r.write)
	}
	w.Flush()
}
