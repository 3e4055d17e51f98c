package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

var operations = []string{"add", "hit", "miss", "delete"}

// A benchRun measures structures for n keys. It adds the keys in stages and
// times a sample of each stage in every form, so that the times of adding cover
// all loads.
type benchRun struct {
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

func newBenchRun(n int) *benchRun {
	r := &benchRun{n: n, members: map[string]sample{}, took: map[string][]float64{}, size: map[string]uint64{}}
	rng, size := rand.NewPCG(1, uint64(n)), min(giantSize, n/4)
	for _, form := range forms {
		r.members[form] = newSample(rng, size)
	}
	r.absent = newSample(rng, size)
	return r
}

// runAll runs the contestants in turn, because other programs on the machine
// should affect each of the contestants.
func (r *benchRun) runAll(rounds int, giants bool) {
	for range rounds {
		for _, c := range contestants {
			if c.giant || !giants {
				r.run(c.name, c.make(uint64(r.n)))
			}
		}
	}
}

// run fills a structure, queries it, and records the times.
func (r *benchRun) run(name string, x *subject) {
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
	for _, form := range forms {
		took["delete "+form] = x.remove.run(form, r.members[form])
	}
	for operation, ns := range took {
		if ns > 0 {
			r.took[name+" "+operation] = append(r.took[name+" "+operation], ns)
		}
	}
	if x.size != nil {
		r.size[name] = x.size()
	}
}

// table returns the medians and, for single keys, the range.
func (r *benchRun) table() string {
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

// BenchmarkBeyondTheCache uses structures that are larger than the cache, and
// prints the times for docs/benchmarks.md. With -benchtime 1x, 10^7 keys need
// two minutes, and 10^8 keys need five minutes and 8 GB.
func BenchmarkBeyondTheCache(b *testing.B) {
	for _, c := range [][2]int{{10_000_000, 5}, {100_000_000, 3}} {
		n, rounds := c[0], c[1]
		b.Run(measure.Thousands(n), func(b *testing.B) {
			r := newBenchRun(n)
			for b.Loop() {
				r.runAll(rounds, true)
			}
			r.print(b, r.table())
		})
	}
}

// BenchmarkRatios runs all contestants with FILTERFAM_N keys, or a million. It
// prints the times, and their ratios within a round. With -benchtime 1x, it
// needs one to two minutes.
func BenchmarkRatios(b *testing.B) {
	o := options{}
	if err := o.setSynthetic(cmp.Or(os.Getenv("FILTERFAM_N"), "1e6")); err != nil {
		b.Fatal("FILTERFAM_N:", err)
	}
	r := newBenchRun(o.Synthetic)
	for b.Loop() {
		r.runAll(benchRounds, false)
	}
	r.print(b, r.ratios()+"\n"+benchLegend)
}

// print prints a table. It does not use b.Log, which would print only ten
// lines.
func (r *benchRun) print(b *testing.B, table string) {
	b.ReportMetric(0, "ns/op") // has no meaning here
	fmt.Printf("\n%s keys on %s\n\n%s\n", measure.Thousands(r.n), report.ThisMachine(nil), table)
}

const benchLegend = `How to read it: ns is the time per key; single is this time over that of the
library it is against; batch is the time per key in a batch call, with its
hashing, over the same; gain is batch over single. Each is the median of the
rounds; the ratios are followed by the lowest and the highest. Below 1 ours is
faster.`

// ratios returns the times and ratios, one operation per line.
func (r *benchRun) ratios() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "filter\toperation\tns\tagainst\tsingle\t\tbatch\t\tgain\t")
	for _, c := range contestants {
		for _, operation := range operations {
			ours, all := r.took[c.name+" "+operation+" key"], r.took[c.name+" "+operation+" batch"]
			theirs := r.took[c.peer+" "+operation+" key"]
			if len(ours) > 0 {
				fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%s\t%s\t%s\n", c.name, operation, measure.Median(ours), c.peer,
					ratioOf(ours, theirs), ratioOf(all, theirs), ratioOf(all, ours))
			}
		}
	}
	w.Flush()
	return b.String()
}

// ratioOf returns a ratio's median and range over the rounds.
func ratioOf(ours, theirs []float64) string {
	if len(ours) == 0 || len(theirs) == 0 {
		return "-\t"
	}
	var list []float64
	for i := range ours {
		list = append(list, ours[i]/theirs[i])
	}
	return fmt.Sprintf("%.2f\t%.2f-%.2f", measure.Median(list), slices.Min(list), slices.Max(list))
}

// Each cell should contain a number, or a dash if a structure lacks a form.
func TestTableBeyondTheCacheIsFull(t *testing.T) {
	r := newBenchRun(4000)
	r.runAll(1, true)
	lines := strings.Split(strings.TrimSpace(r.table()), "\n")
	assert.Len(t, lines, 2+10)
	for _, line := range lines[2:] {
		assert.Equal(t, 12, strings.Count(line, "|"), line)
		missing := map[string]int{"static": 3, "bits-and-blooms": 6, "seiflotfy-cuckoo": 6}[strings.Fields(line)[1]]
		assert.Equal(t, missing, strings.Count(line, " - "), line)
	}
}

func TestRatioTableHasOneOperationPerLine(t *testing.T) {
	r := &benchRun{took: map[string][]float64{
		"bloom add key": {1, 3}, "bits-and-blooms add key": {2, 2}, "bloom add batch": {0.5, 1}, "bits-and-blooms hit key": {1},
	}}
	var lines []string
	for line := range strings.Lines(r.ratios()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"filter operation ns against single batch gain",
		"bloom add 2.00 bits-and-blooms 1.00 0.50-1.50 0.38 0.25-0.50 0.42 0.33-0.50",
		"bits-and-blooms add 2.00 - - -",
		"bits-and-blooms hit 1.00 - - -",
	}, lines)
}

const (
	benchRate, benchDelta = 0.01, 0.01
	benchRounds           = 7
	benchBlock            = 1024 // keys that a batch call gets
)

// contestants lists the benchmarked structures in their order. BenchmarkRatios
// compares them with their peer, and BenchmarkBeyondTheCache uses the giants.
var contestants = []struct {
	name, peer string
	giant      bool
	make       func(n uint64) *subject
}{
	{"bloom", "bits-and-blooms", true, named("bloom")},
	{"bloom-blocked", "bits-and-blooms", true, named("bloom-blocked")},
	{"counting", "boom-counting", true, named("counting")},
	{"counting-blocked", "boom-counting", true, func(n uint64) *subject {
		return newSubject(must(counting.New(counting.Config{Capacity: n, FPRate: benchRate, Layout: bloom.Blocked})))
	}},
	{"cuckoo", "seiflotfy-cuckoo", true, named("cuckoo")},
	{"cuckoo-compact", "seiflotfy-cuckoo", true, named("cuckoo-compact")},
	{"count-min", "boom-count-min", true, sketch(countmin.Config{})},
	{"count-min-conservative", "boom-count-min", false, sketch(countmin.Config{Conservative: true})},
	{"count-min-16", "count-min", false, sketch(countmin.Config{CounterBits: 16})},
	{"count-min-8", "count-min", false, sketch(countmin.Config{CounterBits: 8})},
	{"blocked-xxhash", "bits-and-blooms", false, func(n uint64) *subject { // digests by conversion, without a secret
		f := must(bloom.New(bloom.Config{Capacity: n, FPRate: benchRate, Layout: bloom.Blocked}))
		return &subject{add: operation{key: func(key []byte) { f.AddDigest(hashfam.Digest(xxhash.Sum64(key))) }},
			query: operation{key: func(key []byte) { f.ContainsDigest(hashfam.Digest(xxhash.Sum64(key))) }}}
	}},
	{"static", "", true, func(uint64) *subject { return newStatic() }},
	{"bits-and-blooms", "", true, named("bits-and-blooms")},
	{"seiflotfy-cuckoo", "", true, named("seiflotfy-cuckoo")}, // its rate is 3%
	{"boom-count-min", "", false, func(n uint64) *subject {
		s := boom.NewCountMinSketch(benchEpsilon(n), benchDelta)
		return &subject{add: operation{key: func(key []byte) { s.Add(key) }}, query: operation{key: func(key []byte) { s.Count(key) }}}
	}},
	{"boom-counting", "", false, named("boom-counting")},
}

// named returns a function that builds a filter of the comparison. Peers only
// support single keys.
func named(name string) func(n uint64) *subject {
	return func(n uint64) *subject {
		f := must(measure.Named(name).Build(n, benchRate, hashfam.Family{}))
		if !measure.Named(name).Peer {
			return newSubject(f.Inner.(measure.Set))
		}
		x := &subject{size: f.SizeBytes, add: operation{key: func(key []byte) { _ = f.Add(key) }},
			query: operation{key: func(key []byte) { f.Contains(key) }}}
		if f.Delete != nil {
			x.remove = operation{key: func(key []byte) { f.Delete(key) }}
		}
		return x
	}
}

func sketch(c countmin.Config) func(n uint64) *subject {
	return func(n uint64) *subject {
		c.Epsilon, c.Delta = benchEpsilon(n), benchDelta
		s := must(countmin.New(c))
		dst := make([]uint64, 0, benchBlock)
		return &subject{
			size: s.SizeBytes, add: operation{s.Add, s.AddDigest, s.AddAll},
			query: operation{func(key []byte) { s.Count(key) }, func(d hashfam.Digest) { s.CountDigest(d) },
				func(digests []hashfam.Digest) { dst = s.CountAll(dst[:0], digests) }},
		}
	}
}

// benchEpsilon makes a sketch about as large as a counting filter.
func benchEpsilon(n uint64) float64 { return 10 / float64(n) }

func must[T any](built T, err error) T {
	if err != nil {
		panic(err)
	}
	return built
}

// The forms in which keys are passed: single keys, single digests, and batches
// of keys.
var forms = []string{"key", "digest", "batch"}

// An operation can be called in each of the forms. digest and batch may be nil.
type operation struct {
	key    func([]byte)
	digest func(hashfam.Digest)
	batch  func([]hashfam.Digest)
}

// A subject is a structure that is benchmarked.
type subject struct {
	size               func() uint64
	add, query, remove operation
	build              func() // called when all keys are added, if it is set; then adding is not timed
}

// A sample contains keys and, for the digest form, their digests.
type sample struct {
	keys    [][]byte
	digests []hashfam.Digest
}

// newSample returns n random keys of 16 bytes, stored consecutively.
func newSample(rng *rand.PCG, n int) sample {
	all, s := make([]byte, 0, 16*n), sample{keys: make([][]byte, n)}
	for i := range s.keys {
		all = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(all, rng.Uint64()), rng.Uint64())
		s.keys[i] = all[16*i:]
	}
	s.digests = hashfam.Family{}.SumAll(nil, s.keys)
	return s
}

// part returns part i when s is split into equal parts.
func (s sample) part(i, parts int) sample {
	n := len(s.keys) / parts
	return sample{s.keys[i*n : (i+1)*n], s.digests[i*n : (i+1)*n]}
}

// run calls o for all keys in s and returns the time per key, or 0 if o does
// not support the form.
func (o operation) run(form string, s sample) float64 {
	block := make([]hashfam.Digest, 0, benchBlock)
	start := time.Now()
	switch {
	case form == "key" && o.key != nil:
		for _, key := range s.keys {
			o.key(key)
		}
	case form == "digest" && o.digest != nil:
		for _, d := range s.digests {
			o.digest(d)
		}
	case form == "batch" && o.batch != nil:
		for keys := range slices.Chunk(s.keys, benchBlock) {
			o.batch(hashfam.Family{}.SumAll(block[:0], keys))
		}
	default:
		return 0
	}
	return float64(time.Since(start).Nanoseconds()) / float64(len(s.keys))
}

// fill adds keys without timing.
func (x *subject) fill(digests []hashfam.Digest) {
	if x.add.batch != nil {
		x.add.batch(digests)
		return
	}
	var key [16]byte
	for _, d := range digests {
		binary.LittleEndian.PutUint64(key[:], uint64(d))
		x.add.key(key[:])
	}
}

// newSubject adapts one of our filters, which must use the public family.
func newSubject(s measure.Set) *subject {
	x := &subject{size: s.SizeBytes}
	switch s := s.(type) {
	case interface {
		Add([]byte)
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}:
		x.add = operation{s.Add, s.AddDigest, s.AddAll}
	case interface {
		Add([]byte) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}:
		x.add = operation{func(key []byte) { _ = s.Add(key) }, func(d hashfam.Digest) { _ = s.AddDigest(d) },
			func(digests []hashfam.Digest) { _, _ = s.AddAll(digests) }}
	}
	if s, ok := s.(interface {
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	}); ok {
		dst := make([]bool, 0, benchBlock)
		x.query = operation{func(key []byte) { s.(measure.Set).Contains(key) }, func(d hashfam.Digest) { s.ContainsDigest(d) },
			func(digests []hashfam.Digest) { dst = s.ContainsAll(dst[:0], digests) }}
	}
	if s, ok := s.(interface {
		Delete([]byte) bool
		DeleteDigest(hashfam.Digest) bool
		DeleteAll([]hashfam.Digest) int
	}); ok {
		x.remove = operation{func(key []byte) { s.Delete(key) }, func(d hashfam.Digest) { s.DeleteDigest(d) },
			func(digests []hashfam.Digest) { s.DeleteAll(digests) }}
	}
	return x
}

// newStatic returns a static filter, which is built when it has all keys.
func newStatic() *subject {
	x, members := new(subject), []hashfam.Digest(nil)
	x.add.batch = func(digests []hashfam.Digest) { members = append(members, digests...) }
	x.build = func() {
		f := must(static.New(context.Background(), static.Config{FPRate: benchRate}, members))
		built := newSubject(f)
		members, x.size, x.query = nil, built.size, built.query
	}
	return x
}
