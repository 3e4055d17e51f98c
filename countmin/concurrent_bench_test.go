package countmin

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/hashfam"
)

// A contestant does an operation on key i in each of its goroutines.
type contestant struct {
	name       string
	goroutines int
	do         func(worker, from, to int)
}

// race reports the throughput of each contestant, by its best of many short
// rounds in turn, in operations per microsecond, and over that of the first.
// Other load on the machine lowers some rounds, and not the best ones.
func race(b *testing.B, operations int, all []contestant) {
	rates := make([][]float64, len(all))
	for b.Loop() {
		for range 60 {
			for i, c := range all {
				if r := rate(c, operations); r > 0 {
					rates[i] = append(rates[i], r)
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op") // means nothing here
	for i, c := range all {
		if slices.Sort(rates[i]); len(rates[i]) == 0 {
			continue // the machine was too busy
		}
		n := len(rates[i])
		b.ReportMetric(rates[i][n/2], c.name+"/us")
	}
}

var epoch = time.Now()

// rate returns how many operations c does in a microsecond. The goroutines wait
// for each other without giving up their processors, so that they really run at
// the same time.
func rate(c contestant, operations int) float64 {
	var ready atomic.Int32
	var done sync.WaitGroup
	began, ended := make([]int64, c.goroutines), make([]int64, c.goroutines)
	for worker := range c.goroutines {
		done.Go(func() {
			for ready.Add(1); int(ready.Load()) < c.goroutines; {
			}
			began[worker] = int64(time.Since(epoch))
			c.do(worker, worker*operations/c.goroutines, (worker+1)*operations/c.goroutines)
			ended[worker] = int64(time.Since(epoch))
		})
	}
	done.Wait()
	whole := slices.Max(ended) - slices.Min(began)
	if 10*(slices.Min(ended)-slices.Max(began)) < 5*whole {
		return 0 // they had to take turns
	}
	return 1e3 * float64(operations) / float64(whole)
}

// benchmarkKeys are the digests of distinct keys, and of the words of a novel.
func benchmarkKeys() map[string][]hashfam.Digest {
	distinct := make([]hashfam.Digest, 200_000)
	for i := range distinct {
		distinct[i] = hashfam.Family{}.SumUint64(uint64(i))
	}
	moby := streams.MobyDick()
	words, digests := make([]hashfam.Digest, 0, 200_000), moby.Digests(hashfam.Family{})
	for _, id := range moby.IDs[:200_000] {
		words = append(words, digests[id])
	}
	return map[string][]hashfam.Digest{"distinct": distinct, "words": words}
}

// BenchmarkConcurrentSketch compares one and two goroutines, and two that share
// a plain sketch under a mutex. read is what the machine gives: lookups in a
// plain sketch, which share nothing but the cache.
func BenchmarkConcurrentSketch(b *testing.B) {
	for _, size := range []struct {
		name  string
		width uint64
	}{{"width=3k", 2719}, {"width=4M", 4 << 20}} {
		for name, digests := range benchmarkKeys() {
			for _, conservative := range []bool{false, true} {
				config := Config{Width: size.width, Depth: 5, Conservative: conservative}
				plain, shared := must(New(config)), must(NewConcurrentSketch(config))
				var mu sync.Mutex
				locked := func(_, from, to int) {
					for _, d := range digests[from:to] {
						mu.Lock()
						plain.AddDigest(d)
						mu.Unlock()
					}
				}
				atomics := func(_, from, to int) {
					for _, d := range digests[from:to] {
						shared.AddDigest(d)
					}
				}
				lockedBatch := func(_, from, to int) {
					for ; from < to; from += 1000 {
						mu.Lock()
						plain.AddAllDigests(digests[from : from+1000])
						mu.Unlock()
					}
				}
				batches := func(_, from, to int) {
					for ; from < to; from += 1000 {
						shared.AddAllDigests(digests[from : from+1000])
					}
				}
				reads := func(_, from, to int) {
					for _, d := range digests[from:to] {
						plain.CountDigest(d)
					}
				}
				mixed := func(add func(hashfam.Digest), count func(hashfam.Digest)) func(_, from, to int) {
					return func(_, from, to int) {
						for i, d := range digests[from:to] {
							if i%10 == 0 {
								add(d)
							} else {
								count(d)
							}
						}
					}
				}
				lockedMixed := mixed(func(d hashfam.Digest) { mu.Lock(); plain.AddDigest(d); mu.Unlock() },
					func(d hashfam.Digest) { mu.Lock(); plain.CountDigest(d); mu.Unlock() })
				freeMixed := mixed(shared.AddDigest, func(d hashfam.Digest) { shared.CountDigest(d) })
				label := size.name + "/" + name + map[bool]string{false: "/plain", true: "/conservative"}[conservative]
				b.Run(label, func(b *testing.B) {
					race(b, 40_000, []contestant{
						{"read1", 1, reads}, {"read2", 2, reads},
						{"mutex1", 1, locked}, {"mutex2", 2, locked},
						{"add1", 1, atomics}, {"add2", 2, atomics},
						{"mutexbatch2", 2, lockedBatch},
						{"batch1", 1, batches}, {"batch2", 2, batches},
						{"mutexmixed2", 2, lockedMixed}, {"mixed1", 1, freeMixed}, {"mixed2", 2, freeMixed},
					})
				})
			}
		}
	}
}

// BenchmarkConcurrentHeavyHitters compares one and two goroutines, and two that
// share a plain structure under a mutex: additions, batches of 1,000, and nine
// lookups for each addition.
func BenchmarkConcurrentHeavyHitters(b *testing.B) {
	moby, distinct := streams.MobyDick(), make([][]byte, 200_000)
	for i := range distinct {
		distinct[i] = fmt.Append(nil, "key ", i)
	}
	words := make([][]byte, 200_000)
	for i, id := range moby.IDs[:200_000] {
		words[i] = moby.Keys[id]
	}
	for name, keys := range map[string][][]byte{"distinct": distinct, "words": words} {
		config := HeavyConfig{Phi: 0.001}
		plain, shared := must(NewHeavyHitters(config)), must(NewConcurrentHeavyHitters(config))
		var mu sync.Mutex
		each := func(add func([]byte)) func(_, from, to int) {
			return func(_, from, to int) {
				for _, key := range keys[from:to] {
					add(key)
				}
			}
		}
		thousands := func(add func([][]byte)) func(_, from, to int) {
			return func(_, from, to int) {
				for ; from < to; from += 1000 {
					add(keys[from : from+1000])
				}
			}
		}
		mixed := func(add func([]byte), estimate func([]byte)) func(_, from, to int) {
			return func(_, from, to int) {
				for i, key := range keys[from:to] {
					if i%10 == 0 {
						add(key)
					} else {
						estimate(key)
					}
				}
			}
		}
		lockedAdd := func(key []byte) { mu.Lock(); plain.Add(key); mu.Unlock() }
		lockedEstimate := func(key []byte) { mu.Lock(); plain.Estimate(key); mu.Unlock() }
		lockedAll := func(keys [][]byte) { mu.Lock(); plain.AddAll(keys); mu.Unlock() }
		read := func(key []byte) { plain.Estimate(key) }
		estimate := func(key []byte) { shared.Estimate(key) }
		b.Run(name, func(b *testing.B) {
			race(b, 40_000, []contestant{
				{"read1", 1, each(read)}, {"read2", 2, each(read)},
				{"plain1", 1, each(plain.Add)}, {"mutex1", 1, each(lockedAdd)}, {"mutex2", 2, each(lockedAdd)},
				{"add1", 1, each(shared.Add)}, {"add2", 2, each(shared.Add)},
				{"mutexbatch2", 2, thousands(lockedAll)},
				{"batch1", 1, thousands(shared.AddAll)}, {"batch2", 2, thousands(shared.AddAll)},
				{"mutexmixed2", 2, mixed(lockedAdd, lockedEstimate)},
				{"mixed1", 1, mixed(shared.Add, estimate)}, {"mixed2", 2, mixed(shared.Add, estimate)},
			})
		})
	}
}
