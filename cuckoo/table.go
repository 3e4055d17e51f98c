package cuckoo

import (
	"encoding/binary"
	"math/bits"
)

// slots is b, the number of slots in a bucket.
const slots = 4

// A table is an array of buckets, each of four fingerprints of f bits. A zero
// fingerprint is a free slot. Buckets are compared as lanes of a word, all
// slots at once. Above 16 bits a word has room for two lanes, and a bucket is
// two words.
//
// Plain tables store the lanes without padding, so a bucket may begin
// within a byte. Here f is 10; the first slot is in the lowest bits:
//
//	bit 79         39       29       19       9       0
//	    | bucket 1 | slot 3 | slot 2 | slot 1 | slot 0 |
//
// Compact buckets are decoded to lanes of 16 or 32 bits, see compact.go.
type table struct {
	bytes  []byte // at least 7 spare bytes, so that 8-byte loads stay in bounds
	stride uint64 // bits from one bucket to the next
	width  uint64 // bits from one lane to the next
	mask   uint64 // 2^f-1
	ones   uint64 // the lowest bit of every lane
	tops   uint64 // the highest bit of every lane
	rest   uint64 // f-4, if compact
	low    uint64 // the lowest f-4 bits of every other lane, if compact
	kind   kind
}

// A kind says how a bucket is stored.
type kind uint8

const (
	none          kind = iota // there are no buckets: a zero Filter
	single                    // four lanes in a word, as they are
	paired                    // two words of two lanes
	compact                   // sorted, to be decoded to one word
	compactPaired             // sorted, to be decoded to two words
)

// maxSingle is the widest fingerprint of which a word holds four.
const maxSingle = 16

// newTable returns the table of checked parameters over bytes.
func newTable(p Params, bytes []byte) table {
	f, wide := uint64(p.FingerprintBits), p.FingerprintBits > maxSingle
	t := table{bytes: bytes, stride: p.bucketBits(), width: f, mask: 1<<f - 1, kind: single}
	if p.Compact {
		t.kind, t.width, t.rest = compact, maxSingle, f-nibble
		if wide {
			t.width *= 2
		}
		t.low = t.mask >> nibble
	}
	if wide {
		t.kind++
	}
	t.ones = 1 | 1<<t.width
	if !wide {
		t.ones |= t.ones << (2 * t.width)
		t.low |= t.low << (2 * t.width)
	}
	t.tops = t.ones << (t.width - 1)
	return t
}

// load returns the word that begins at a bit. Its lowest 57 bits are valid, 60
// if the bit is the first of half a byte, and all 64 if it is the first of a
// byte. So a load has the whole of any bucket of at most 64 bits: all begin at
// half a byte, and those of 64 bits at a byte.
func (t *table) load(bit uint64) uint64 { return load(t.bytes, bit) }

func load(bytes []byte, bit uint64) uint64 {
	i := bit >> 3
	return binary.LittleEndian.Uint64(bytes[i:i+8]) >> (bit & 7)
}

// load64 returns the 64 bits that begin at a bit.
func (t *table) load64(bit uint64) uint64 {
	i := bit >> 3
	b := t.bytes[i : i+9]
	return binary.LittleEndian.Uint64(b)>>(bit&7) | uint64(b[8])<<1<<(63-bit&7)
}

// flip inverts, from a bit on, the bits that are set in change. They must be
// among those that load returns.
func (t *table) flip(bit, change uint64) {
	i := bit >> 3
	b := t.bytes[i : i+8]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^change<<(bit&7))
}

// matches returns the top bit of each lane of w that holds fp, and no other. A
// lane of x is zero if they agree. Adding all ones below its top bit carries
// into that bit unless the rest of the lane is zero, and never beyond. Bits
// above the lanes do not count.
func (t *table) matches(w, fp uint64) uint64 {
	x := w ^ fp*t.ones
	rest := t.tops - t.ones
	return t.tops &^ (x&rest + rest | x)
}

// anyMatches reports whether a lane of v or w holds fp. It costs less than
// matches: the borrow of a lane that does may set the top bit of the next one
// too.
func (t *table) anyMatches(v, w, fp uint64) bool {
	x, y := v^fp*t.ones, w^fp*t.ones
	return ((x-t.ones)&^x|(y-t.ones)&^y)&t.tops != 0
}

// lanes returns bucket i: all four lanes in the first word, or two in each.
// Lanes that are not there match nothing.
func (t *table) lanes(i uint64) (uint64, uint64) {
	bit := i * t.stride
	switch t.kind {
	case single:
		w := t.load(bit)
		return w, w
	case paired:
		return t.load64(bit), t.load64(bit + 2*t.width)
	case compact:
		w := t.decode(t.load(bit))
		return w, w
	default:
		return t.decodePaired(bit)
	}
}

// hasEither reports whether bucket i or j holds fp. It looks at both, whatever
// the first one says: a branch that half the keys mispredict costs more than
// the look it would save.
func (t *table) hasEither(i, j, fp uint64) bool {
	if t.kind != single {
		return t.hasEitherLanes(i, j, fp)
	}
	return t.anyMatches(t.load(i*t.stride), t.load(j*t.stride), fp)
}

func (t *table) hasEitherLanes(i, j, fp uint64) bool {
	switch t.kind {
	case none:
		return true
	case compact:
		return t.anyMatches(t.decode(t.load(i*t.stride)), t.decode(t.load(j*t.stride)), fp)
	}
	a, b := t.lanes(i)
	c, d := t.lanes(j)
	return t.matches(a, fp)|t.matches(b, fp)|t.matches(c, fp)|t.matches(d, fp) != 0
}

// putEither puts fp in a free slot of bucket i or j, and reports whether there
// was one. It takes the bucket with more free slots while none has been freed
// by a removal, see emptier.
func (t *table) putEither(i, j, fp uint64) bool {
	if t.kind != single {
		return t.putEitherLanes(i, j, fp)
	}
	i, j = i*t.stride, j*t.stride
	bit, free := emptier(i, j, t.matches(t.load(i), 0), t.matches(t.load(j), 0))
	if free == 0 {
		return false
	}
	t.flip(bit+t.lowest(free), fp)
	return true
}

func (t *table) putEitherLanes(i, j, fp uint64) bool {
	switch t.kind {
	case none:
		return false
	case compact:
		v, w := t.decode(t.load(i*t.stride)), t.decode(t.load(j*t.stride))
		a, b := t.matches(v, 0), t.matches(w, 0)
		v, _ = emptier(v, w, a, b)
		i, free := emptier(i, j, a, b)
		if free == 0 {
			return false
		}
		t.encode(i*t.stride, v^fp<<(t.lowest(free)&63))
		return true
	}
	if t.copies(i, 0) < t.copies(j, 0) {
		i = j
	}
	return t.put(i, fp)
}

// emptier returns i and a, or j and b if b has more free slots: a and b have
// the top bits of the free ones. Slots fill from the lowest, so the fewer are
// taken, the larger is the number. A branch would be taken at random.
func emptier(i, j, a, b uint64) (bucket, free uint64) {
	_, less := bits.Sub64(a, b, 0)
	return i ^ (i^j)&-less, a ^ (a^b)&-less
}

// lowest returns the first bit of the first lane that matches.
func (t *table) lowest(matches uint64) uint64 {
	return uint64(bits.TrailingZeros64(matches)) + 1 - t.width
}

// has reports whether bucket i holds fp; for 0, whether it has a free slot.
func (t *table) has(i, fp uint64) bool {
	a, b := t.lanes(i)
	return t.matches(a, fp)|t.matches(b, fp) != 0
}

// copies returns how many slots of bucket i hold fp.
func (t *table) copies(i, fp uint64) int {
	if t.kind == none {
		return slots
	}
	a, b := t.lanes(i)
	n := bits.OnesCount64(t.matches(a, fp))
	if t.width > maxSingle {
		n += bits.OnesCount64(t.matches(b, fp))
	}
	return n
}

// firstFree returns the first of four buckets that has a free slot, or four. It
// looks at all of them, so that their cache misses overlap.
func (t *table) firstFree(list *[slots]uint64) int {
	free := uint64(1 << slots)
	switch t.kind {
	case single:
		for s, i := range list {
			if w := t.load(i * t.stride); t.anyMatches(w, w, 0) {
				free |= 1 << s
			}
		}
	case paired:
		for s, i := range list {
			if t.has(i, 0) {
				free |= 1 << s
			}
		}
	default:
		for s, i := range list {
			if t.smallest(t.load(i*t.stride)) == 0 {
				free |= 1 << s
			}
		}
	}
	return bits.TrailingZeros64(free)
}

// lane returns one of the lanes of a bucket.
func (t *table) lane(a, b uint64, s int) uint64 {
	if t.width > maxSingle && s >= 2 {
		a, s = b, s-2
	}
	return a >> (uint64(s) * t.width & 63) & t.mask
}

// get returns the fingerprint in slot s of bucket i.
func (t *table) get(i uint64, s int) uint64 {
	a, b := t.lanes(i)
	return t.lane(a, b, s)
}

// exchange puts fp in one slot of bucket i that holds old, and reports whether
// there was one.
func (t *table) exchange(i, old, fp uint64) bool {
	bit := i * t.stride
	var w uint64
	switch t.kind {
	case none:
		return false
	case single:
		w = t.load(bit)
	case paired:
		if w = t.load64(bit); t.matches(w, old) == 0 {
			bit += 2 * t.width
			w = t.load64(bit)
		}
	case compact:
		w = t.decode(t.load(bit))
	case compactPaired:
		return t.exchangeSorted(i, old, fp)
	}
	m := t.matches(w, old)
	if m == 0 {
		return false
	}
	if t.kind == compact {
		t.encode(bit, w^(old^fp)<<(t.lowest(m)&63))
	} else {
		t.flip(bit+t.lowest(m), old^fp)
	}
	return true
}

// put puts fp in a free slot of bucket i, and reports whether there was one.
func (t *table) put(i, fp uint64) bool { return t.exchange(i, 0, fp) }

// remove frees one slot of bucket i that holds fp, and reports whether there
// was one.
func (t *table) remove(i, fp uint64) bool { return t.exchange(i, fp, 0) }
