package pebblefilter

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/filterfam/filterfam/bloom"
)

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

func filterOfKeys(p pebble.FilterPolicy, keys [][]byte) []byte {
	w := p.NewWriter(pebble.TableFilter)
	for _, k := range keys {
		w.AddKey(k)
	}
	return w.Finish(nil)
}

// BenchmarkPolicies measures Pebble's own policy beside ours: a filter of
// 34,000 keys is written, and filters of 14,000 and of 1,000,000 keys are
// asked.
func BenchmarkPolicies(b *testing.B) {
	questions := randomKeys(2, 400_000)
	for name, p := range map[string]pebble.FilterPolicy{
		"pebble's own, 10 bits": pebbles, "blocked 1%": mustBloom(bloom.Blocked, 0.01),
		"static 1%": mustStatic(0.01), "static 0.1%": mustStatic(0.001),
	} {
		b.Run(name+"/write", func(b *testing.B) {
			table := questions[:34_000]
			size := 0
			for b.Loop() {
				size = len(filterOfKeys(p, table))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(table)), "ns/key")
			b.ReportMetric(8*float64(size)/float64(len(table)), "bits/key")
		})
		for _, n := range []int{14_000, 1_000_000} {
			filter := filterOfKeys(p, randomKeys(1, n))
			b.Run(fmt.Sprintf("%s/ask/n=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				asked, found := 0, 0.0
				for b.Loop() {
					if ask(p, filter, questions[asked%len(questions)]) {
						found++
					}
					asked++
				}
				b.ReportMetric(100*found/float64(asked), "%found")
			})
		}
	}
}
