package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// giants make the structures that BenchmarkBeyondTheCache runs, for n keys.
// Their rate is 1 % if one can be chosen.
var giants = []struct {
	name string
	make func(n uint64) *subject
}{
	{"bloom", func(n uint64) *subject {
		return newSubject(must(bloom.New(bloom.Config{Capacity: n, FPRate: benchRate})))
	}},
	{"bloom, blocked", func(n uint64) *subject {
		return newSubject(must(bloom.New(bloom.Config{Capacity: n, FPRate: benchRate, Layout: bloom.Blocked})))
	}},
	{"counting", func(n uint64) *subject {
		return newSubject(must(counting.New(counting.Config{Capacity: n, FPRate: benchRate})))
	}},
	{"counting, blocked", func(n uint64) *subject {
		return newSubject(must(counting.New(counting.Config{Capacity: n, FPRate: benchRate, Layout: counting.Blocked})))
	}},
	{"cuckoo", func(n uint64) *subject {
		return newSubject(must(cuckoo.New(cuckoo.Config{Capacity: n, FPRate: benchRate})))
	}},
	{"cuckoo, compact", func(n uint64) *subject {
		return newSubject(must(cuckoo.New(cuckoo.Config{Capacity: n, FPRate: benchRate, Compact: true})))
	}},
	{"count-min", func(n uint64) *subject { // as much memory as counting, about
		return newSubject(must(countmin.New(countmin.Config{Epsilon: 10 / float64(n), Delta: benchDelta})))
	}},
	{"static", func(uint64) *subject { return newSubject(&lateStatic{}) }},
	{"bits-and-blooms", func(n uint64) *subject {
		return newSubject(must(measure.Named("bits-and-blooms").Build(n, benchRate, hashfam.Family{})))
	}},
	{"seiflotfy, 3 %", func(n uint64) *subject {
		return newSubject(must(measure.Named("seiflotfy-cuckoo").Build(n, 0, hashfam.Family{})))
	}},
}

var giantOperations = []string{"add", "hit", "miss"}

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

// run fills a structure, queries it, and keeps the times.
func (r *giantRun) run(name string, g *subject) {
	took := map[string]float64{}
	timed := func(operation string, do func(sample), s sample) {
		if do == nil {
			return
		}
		start := time.Now()
		do(s)
		took[operation] += float64(time.Since(start).Nanoseconds()) / float64(len(r.absent.keys))
	}
	rng := rand.NewPCG(2, uint64(r.n))
	others := make([]hashfam.Digest, (r.n-len(forms)*len(r.absent.keys))/giantStages)
	for stage := range giantStages {
		for i := range others {
			others[i] = hashfam.Digest(rng.Uint64())
		}
		g.fill(others)
		for i := range forms {
			form := forms[(stage+i)%len(forms)] // none always comes last, when there is least room
			s := r.members[form].part(stage, giantStages)
			if g.add[form] == nil {
				g.fill(s.digests)
			}
			timed("add "+form, g.add[form], s)
		}
	}
	if g.done != nil {
		g.done()
	}
	for _, form := range forms {
		timed("hit "+form, g.query[form], r.members["key"])
		timed("miss "+form, g.query[form], r.absent)
	}
	for operation, ns := range took {
		r.took[name+" "+operation] = append(r.took[name+" "+operation], ns)
	}
	r.size[name] = g.size()
}

// table shows the medians, and of the keys one by one the range.
func (r *giantRun) table() string {
	var b strings.Builder
	fmt.Fprint(&b, "| structure | MiB | add | digest | batch | hit | digest | batch | miss | digest | batch |\n|---|---:"+strings.Repeat("|---:", 9)+"|\n")
	for _, c := range giants {
		fmt.Fprintf(&b, "| %s | %.1f |", c.name, float64(r.size[c.name])/(1<<20))
		for _, operation := range giantOperations {
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
					for _, c := range giants {
						r.run(c.name, c.make(uint64(n)))
					}
				}
			}
			b.ReportMetric(0, "ns/op") // means nothing here
			fmt.Printf("\n%s keys on %s\n\n%s\n", measure.Thousands(n), report.ThisMachine(nil), r.table())
		})
	}
}

// Every structure is timed in the forms that it has. The table is for a reader,
// who finds a number or a dash in each cell.
func TestTheTableBeyondTheCache(t *testing.T) {
	r := newGiantRun(4000)
	for _, c := range giants {
		r.run(c.name, c.make(4000))
	}
	lines := strings.Split(strings.TrimSpace(r.table()), "\n")
	assert.Len(t, lines, 2+len(giants))
	for i, line := range lines[2:] {
		assert.Equal(t, 12, strings.Count(line, "|"), line)
		missing := map[string]int{"static": 3, "bits-and-blooms": 6, "seiflotfy, 3 %": 6}[giants[i].name]
		assert.Equal(t, missing, strings.Count(line, " - "), line)
		assert.Positive(t, r.size[giants[i].name], line)
	}
}
