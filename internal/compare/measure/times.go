package measure

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/filterfam/filterfam/hashfam"
)

// A batcher answers for many keys at once.
type batcher interface {
	Family() hashfam.Family
	ContainsAll(dst []bool, digests []hashfam.Digest) []bool
}

// What the documents say about the times of lookups.
const (
	BatchKeys  = 1024
	passRounds = 2 // how often a pass measures each way to query
)

// TimeRounds returns how often each time is measured.
func (s Sweep) TimeRounds() int { return s.passes * passRounds }

// measureTimes returns the times of lookups at 1 % by the number of keys, one
// by one and, if there is such a call, in batches. It goes over all numbers
// several times and takes the least times: other programs on the machine only
// add to them, and they are busy for minutes, which would fall on one number
// alone.
func (s Sweep) measureTimes(ctx context.Context, done func()) (curves []Curve, err error) {
	for pass := range s.passes {
		for i, n := range s.Times {
			ways, err := waysToQuery(ctx, n)
			if err != nil {
				return nil, err
			}
			if curves == nil {
				curves = make([]Curve, len(ways))
			}
			for range passRounds {
				for j, w := range ways {
					took := w.time(max(1, s.lookups/(2*n)), 2*n)
					c := &curves[j]
					c.Structure, c.Batch = w.structure, w.batch
					if pass == 0 && i == len(c.X) {
						c.X, c.Y = append(c.X, float64(n)), append(c.Y, took)
					}
					c.Y[i] = min(c.Y[i], took)
				}
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			done()
		}
	}
	return curves, nil
}

// A way is one to query all keys.
type way struct {
	structure string
	batch     bool
	query     func()
}

// time returns the time for each key.
func (w way) time(repeats, keys int) float64 {
	start := time.Now()
	for range repeats {
		w.query()
	}
	return perKey(time.Since(start), repeats*keys)
}

// waysToQuery builds filters of n keys and returns how to query them for these
// and as many others in turn: one by one and, if they can, in batches.
func waysToQuery(ctx context.Context, n int) (ways []way, err error) {
	all := randomKeys(rand.NewChaCha8([32]byte([]byte("filterfam compare times of keys!"))), 2*n)
	var members Keys
	keys := make([][]byte, all.Len())
	for i := range keys {
		if keys[i] = all.At(i); i%2 == 0 {
			members.add(keys[i])
		}
	}
	for _, name := range []string{"map", "bloom", "bloom-blocked", "counting", "cuckoo", "cuckoo-compact", "static", "perfect", "bits-and-blooms", "seiflotfy-cuckoo"} {
		f, err := (&cell{Structure: Named(name), rate: 0.01}).filled(ctx, &members)
		if err != nil {
			return nil, err
		}
		ways = append(ways, way{name, false, func() { found(f.Set, &all, 0, all.Len()) }})
		if b, ok := f.Set.(batcher); ok {
			digests, dst := make([]hashfam.Digest, 0, BatchKeys), make([]bool, 0, BatchKeys)
			ways = append(ways, way{name, true, func() {
				for block := range slices.Chunk(keys, BatchKeys) {
					digests = b.Family().SumAll(digests[:0], block)
					dst = b.ContainsAll(dst[:0], digests)
				}
			}})
		}
	}
	return ways, nil
}
