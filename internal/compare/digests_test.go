package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/FastFilter/xorfilter"
	"github.com/dgraph-io/ristretto/v2/z"
	holimanbloom "github.com/holiman/bloomfilter/v2"
	"github.com/stretchr/testify/assert"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// The rates of xor8 and fuse8, and of fuse16.
const (
	byteRate = 1.0 / (1 << 8)
	wordRate = 1.0 / (1 << 16)
)

// hashless lists the structures that accept digests, so that their times do not
// include a hash function.
var hashless = []struct {
	name string
	rate float64
	make func(n uint64) *subject
}{
	{"bloom", benchRate, named("bloom")},
	{"bloom-blocked", benchRate, named("bloom-blocked")},
	{"holiman", benchRate, func(n uint64) *subject {
		f := must(measure.Named("holiman").Build(n, benchRate, hashfam.Family{}))
		b := f.Inner.(*holimanbloom.Filter)
		return digestSubject(f, func(d hashfam.Digest) { b.AddHash(uint64(d)) }, func(d hashfam.Digest) bool { return b.ContainsHash(uint64(d)) })
	}},
	{"ristretto", benchRate, func(n uint64) *subject {
		f := must(measure.Named("ristretto").Build(n, benchRate, hashfam.Family{}))
		b := f.Inner.(*z.Bloom)
		return digestSubject(f, func(d hashfam.Digest) { b.Add(uint64(d)) }, func(d hashfam.Digest) bool { return b.Has(uint64(d)) })
	}},
	{"counting", benchRate, named("counting")},
	{"cuckoo", benchRate, named("cuckoo")},
	{"cuckoo-compact", benchRate, named("cuckoo-compact")},
	{"static", benchRate, staticAt(benchRate)},
	{"static", byteRate, staticAt(byteRate)},
	{"xor8", byteRate, builtFrom(func(digests []uint64) (func(uint64) bool, int) {
		f := must(xorfilter.Populate(digests))
		return f.Contains, len(f.Fingerprints)
	})},
	{"fuse8", byteRate, fuse[uint8]()},
	{"static", wordRate, staticAt(wordRate)},
	{"fuse16", wordRate, fuse[uint16]()},
}

func digestSubject(f *measure.Filter, add func(hashfam.Digest), contains func(hashfam.Digest) bool) *subject {
	return &subject{size: f.SizeBytes, add: operation{digest: add}, query: operation{digest: func(d hashfam.Digest) { contains(d) }}}
}

func staticAt(rate float64) func(uint64) *subject {
	return builtFrom(func(digests []hashfam.Digest) (func(hashfam.Digest) bool, int) {
		f := must(static.New(context.Background(), static.Config{FPRate: rate}, digests))
		return f.ContainsDigest, int(f.SizeBytes())
	})
}

func fuse[T xorfilter.Unsigned]() func(uint64) *subject {
	return builtFrom(func(digests []uint64) (func(uint64) bool, int) {
		f := must(xorfilter.NewBinaryFuse[T](digests))
		return f.Contains, len(f.Fingerprints) * binary.Size(T(0))
	})
}

// builtFrom adapts a structure that is built from all digests at once. The
// function build returns its Contains method and its size.
func builtFrom[D ~uint64](build func(digests []D) (contains func(D) bool, bytes int)) func(n uint64) *subject {
	return func(n uint64) *subject {
		x := new(subject)
		digests := make([]D, 0, n)
		x.add.digest = func(d hashfam.Digest) { digests = append(digests, D(d)) }
		x.build = func() {
			contains, bytes := build(digests)
			x.size = func() uint64 { return uint64(bytes) }
			x.query.digest = func(d hashfam.Digest) { contains(D(d)) }
		}
		return x
	}
}

// digestParts is the number of parts of the digests that are timed separately.
const digestParts = 50

// leastTimes contains the least time per digest for each operation and part, to
// which other programs on the machine add nothing.
type leastTimes [3][digestParts]float64

func (l *leastTimes) note(operation, part int, ns float64) {
	if least := &l[operation][part]; *least == 0 || ns < *least {
		*least = ns
	}
}

// measure fills x, finds the members, and looks up absent digests.
func (l *leastTimes) measure(x *subject, members, absent sample) {
	if x.build == nil {
		for i := range digestParts {
			l.note(0, i, x.add.run("digest", members.part(i, digestParts)))
		}
	} else {
		start := time.Now()
		x.add.run("digest", members)
		x.build()
		ns := float64(time.Since(start).Nanoseconds()) / float64(len(members.keys))
		for i := range digestParts {
			l.note(0, i, ns) // a build has no parts
		}
	}
	for i := range digestParts {
		l.note(1, i, x.query.run("digest", members.part(i, digestParts)))
		l.note(2, i, x.query.run("digest", absent.part(i, digestParts)))
	}
}

// digestTable measures all structures in turn.
func digestTable(n, rounds int) string {
	rng := rand.NewPCG(3, uint64(n))
	members, absent := newSample(rng, n), newSample(rng, n)
	times := make([]leastTimes, len(hashless))
	size := make([]uint64, len(hashless))
	for range rounds {
		for i, c := range hashless {
			x := c.make(uint64(n))
			times[i].measure(x, members, absent)
			size[i] = x.size()
		}
	}
	var b strings.Builder
	fmt.Fprint(&b, "| structure | rate | bits/key | add ns | hit ns | miss ns |\n|---|---:|---:|---:|---:|---:|\n")
	for i, c := range hashless {
		fmt.Fprintf(&b, "| %s | %s%% | %.2f |", c.name, strconv.FormatFloat(100*c.rate, 'g', 2, 64), 8*float64(size[i])/float64(n))
		for _, parts := range times[i] {
			fmt.Fprintf(&b, " %.1f |", mean(parts[:]))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

// BenchmarkDigests prints the table of times without a hash function for
// docs/benchmarks.md. With -benchtime 1x, it needs up to a minute.
func BenchmarkDigests(b *testing.B) {
	const n = 1_000_000
	table := ""
	for b.Loop() {
		table = digestTable(n, 2*benchRounds)
	}
	b.ReportMetric(0, "ns/op") // has no meaning here
	fmt.Printf("\n%s digests on %s\n\n%s\n", measure.Thousands(n), report.ThisMachine(nil), table)
}

// Every cell must contain a number.
func TestDigestTableIsFull(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(digestTable(2000, 1)), "\n")
	assert.Len(t, lines, 2+len(hashless))
	for _, line := range lines[2:] {
		cells := strings.Split(line, "|")
		assert.Len(t, cells, 8, line)
		for _, cell := range cells[3:7] {
			x, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			assert.NoError(t, err, line)
			assert.True(t, x > 0 && !math.IsInf(x, 0), line)
		}
	}
}
