package hashfam_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// manyKeys is how many keys the benchmarks hash in one round.
const manyKeys = 1024

// A contest hashes keys in batches of n, and the same keys one by one in as
// many turns, into a slice with room for n. The calls are written out, because
// a call of a function value would cost more than what is measured.
type contest struct {
	name            string
	batch, oneByOne func(room []hashfam.Digest, n int)
}

func bytesContest(name string, keys [][]byte) contest {
	f := hashfam.New(ascending())
	return contest{"SumAll/" + name, func(room []hashfam.Digest, n int) {
		for group := range slices.Chunk(keys, n) {
			sinkAll = f.SumAll(room, group)
		}
	}, func(room []hashfam.Digest, n int) {
		for group := range slices.Chunk(keys, n) {
			dst := room
			for _, key := range group {
				dst = append(dst, f.Sum(key))
			}
			sinkAll = dst
		}
	}}
}

func stringsContest(name string, keys []string) contest {
	f := hashfam.New(ascending())
	return contest{"SumAllStrings/" + name, func(room []hashfam.Digest, n int) {
		for group := range slices.Chunk(keys, n) {
			sinkAll = f.SumAllStrings(room, group)
		}
	}, func(room []hashfam.Digest, n int) {
		for group := range slices.Chunk(keys, n) {
			dst := room
			for _, key := range group {
				dst = append(dst, f.SumString(key))
			}
			sinkAll = dst
		}
	}}
}

func uint64Contest() contest {
	f := hashfam.New(ascending())
	keys := numbers(manyKeys)
	return contest{"SumAllUint64", func(room []hashfam.Digest, n int) {
		for group := range slices.Chunk(keys, n) {
			sinkAll = f.SumAllUint64(room, group)
		}
	}, func(room []hashfam.Digest, n int) {
		for group := range slices.Chunk(keys, n) {
			dst := room
			for _, key := range group {
				dst = append(dst, f.SumUint64(key))
			}
			sinkAll = dst
		}
	}}
}

// contests are those of keys of one length, and of real ones.
func contests() []contest {
	list := []contest{uint64Contest()}
	add := func(name string, keys [][]byte) {
		list = append(list, bytesContest(name, keys), stringsContest(name, asStrings(keys)))
	}
	for _, length := range []int{8, 16, 24, 40, 100} {
		add(fmt.Sprint(length), slices.Collect(slices.Chunk(noise(manyKeys*length), length)))
	}
	words, domains := data.EnglishWords(), data.BenignDomains()
	var someWords, someDomains [][]byte
	for i := range manyKeys {
		someWords = append(someWords, []byte(words[i*7919%len(words)]))
		someDomains = append(someDomains, []byte(domains[i*7919%len(domains)]))
	}
	add("words", someWords)
	add("domains", someDomains)
	return list
}

// BenchmarkSum hashes the keys of each contest one by one.
func BenchmarkSum(b *testing.B) {
	for _, c := range contests() {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.oneByOne) })
	}
}

// BenchmarkSumAll hashes them in one batch.
func BenchmarkSumAll(b *testing.B) {
	for _, c := range contests() {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.batch) })
	}
}

func benchmark(b *testing.B, hash func([]hashfam.Digest, int)) {
	room := make([]hashfam.Digest, 0, manyKeys)
	for b.Loop() {
		hash(room, manyKeys)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/manyKeys, "ns/key")
}

// BenchmarkRatio divides the time of batches by that of single calls. The two
// take turns, and each metric is a median over the turns. Run it with
// -benchtime=300x.
func BenchmarkRatio(b *testing.B) {
	for _, way := range ways {
		for _, c := range contests() {
			for _, n := range []int{1, 2, 4, 8, manyKeys} {
				b.Run(fmt.Sprintf("%s/%s/n=%d", way.name, c.name, n), func(b *testing.B) {
					way.set(b)
					ratio(b, c, n)
				})
			}
		}
	}
}

func ratio(b *testing.B, c contest, n int) {
	room := make([]hashfam.Digest, 0, n)
	var batch, oneByOne, ratios []float64
	for b.Loop() {
		start := time.Now()
		c.oneByOne(room, n)
		middle := time.Now()
		c.batch(room, n)
		end := time.Now()
		oneByOne = append(oneByOne, float64(middle.Sub(start))/manyKeys)
		batch = append(batch, float64(end.Sub(middle))/manyKeys)
		ratios = append(ratios, float64(end.Sub(middle))/float64(middle.Sub(start)))
	}
	median := func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(oneByOne), "ns/single")
	b.ReportMetric(median(batch), "ns/batched")
	b.ReportMetric(median(ratios), "ratio")
}
