package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

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

// Every structure is timed in the forms that it has. The table is for a reader,
// who finds a number or a dash in each cell.
func TestTheTableBeyondTheCache(t *testing.T) {
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
