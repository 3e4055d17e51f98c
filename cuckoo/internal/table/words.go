package table

import (
	"encoding/binary"
	"math/bits"
)

// Plain tables store the lanes without padding, so a bucket may begin within a
// byte. Here f is 10; the first slot is in the lowest bits:
//
//	bit 79         39       29       19       9       0
//	    | bucket 1 | slot 3 | slot 2 | slot 1 | slot 0 |
//
// Sorted buckets are decoded to lanes of 16 or 32 bits, see sorted.go.

// Word returns the word that begins at bucket i: all of the bucket, as it is
// stored, if it has at most 64 bits.
func (t *Table) Word(i uint64) uint64 { return t.load(i * t.stride) }

// load returns the word that begins at a bit. Its lowest 57 bits are valid, 60
// if the bit is the first of half a byte, and all 64 if it is the first of a
// byte. So a load has the whole of any bucket of at most 64 bits: all begin at
// half a byte, and those of 64 bits at a byte.
func (t *Table) load(bit uint64) uint64 {
	i := bit >> 3
	return binary.LittleEndian.Uint64(t.bytes[i:i+8]) >> (bit & 7)
}

// load64 returns the 64 bits that begin at a bit.
func (t *Table) load64(bit uint64) uint64 {
	i := bit >> 3
	b := t.bytes[i : i+9]
	return binary.LittleEndian.Uint64(b)>>(bit&7) | uint64(b[8])<<1<<(63-bit&7)
}

// flip inverts, from a bit on, the bits that are set in change. They must be
// among those that load returns.
func (t *Table) flip(bit, change uint64) {
	i := bit >> 3
	b := t.bytes[i : i+8]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^change<<(bit&7))
}

// Lanes returns bucket i: all four lanes in the first word, or two in each.
// Lanes that are not there match nothing.
func (t *Table) Lanes(i uint64) (uint64, uint64) {
	bit := i * t.stride
	switch {
	case !t.wide && !t.sorted:
		w := t.load(bit)
		return w, w
	case !t.wide:
		w := t.Decode(t.load(bit))
		return w, w
	case !t.sorted:
		return t.load64(bit), t.load64(bit + 2*t.width)
	}
	return t.decodeWide(bit)
}

// Wide reports whether the lanes of a bucket are in two words.
func (t *Table) Wide() bool { return t.wide }

// Sorted reports whether a Word must be decoded.
func (t *Table) Sorted() bool { return t.sorted }

// Spread returns the word that has x in every lane.
func (t *Table) Spread(x uint64) uint64 { return x * t.ones }

// Lane returns one of the lanes of a bucket.
func (t *Table) Lane(a, b uint64, s int) uint64 {
	if t.wide && s >= 2 {
		a, s = b, s-2
	}
	return a >> (uint64(s) * t.width & 63) & t.mask
}

// Matches returns the top bit of each lane of w that holds fp, and no other. A
// lane of x is zero if they agree. Adding all ones below its top bit carries
// into that bit unless the rest of the lane is zero, and never beyond. Bits
// above the lanes do not count.
func (t *Table) Matches(w, fp uint64) uint64 {
	x := w ^ fp*t.ones
	rest := t.tops - t.ones
	return t.tops &^ (x&rest + rest | x)
}

// Any reports whether a lane of v or w holds fp. It costs less than Matches:
// the borrow of a lane that does may set the top bit of the next one too.
func (t *Table) Any(v, w, fp uint64) bool {
	x, y := v^fp*t.ones, w^fp*t.ones
	return ((x-t.ones)&^x|(y-t.ones)&^y)&t.tops != 0
}

// lowest returns the first bit of the first lane that matches.
func (t *Table) lowest(matches uint64) uint64 {
	return uint64(bits.TrailingZeros64(matches)) + 1 - t.width
}
