package perfect

import (
	"context"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// fill selects the seeds and places the keys. digests must be distinct and
// sorted by the first value of their probe sequences. fill returns the used
// places and the bumped digests. It stops early when ctx is canceled.
func (l *level) fill(ctx context.Context, digests []hashfam.Digest) (used bitmap, bumped []hashfam.Digest) {
	for i := range l.seeds {
		l.seeds[i] = 1 // for empty buckets any seed will do
	}
	f := filler{level: l, used: make(bitmap, len(digests)/64+2)} // see run
	order := newSeedOrder(l, digests)
	for b, ok := order.next(); ok; b, ok = order.next() {
		if b.number%windowSize == 0 && ctx.Err() != nil {
			break
		}
		seed := f.settle(b.digests)
		if seed == 0 {
			bumped = append(bumped, b.digests...)
		}
		l.seeds[b.number] = byte(seed)
	}
	return f.used, bumped
}

// A filler places a level's keys one bucket at a time.
type filler struct {
	*level
	used bitmap
	keys [maxBucket]candidate
}

// settle places a bucket's keys and returns its seed. If the bucket must be
// bumped, 0 is returned.
func (f *filler) settle(digests []hashfam.Digest) uint64 {
	if len(digests) > maxBucket {
		return 0
	}
	keys := f.keys[:len(digests)]
	for i, d := range digests {
		keys[i] = f.candidate(d.Probe())
	}
	seed := f.best(keys)
	if seed != 0 {
		for _, c := range keys {
			f.used.set(c.place(f.level, seed))
		}
	}
	return seed
}

// best returns a seed for which the keys' places are free and distinct, or 0 if
// there is none. Among such seeds it selects the one with the smallest sum of
// places, because this leaves the most room for the following buckets.
func (f *filler) best(keys []candidate) uint64 {
	best, least := uint64(0), uint64(math.MaxUint64)
	for from := uint64(0); from < seeds; from += 64 {
		free := ^f.taken(keys, from)
		if from == 0 {
			free &^= 1
		}
		for ; free != 0; free &= free - 1 {
			seed := from + uint64(bits.TrailingZeros64(free))
			if sum := f.sum(keys, seed); sum < least && f.distinct(keys, seed) {
				best, least = seed, sum
			}
		}
	}
	return best
}

// taken tests the 64 seeds from the given one. Bit i of the result is set if
// the place of any key for the seed from+i is used.
func (f *filler) taken(keys []candidate, from uint64) (taken uint64) {
	for _, c := range keys {
		if f.factors {
			taken |= f.test(c, from, ^taken)
		} else {
			taken |= f.run(c, from)
		}
	}
	return taken
}

// test is like taken for one key if seeds are factors. It only tests the seeds
// whose bits in open are set.
func (f *filler) test(c candidate, from, open uint64) (taken uint64) {
	for ; open != 0; open &= open - 1 {
		i := bits.TrailingZeros64(open)
		taken |= f.used.bit(c.place(f.level, from+uint64(i))) << i
	}
	return taken
}

// run is like taken for one key if seeds are shifts. The places for 64 seeds
// follow each other in the slice, which wraps around.
func (f *filler) run(c candidate, from uint64) uint64 {
	at := (c.y>>f.shift + from) % maxSlice
	if end := maxSlice - at; end < 64 {
		return f.used.run(c.start+at)&(1<<end-1) | f.used.run(c.start)<<end
	}
	return f.used.run(c.start + at)
}

func (f *filler) sum(keys []candidate, seed uint64) (sum uint64) {
	for _, c := range keys {
		sum += c.place(f.level, seed)
	}
	return sum
}

// distinct reports whether the keys have different places.
func (f *filler) distinct(keys []candidate, seed uint64) bool {
	for i, c := range keys {
		place := c.place(f.level, seed)
		for _, other := range keys[:i] {
			if other.place(f.level, seed) == place {
				return false
			}
		}
	}
	return true
}

// A bitmap is a set of small integers.
type bitmap []uint64

func (b bitmap) set(i uint64)        { b[i/64] |= 1 << (i % 64) }
func (b bitmap) bit(i uint64) uint64 { return b[i/64] >> (i % 64) & 1 }

// run returns the bits of the 64 integers from i.
func (b bitmap) run(i uint64) uint64 {
	return b[i/64]>>(i%64) | b[i/64+1]<<(64-i%64)
}
