package hashfam

import (
	"fmt"
	"slices"
	"testing"

	"github.com/filterfam/filterfam/internal/data"
)

// manyKeys is the number of keys that the benchmarks hash in each round.
const manyKeys = 1024

// keySets returns sets of keys with the same length, and of real keys.
func keySets() map[string][][]byte {
	sets := map[string][][]byte{}
	for _, length := range []int{8, 16, 24, 40, 100} {
		sets[fmt.Sprint(length)] = slices.Collect(slices.Chunk(noise(manyKeys*length), length))
	}
	words, domains := data.EnglishWords(), data.BenignDomains()
	for i := range manyKeys {
		sets["words"] = append(sets["words"], []byte(words[i*7919%len(words)]))
		sets["domains"] = append(sets["domains"], []byte(domains[i*7919%len(domains)]))
	}
	return sets
}

// benchmark reports the time per key when hash hashes manyKeys keys.
func benchmark(b *testing.B, name string, hash func(room []Digest)) {
	b.Run(name, func(b *testing.B) {
		room := make([]Digest, 0, manyKeys)
		for b.Loop() {
			hash(room)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/manyKeys, "ns/key")
	})
}

// BenchmarkSumAll hashes a batch of keys with each set of instructions that the
// machine supports, and individually.
func BenchmarkSumAll(b *testing.B) {
	f, integers := New(ascending()), numbers(manyKeys)
	for _, w := range ways {
		b.Run(w.name, func(b *testing.B) {
			w.set(b)
			benchmark(b, "uint64", func(room []Digest) { sinkAll = f.SumAllUint64(room, integers) })
			for name, keys := range keySets() {
				texts := asStrings(keys)
				benchmark(b, "bytes/"+name, func(room []Digest) { sinkAll = f.SumAll(room, keys) })
				benchmark(b, "strings/"+name, func(room []Digest) { sinkAll = f.SumAllStrings(room, texts) })
			}
		})
	}
}
