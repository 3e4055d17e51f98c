package perfect

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A filler selects the seeds of a level and places its keys, in one pass over
// the keys in the order of their buckets. Only a few thousand places around the
// current bucket are in memory: the others are either final or still free.
type filler struct {
	level
	order  seedOrder
	open   *bucket // receives keys, and is not waiting yet
	unused *bucket // can be used again

	used  window // the places from final on that have a key
	final uint64 // places below cannot change any more; a multiple of 64
	free  gaps   // the free places below final

	slots  *slots   // receives the placed keys, if there are slots
	bumped *keyList // receives the other keys

	keys [maxBucket]candidate
}

// newFiller returns a filler for a level, which appends the bumped keys to a
// list.
func newFiller(l level, bumped *keyList) *filler {
	for i := range l.seeds {
		l.seeds[i] = 1 // for empty buckets any seed will do
	}
	return &filler{level: l, open: new(bucket), bumped: bumped}
}

// add adds a key. Digests must be distinct and in the order of Digest.Probe.
func (f *filler) add(d hashfam.Digest, value uint64) {
	number := f.bucket(d.Probe())
	if number != f.open.number {
		f.close()
		f.open.number = number
	}
	b := f.open
	if b.n < maxBucket {
		b.entries[b.n] = entry{d, value}
		b.n++
		return
	}
	if b.n == maxBucket {
		f.bump(b)
		b.n++
	}
	f.bumped.append(rehash(d), value)
}

// close lets the open bucket wait for its seed. If enough buckets wait, the
// next one gets its seed.
func (f *filler) close() {
	b := f.open
	if b.n == 0 {
		return
	}
	if b.n > maxBucket {
		b.n = 0
		return
	}
	f.order.admit(b)
	if f.order.n == windowSize {
		f.settle()
	}
	f.open = f.unused
	f.unused = nil
	if f.open == nil {
		f.open = new(bucket)
	}
	f.open.n = 0
}

// end places the remaining keys of the level, which has n places.
func (f *filler) end(n uint64) {
	f.close()
	for f.order.n > 0 {
		f.settle()
	}
	f.retire(n)
	if f.final < n {
		f.collect(^f.used[f.final/64%windowWords] & (1<<(n-f.final) - 1))
	}
}

// settle places the next bucket's keys and sets its seed, or bumps them.
func (f *filler) settle() {
	b := f.order.next()
	f.unused = b
	keys := f.keys[:b.n]
	for i := range keys {
		keys[i] = f.candidate(b.entries[i].digest.Probe())
	}
	if keys[b.n-1].start+maxSlice+128 > f.final+windowPlaces { // takenShifts reads up to 128 places more than the slice
		f.advance(b)
	}
	seed := f.best(keys)
	f.seeds[b.number] = byte(seed)
	if seed == 0 {
		f.bump(b)
		return
	}
	for i, c := range keys {
		place := c.place(&f.level, seed)
		f.used.set(place)
		if f.slots != nil {
			e := b.entries[i]
			f.slots.set(place, uint64(rehash(e.digest)), e.value)
		}
	}
}

// advance moves the window to the first place that the bucket b, or a waiting
// bucket, can still use.
func (f *filler) advance(b *bucket) {
	if oldest := f.order.oldest(); oldest != nil && oldest.number < b.number {
		b = oldest
	}
	f.retire(f.candidate(b.entries[0].digest.Probe()).start)
}

// bump bumps a bucket's keys.
func (f *filler) bump(b *bucket) {
	f.seeds[b.number] = 0
	for _, e := range b.entries[:b.n] {
		f.bumped.append(rehash(e.digest), e.value)
	}
}

// retire makes the places before the given one final.
func (f *filler) retire(before uint64) {
	for ; f.final+64 <= before; f.final += 64 {
		word := &f.used[f.final/64%windowWords]
		f.collect(^*word)
		*word = 0
	}
}

// collect adds free places to f.free. Each bit of word is a place from f.final.
func (f *filler) collect(word uint64) {
	for ; word != 0; word &= word - 1 {
		f.free.append(f.final + uint64(bits.TrailingZeros64(word)))
	}
}

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

// nextSeed returns the lowest seed that can be better than the given one, even if
// that one was not possible. If seeds are shifts, this is the one with which the
// next key wraps around in its slice: up to there, the distances between places
// do not change, and their sum grows.
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

// takenFactors is like taken for one key if seeds are factors. It only tests the seeds
// whose bits in open are set.
func (f *filler) takenFactors(c candidate, from, open uint64) (taken uint64) {
	step := c.y * spread // in place, the multiplications have another order
	for ; open != 0; open &= open - 1 {
		i := bits.TrailingZeros64(open)
		place := c.start + step*(from+uint64(i))>>(f.shift&63)
		taken |= f.used.bit(place) << i
	}
	return taken
}

// takenShifts is like taken for one key if seeds are shifts. The places for 64 seeds
// follow each other in the slice, which wraps around.
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

const (
	// The next bucket's number exceeds the oldest one's by 260 or less, see
	// weights. There are 4.4 places per bucket, so the next bucket's slices end
	// less than 2,400 places after the first place that the oldest can use.
	windowPlaces = 4096
	windowWords  = windowPlaces / 64
)

// A window is a set of numbers, any two of which differ by less than
// windowPlaces.
type window [windowWords]uint64

func (w *window) set(i uint64)        { w[i/64%windowWords] |= 1 << (i % 64) }
func (w *window) bit(i uint64) uint64 { return w[i/64%windowWords] >> (i % 64) & 1 }

// run returns the bits of the 64 numbers from i.
func (w *window) run(i uint64) uint64 {
	return w[i/64%windowWords]>>(i%64) | w[(i/64+1)%windowWords]<<(64-i%64)
}
