package sharded_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

const (
	benchShards = 64
	benchKeys   = 1 << 20
)

// share does operations 0 to b.N-1 on one goroutine and on two, which do one
// half each.
func share(b *testing.B, do func(from, to int)) {
	for goroutines := 1; goroutines <= 2; goroutines++ {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			b.ReportAllocs()
			var wg sync.WaitGroup
			for i := range goroutines {
				wg.Go(func() { do(i*b.N/goroutines, (i+1)*b.N/goroutines) })
			}
			wg.Wait()
		})
	}
}

// keyed returns key i and its digest. One key in eight is among sixteen
// frequent ones.
func keyed() func(i int) ([]byte, hashfam.Digest) {
	r := rand.New(rand.NewPCG(90, 91))
	keys, digests := make([][]byte, benchKeys), make([]hashfam.Digest, benchKeys)
	for i := range keys {
		id := uint64(i)
		if r.IntN(8) == 0 {
			id = r.Uint64N(16)
		}
		keys[i] = binary.LittleEndian.AppendUint64(nil, id)
		digests[i] = hashfam.Family{}.SumUint64(id)
	}
	return func(i int) ([]byte, hashfam.Digest) { return keys[i%benchKeys], digests[i%benchKeys] }
}

// BenchmarkCuckoo looks up nine keys and adds one, in turn.
func BenchmarkCuckoo(b *testing.B) {
	o := must(sharded.New(benchShards, func(int) (*cuckoo.Filter, error) {
		return cuckoo.New(cuckoo.Config{Capacity: sharded.Capacity(benchKeys, benchShards), FPRate: 0.01})
	}))
	share(b, func(from, to int) {
		found := 0
		for i := from; i < to; i++ {
			d := hashfam.Family{}.SumUint64(uint64(i % benchKeys))
			o.Do(d, func(f *cuckoo.Filter) {
				if f.ContainsDigest(d) {
					found++
				} else if i%10 == 0 {
					f.AddDigest(d)
				}
			})
		}
	})
}

// BenchmarkCounting adds and deletes keys in turn.
func BenchmarkCounting(b *testing.B) {
	o := must(sharded.New(benchShards, func(int) (*counting.Filter, error) {
		return counting.New(counting.Config{
			Capacity: sharded.Capacity(benchKeys, benchShards), FPRate: 0.01, Layout: counting.Blocked,
		})
	}))
	share(b, func(from, to int) {
		for i := from; i < to; i++ {
			d := hashfam.Family{}.SumUint64(uint64(i / 2))
			o.Do(d, func(f *counting.Filter) {
				if i%2 == 0 {
					f.AddDigest(d)
				} else {
					f.DeleteDigest(d)
				}
			})
		}
	})
}

// BenchmarkSketch adds keys.
func BenchmarkSketch(b *testing.B) {
	o := must(sharded.New(benchShards, func(int) (*countmin.Sketch, error) {
		return countmin.New(countmin.Config{Epsilon: 1e-5 * benchShards, Delta: 0.01})
	}))
	key := keyed()
	share(b, func(from, to int) {
		for i := from; i < to; i++ {
			_, d := key(i)
			o.Do(d, func(s *countmin.Sketch) { s.AddDigest(d) })
		}
	})
}

// BenchmarkHeavyHitters adds keys.
func BenchmarkHeavyHitters(b *testing.B) {
	o := must(sharded.New(benchShards, func(int) (*countmin.HeavyHitters, error) {
		return countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.001})
	}))
	key := keyed()
	share(b, func(from, to int) {
		for i := from; i < to; i++ {
			k, d := key(i)
			o.Do(d, func(h *countmin.HeavyHitters) { h.AddDigest(d, k) })
		}
	})
}

// BenchmarkBatch adds keys to counting filters in batches of a thousand.
func BenchmarkBatch(b *testing.B) {
	o := must(sharded.New(benchShards, func(int) (*counting.Filter, error) {
		return counting.New(counting.Config{Capacity: sharded.Capacity(benchKeys, benchShards), FPRate: 0.01})
	}))
	batch := digests(rand.New(rand.NewPCG(92, 93)), 1000)
	share(b, func(from, to int) {
		for ; from < to; from += len(batch) {
			o.DoAll(batch, func(f *counting.Filter, digests []hashfam.Digest) {
				for _, d := range digests {
					f.AddDigest(d)
				}
			})
		}
	})
}
