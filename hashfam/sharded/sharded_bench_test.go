package sharded_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
)

// share runs operations 0 to b.N-1 on a filter with 64 shards, first in one
// goroutine and then split between two.
func share(b *testing.B, keys uint64, do func(o *sharded.Of[*cuckoo.Filter], from, to int)) {
	o := must(sharded.New(64, func(int) (*cuckoo.Filter, error) {
		return cuckoo.New(cuckoo.Config{Capacity: sharded.Capacity(keys, 64), FPRate: 0.01})
	}))
	for goroutines := 1; goroutines <= 2; goroutines++ {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			b.ReportAllocs()
			var wg sync.WaitGroup
			for i := range goroutines {
				wg.Go(func() { do(o, i*b.N/goroutines, (i+1)*b.N/goroutines) })
			}
			wg.Wait()
		})
	}
}

// BenchmarkDo looks up keys, and adds every tenth key.
func BenchmarkDo(b *testing.B) {
	const keys = 1 << 20
	share(b, keys, func(o *sharded.Of[*cuckoo.Filter], from, to int) {
		for i := from; i < to; i++ {
			d := hashfam.Family{}.SumUint64(uint64(i % keys))
			o.Do(d, func(f *cuckoo.Filter) {
				if !f.ContainsDigest(d) && i%10 == 0 {
					f.AddDigest(d)
				}
			})
		}
	})
}

// BenchmarkDoAll looks up batches of 1,000 keys.
func BenchmarkDoAll(b *testing.B) {
	batch := checks.Digests(rand.New(rand.NewPCG(92, 93)), 1000)
	share(b, 1<<20, func(o *sharded.Of[*cuckoo.Filter], from, to int) {
		for ; from < to; from += len(batch) {
			o.DoAll(batch, func(f *cuckoo.Filter, digests []hashfam.Digest) {
				for _, d := range digests {
					f.ContainsDigest(d)
				}
			})
		}
	})
}
