package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/assert"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

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

// timed adds the times of a contestant's operations to took. Batches have a
// structure of their own.
func timed(took map[timing]float64, name string, build func(n uint64) *subject, members, absent [][]byte) {
	for _, form := range []string{"key", "batch"} {
		x := build(uint64(len(members)))
		for i, o := range []operation{x.add, x.query, x.query, x.remove} {
			keys := members
			if operations[i] == "miss" {
				keys = absent
			}
			took[timing{name, operations[i], form == "batch"}] = o.run(form, sample{keys: keys})
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

func TestRatioTableHasOneOperationPerLine(t *testing.T) {
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

// A giantRun measures structures for n keys. Of these it times a sample, in
// each form and at every load: a structure is filled in stages, each of them
// with keys that are timed and with others.
type giantRun struct {
	n       int
	members map[string]sample // by the form in which they are added
	absent  sample
	took    map[string][]float64 // ns, by structure, operation and form
	size    map[string]uint64    // bytes, by structure
}

const (
	giantStages = 100
	giantSize   = 2_000_000 // keys of a sample
)

func newGiantRun(n int) *giantRun {
	r := &giantRun{n: n, members: map[string]sample{}, took: map[string][]float64{}, size: map[string]uint64{}}
	rng, size := rand.NewPCG(1, uint64(n)), min(giantSize, n/4)
	for _, form := range forms {
		r.members[form] = newSample(rng, size)
	}
	r.absent = newSample(rng, size)
	return r
}

func (r *giantRun) runAll() {
	for _, c := range contestants {
		if c.giant {
			r.run(c.name, c.make(uint64(r.n)))
		}
	}
}

// run fills a structure, queries it, and records the times.
func (r *giantRun) run(name string, x *subject) {
	took := map[string]float64{}
	rng := rand.NewPCG(2, uint64(r.n))
	others := make([]hashfam.Digest, (r.n-len(forms)*len(r.absent.keys))/giantStages)
	for stage := range giantStages {
		for i := range others {
			others[i] = hashfam.Digest(rng.Uint64())
		}
		x.fill(others)
		for i := range forms {
			form := forms[(stage+i)%len(forms)] // no form always comes last, when there is least room
			s := r.members[form].part(stage, giantStages)
			ns := 0.0
			if x.build == nil {
				ns = x.add.run(form, s)
			}
			if ns == 0 {
				x.fill(s.digests)
			}
			took["add "+form] += ns / giantStages
		}
	}
	if x.build != nil {
		x.build()
	}
	for _, form := range forms {
		took["hit "+form] = x.query.run(form, r.members["key"])
		took["miss "+form] = x.query.run(form, r.absent)
	}
	for operation, ns := range took {
		if ns > 0 {
			r.took[name+" "+operation] = append(r.took[name+" "+operation], ns)
		}
	}
	r.size[name] = x.size()
}

// table shows the medians, and of the keys one by one the range.
func (r *giantRun) table() string {
	var b strings.Builder
	fmt.Fprint(&b, "| structure | MiB | add | digest | batch | hit | digest | batch | miss | digest | batch |\n|---|---:"+strings.Repeat("|---:", 9)+"|\n")
	for _, c := range contestants {
		if r.size[c.name] == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %.1f |", c.name, float64(r.size[c.name])/(1<<20))
		for _, operation := range operations[:3] {
			for _, form := range forms {
				switch ns := r.took[c.name+" "+operation+" "+form]; {
				case ns == nil:
					b.WriteString(" - |")
				case form == "key":
					fmt.Fprintf(&b, " %.0f (%.0f-%.0f) |", measure.Median(ns), slices.Min(ns), slices.Max(ns))
				default:
					fmt.Fprintf(&b, " %.1f |", measure.Median(ns))
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// BenchmarkBeyondTheCache runs structures that the cache does not hold, in
// turn, round after round, and prints the times for docs/benchmarks.md. With
// -benchtime 1x, 10^7 keys take two minutes; 10^8 take five and 8 GB.
func BenchmarkBeyondTheCache(b *testing.B) {
	for _, c := range [][2]int{{10_000_000, 5}, {100_000_000, 3}} {
		n, rounds := c[0], c[1]
		b.Run(measure.Thousands(n), func(b *testing.B) {
			r := newGiantRun(n)
			for b.Loop() {
				for range rounds {
					r.runAll()
				}
			}
			b.ReportMetric(0, "ns/op") // means nothing here
			fmt.Printf("\n%s keys on %s\n\n%s\n", measure.Thousands(n), report.ThisMachine(nil), r.table())
		})
	}
}

// Every structure is timed in the forms that it has: each cell holds a number or
// a dash.
func TestTableBeyondTheCacheIsFull(t *testing.T) {
	r := newGiantRun(4000)
	r.runAll()
	lines := strings.Split(strings.TrimSpace(r.table()), "\n")
	assert.Len(t, lines, 2+10)
	for _, line := range lines[2:] {
		assert.Equal(t, 12, strings.Count(line, "|"), line)
		missing := map[string]int{"static": 3, "bits-and-blooms": 6, "seiflotfy-cuckoo": 6}[strings.Fields(line)[1]]
		assert.Equal(t, missing, strings.Count(line, " - "), line)
	}
}
