package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const benchRounds = 7

// operations are timed one by one and in batches.
var operations = []string{"add", "hit", "miss", "delete"}

// A timing names the time of an operation of a filter.
type timing struct {
	name, operation string
	batch           bool
}

// BenchmarkRatios runs every contestant in turn, round after round, so that
// whatever else the machine does falls on all alike, and prints the ratios of
// the times within a round. With -benchtime 1x it takes one to two minutes.
func BenchmarkRatios(b *testing.B) {
	members, absent := benchKeys(b)
	var rounds []map[timing]float64
	for b.Loop() {
		for range benchRounds {
			took := make(map[timing]float64)
			for _, c := range chosenContestants() {
				c.round(members, absent, took)
			}
			rounds = append(rounds, took)
		}
	}
	b.ReportMetric(0, "ns/op") // means nothing here
	// Not b.Log, which cuts a benchmark's output after ten lines.
	fmt.Printf("\n%s keys on %s\n\n%s\n%s", thousands(len(members)), thisMachine(nil),
		benchTable(chosenContestants(), rounds).text(mostColumns), wrap(benchLegend, mostColumns))
}

const benchLegend = "How to read it: single is the time of a key over that of the library it is against; batch is that of a key in " +
	"a batch call over the same; gain is batch over single. Each is the median of the ratios within a round and, after it, " +
	"the lowest and the highest. Below 1 ours is faster."

// benchTable shows the ratios, one operation a line.
func benchTable(list []contestant, rounds []map[timing]float64) table {
	t := table{columns: []column{
		{name: "filter", left: true}, {name: "operation", left: true}, {name: "against", left: true},
		{name: "single"}, {name: "", left: true}, {name: "batch"}, {name: "", left: true}, {name: "gain"}, {name: "", left: true},
	}}
	for _, c := range list {
		for _, operation := range operations {
			ours, all, theirs := timing{c.name, operation, false}, timing{c.name, operation, true}, timing{c.peer, operation, false}
			cells := []string{c.name, operation, c.peer}
			for _, pair := range [][2]timing{{ours, theirs}, {all, theirs}, {all, ours}} {
				cells = append(cells, spreadOf(rounds, pair[0], pair[1])...)
			}
			if strings.Join(cells[3:], "") != "---" {
				t.lines = append(t.lines, line{group: c.name, cells: cells})
			}
		}
	}
	return t
}

// spreadOf returns the median and the range of a ratio over the rounds, or
// dashes if there is none.
func spreadOf(rounds []map[timing]float64, ours, theirs timing) []string {
	var list []float64
	for _, took := range rounds {
		if took[ours] > 0 && took[theirs] > 0 {
			list = append(list, took[ours]/took[theirs])
		}
	}
	if len(list) == 0 {
		return []string{"-", ""}
	}
	return []string{fmt.Sprintf("%.2f", median(list)), fmt.Sprintf("%.2f-%.2f", slices.Min(list), slices.Max(list))}
}

// round does everything that c can do once, each operation on all keys, and
// notes the seconds it took.
func (c contestant) round(members, absent [][]byte, took map[timing]float64) {
	f := c.single(len(members))
	each := func(operation string, keys [][]byte, do func([]byte)) {
		start := time.Now()
		for _, key := range keys {
			do(key)
		}
		took[timing{c.name, operation, false}] = time.Since(start).Seconds()
	}
	query := func(key []byte) { f.contains(key) }
	each("add", members, f.add)
	each("hit", members, query)
	each("miss", absent, query)
	if f.delete != nil {
		each("delete", members, func(key []byte) { f.delete(key) })
	}
	if c.batch != nil {
		c.batchRound(members, absent, took)
	}
}

func (c contestant) batchRound(members, absent [][]byte, took map[timing]float64) {
	f, dst := c.batch(len(members)), make([]bool, 0, benchBlock)
	blocks := func(operation string, keys [][]byte, do func([][]byte)) {
		start := time.Now()
		for block := range slices.Chunk(keys, benchBlock) {
			do(block)
		}
		took[timing{c.name, operation, true}] = time.Since(start).Seconds()
	}
	query := func(keys [][]byte) { dst = f.containsAll(dst[:0], keys) }
	blocks("add", members, f.addAll)
	blocks("hit", members, query)
	blocks("miss", absent, query)
	if f.deleteAll != nil {
		blocks("delete", members, func(keys [][]byte) { f.deleteAll(keys) })
	}
}

func TestTheTableOfRatiosHasOneOperationALine(t *testing.T) {
	rounds := []map[timing]float64{
		{{"a", "add", false}: 1, {"p", "add", false}: 2, {"a", "add", true}: 0.5, {"p", "hit", false}: 1},
		{{"a", "add", false}: 3, {"p", "add", false}: 2, {"a", "add", true}: 1},
	}
	text := benchTable([]contestant{{name: "a", peer: "p"}, {name: "p"}}, rounds).text(mostColumns)
	assert.Equal(t, "filter operation against single           batch           gain\n"+
		"a      add       p         1.00 0.50-1.50  0.38 0.25-0.50 0.42 0.33-0.50\n", text)
}
