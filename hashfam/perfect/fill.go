package perfect

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A filler selects the seeds of a level and places its keys, in one pass over
// the keys in the order of their buckets. Only a few thousand places around the
// current bucket are in memory: all places before them are final, and all
// places after them are still free.
type filler struct {
	level
	order  seedOrder
	open   *bucket // receives keys, and is not waiting yet
	unused *bucket // has got its seed, so it can be opened again

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

// settle selects a seed for the next bucket and places its keys, or bumps them
// if there is no seed.
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
			f.slots.set(place, fingerprint(e.digest), e.value)
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

// collect adds free places to f.free: place f.final+i for each bit i that is
// set in word.
func (f *filler) collect(word uint64) {
	for ; word != 0; word &= word - 1 {
		f.free.append(f.final + uint64(bits.TrailingZeros64(word)))
	}
}

const (
	// The next bucket to get a seed is at most 260 buckets after the oldest
	// waiting one, because no weight is above 260. There are 4.4 places per
	// bucket, so the next bucket's slices end less than 2,400 places after the
	// first place that the oldest bucket can use.
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
