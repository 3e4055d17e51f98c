package perfect

import (
	"math"
	"math/bits"
)

// best returns a seed for which the keys' places are free and distinct, or 0 if
// there is none. Among such seeds it selects the one with the smallest sum of
// places, because this leaves the most room for the following buckets.
func (f *filler) best(keys []candidate) uint64 {
	best := uint64(0)
	least := uint64(math.MaxUint64)
	next := uint64(1) // the lowest seed that can be better
	for from := uint64(0); from < seeds; from += 64 {
		next = max(next, from)
		if next-from >= 64 {
			continue
		}
		free := ^f.taken(keys, from)
		for free &= math.MaxUint64 << (next - from); free != 0; free &= math.MaxUint64 << (next - from) {
			seed := from + uint64(bits.TrailingZeros64(free))
			if sum := f.sum(keys, seed); sum < least && f.distinct(keys, seed) {
				best = seed
				least = sum
			}
			next = f.nextSeed(keys, seed)
		}
	}
	return best
}

// nextSeed returns the lowest seed after the given one that can be better. If
// seeds are shifts, this is the first seed with which one more key's place
// wraps around in its slice. All seeds before that one move all places up by
// the same distance, so the sum of the places is larger, and places that are
// equal for the given seed remain equal.
func (f *filler) nextSeed(keys []candidate, seed uint64) uint64 {
	if f.factors {
		return seed + 1
	}
	last := uint64(0)
	for _, c := range keys {
		last = max(last, c.place(&f.level, seed)-c.start)
	}
	return seed + maxSlice - last
}

// taken tests the 64 seeds from the given one. Bit i of the result is set if
// the place of any key for the seed from+i is used.
func (f *filler) taken(keys []candidate, from uint64) (taken uint64) {
	for _, c := range keys {
		if f.factors {
			taken |= f.takenFactors(c, from, ^taken)
		} else {
			taken |= f.takenShifts(c, from)
		}
	}
	return taken
}

// takenFactors is like taken for one key if seeds are factors. It only tests
// the seeds whose bits in open are set.
func (f *filler) takenFactors(c candidate, from, open uint64) (taken uint64) {
	step := c.y * spread // level.place multiplies in another order
	for ; open != 0; open &= open - 1 {
		i := bits.TrailingZeros64(open)
		place := c.start + step*(from+uint64(i))>>(f.shift&63)
		taken |= f.used.bit(place) << i
	}
	return taken
}

// takenShifts is like taken for one key if seeds are shifts. The places for 64
// seeds follow each other in the slice, which wraps around.
func (f *filler) takenShifts(c candidate, from uint64) uint64 {
	at := (c.y>>f.shift + from) % maxSlice
	if end := maxSlice - at; end < 64 {
		return f.used.run(c.start+at)&(1<<end-1) | f.used.run(c.start)<<end
	}
	return f.used.run(c.start + at)
}

func (f *filler) sum(keys []candidate, seed uint64) (sum uint64) {
	for _, c := range keys {
		sum += c.place(&f.level, seed)
	}
	return sum
}

// distinct reports whether the keys have different places.
func (f *filler) distinct(keys []candidate, seed uint64) bool {
	for i, c := range keys {
		place := c.place(&f.level, seed)
		for _, other := range keys[:i] {
			if other.place(&f.level, seed) == place {
				return false
			}
		}
	}
	return true
}
