package tracker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// Intervals overlap if they have a point in common: the definition, at every
// pair of small sizes.
func TestOverlap(t *testing.T) {
	for w := uint64(1); w < 20; w++ {
		for v := uint64(1); v < 20; v++ {
			for i := range w {
				first, last := overlap(i, w, v)
				for j := range v {
					common := j*w < (i+1)*v && i*v < (j+1)*w
					require.Equal(t, common, first <= j && j <= last, "%d of %d, %d of %d", i, w, j, v)
				}
			}
		}
	}
}

// A tail that covers another one says no less for any key, whatever their
// shapes.
func TestATailCoversAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b := newTail(2+2*r.IntN(20)), newTail(2+2*r.IntN(20))
		a.shift, b.shift = 4, uint8(tailShift+r.IntN(3))
		var digests []hashfam.Digest
		for range 100 {
			d := hashfam.Digest(r.Uint64())
			b.raise(d, r.Uint64N(b.limit()+1))
			a.raise(hashfam.Digest(r.Uint64()), r.Uint64N(9))
			digests = append(digests, d)
		}
		before := a.clone()
		a.cover(&b)
		for _, d := range digests {
			require.GreaterOrEqual(t, a.count(d), max(before.count(d), b.count(d)))
		}
	}
}

// Whatever is split and joined again, and joined from shards: bounds hold, and
// tracked keys keep their counts if memory grows.
func TestSplitAndJoin(t *testing.T) {
	for _, memory := range []int{0, 3 << 10, 16 << 10} {
		for _, n := range []int{1, 2, 3, 8} {
			goal := Goal{Phi: 0.01, Memory: memory}
			if memory/n < MinMemory && memory > 0 {
				continue
			}
			whole, truth := New(goal), map[string]uint64{}
			r := rand.New(rand.NewPCG(uint64(n), uint64(memory)))
			count := func(add func(string), times int) {
				for range times {
					key := fmt.Sprint(int(r.ExpFloat64() * 300))
					truth[key]++
					add(key)
				}
			}
			count(func(key string) { add(&whole, key, 1) }, 5000)
			shards := whole.Split(Goal{Phi: 0.01, Memory: memory / n, Shards: n})
			if memory == 0 {
				live := 0
				for i := range shards {
					live += shards[i].live
				}
				require.Equal(t, whole.live, live)
			}
			count(func(key string) { add(&shards[hashfam.Family{}.SumString(key).Shard(n)], key, 1) }, 5000)
			joint := Join(goal, func(yield func(*Tracker) bool) {
				for i := range shards {
					if !yield(&shards[i]) {
						return
					}
				}
			})
			require.Equal(t, uint64(10_000), joint.Total())
			back, err := recode(&joint)
			require.NoError(t, err)
			require.True(t, back.Equal(&joint))
			for key, times := range truth {
				d := hashfam.Family{}.SumString(key)
				shard := &shards[d.Shard(n)]
				for _, side := range []*Tracker{&joint, shard} {
					e := side.Estimate(d)
					require.True(t, e.Low <= times && times <= e.High, "%s counts %d, not %v", key, times, e)
				}
				if memory == 0 && tracked([]*Tracker{shard}, d) {
					require.Equal(t, shard.Estimate(d), joint.Estimate(d))
				}
			}
			require.LessOrEqual(t, slices.MaxFunc(shards, func(a, b Tracker) int { return int(a.missed) - int(b.missed) }).missed, joint.missed)
		}
	}
}
