// Package table stores the fingerprints of a cuckoo filter: buckets of four
// slots (table.go), packed without padding (words.go) or sorted (sorted.go),
// the two buckets of a fingerprint (partners.go), and how others move to make
// room for it (path.go).
package table

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Errs makes the errors of package cuckoo and of the packages below it.
var Errs = &fault.Maker{Package: "cuckoo"}

// The errors of an Add. They are made once, so that an Add that fails does not
// allocate.
var (
	ErrFull   = Errs.Errorf("%w: no eviction path found", fault.ErrFull)
	ErrCopies = Errs.Errorf("%w for this key: its two buckets hold eight copies", fault.ErrFull)
)

// Slots is b, the number of slots in a bucket.
const Slots = 4

// maxNarrow is the widest fingerprint of which a word holds four.
const maxNarrow = 16

// A Shape describes a table. Its caller has checked it.
type Shape struct {
	Buckets uint64
	Bits    int   // f, the width of a fingerprint: 4 to 32
	Sorted  bool  // buckets are sorted, which saves a bit per slot
	Tail    uint8 // the lowest bits of a fingerprint, which do not choose its partner
}

// BucketBits returns the size of a bucket in bits.
func (s Shape) BucketBits() uint64 {
	if s.Sorted {
		return Slots * uint64(s.Bits-1)
	}
	return Slots * uint64(s.Bits)
}

// Bytes returns the size of the table: the whole words that hold the buckets,
// and one more.
func (s Shape) Bytes() uint64 {
	n := s.Buckets * s.BucketBits()
	return 8 * (n/64 + (n%64+63)/64 + 1)
}

// A Table is an array of buckets, each of four fingerprints of f bits. A zero
// fingerprint is a free slot.
//
// A bucket is read as lanes, one for each slot, and they are compared all at
// once. Those of a narrow table, of at most 16 bits, are in one word; those of
// a wide one are in two words of two lanes. This is the only difference that
// the methods below make, at their door; whether buckets are sorted concerns
// only how lanes are read and written.
type Table struct {
	bytes  []byte // at least 7 spare bytes, so that 8-byte loads stay in bounds
	stride uint64 // bits from one bucket to the next
	width  uint64 // bits from one lane to the next
	mask   uint64 // 2^f-1
	ones   uint64 // the lowest bit of every lane
	tops   uint64 // the highest bit of every lane
	rest   uint64 // f-4, if sorted
	low    uint64 // the lowest f-4 bits of every other lane, if sorted
	wide   bool
	sorted bool
	plain  bool // neither; false in the zero Table, so that fast paths need not test for it
	tail   uint64
	heads  uint64 // mask without the lowest tail bits, shifted down by them
}

// New returns the table of a shape over s.Bytes() bytes.
func New(s Shape, bytes []byte) Table {
	f := uint64(s.Bits)
	t := Table{
		bytes: bytes, stride: s.BucketBits(), width: f, mask: 1<<f - 1,
		wide: f > maxNarrow, sorted: s.Sorted, plain: f <= maxNarrow && !s.Sorted, tail: uint64(s.Tail),
	}
	if t.sorted {
		t.width, t.rest, t.low = maxNarrow, f-nibble, t.mask>>nibble
		if t.wide {
			t.width = 2 * maxNarrow
		}
	}
	t.ones = 1 | 1<<t.width
	if !t.wide {
		t.ones |= t.ones << (2 * t.width)
		t.low |= t.low << (2 * t.width)
	}
	t.tops = t.ones << (t.width - 1)
	t.heads = t.mask >> s.Tail
	return t
}

// Bytes returns the memory of t.
func (t *Table) Bytes() []byte { return t.bytes }

// Mask returns 2^f-1, the largest fingerprint.
func (t *Table) Mask() uint64 { return t.mask }

// Made panics if t is the zero Table, which is in a zero Filter.
func (t *Table) Made() {
	if t.stride == 0 {
		zero()
	}
}

// zero panics. Inlined, its arguments would enlarge the frames of its callers.
//
//go:noinline
func zero() { Errs.Zero("Filter or View", "New or NewView, or decode into it") }

// Has reports whether bucket i or j holds fp. It looks at both, whatever the
// first one says: a branch that half the keys mispredict costs more than the
// look it would save.
func (t *Table) Has(i, j, fp uint64) bool {
	if !t.plain {
		return t.hasLanes(i, j, fp)
	}
	return t.Any(t.Word(i), t.Word(j), fp)
}

// hasLanes is Has for buckets of two words, or of sorted slots.
func (t *Table) hasLanes(i, j, fp uint64) bool {
	if t.sorted && !t.wide {
		return t.Any(t.Decode(t.Word(i)), t.Decode(t.Word(j)), fp)
	}
	t.Made()
	a, b := t.Lanes(i)
	c, d := t.Lanes(j)
	return t.Matches(a, fp)|t.Matches(b, fp)|t.Matches(c, fp)|t.Matches(d, fp) != 0
}

// Count returns how many slots of buckets i and j hold fp.
func (t *Table) Count(i, j, fp uint64) int {
	t.Made()
	if t.wide {
		a, b := t.Lanes(i)
		c, d := t.Lanes(j)
		// The two bits of one word and those of the other do not overlap.
		return bits.OnesCount64(t.Matches(a, fp)>>1|t.Matches(b, fp)) +
			bits.OnesCount64(t.Matches(c, fp)>>1|t.Matches(d, fp))
	}
	v, w := t.Word(i), t.Word(j)
	if t.sorted {
		v, w = t.Decode(v), t.Decode(w)
	}
	return bits.OnesCount64(t.Matches(v, fp)) + bits.OnesCount64(t.Matches(w, fp))
}

// countIn returns how many slots of bucket i hold fp.
func (t *Table) countIn(i, fp uint64) int {
	a, b := t.Lanes(i)
	n := bits.OnesCount64(t.Matches(a, fp))
	if t.wide {
		n += bits.OnesCount64(t.Matches(b, fp))
	}
	return n
}

// Put puts fp in a free slot of bucket i or j, and reports whether there was
// one. It takes the bucket with more free slots while none has been freed by a
// removal, see emptier.
func (t *Table) Put(i, j, fp uint64) bool {
	if !t.plain {
		return t.putLanes(i, j, fp)
	}
	i, j = i*t.stride, j*t.stride
	bit, free := emptier(i, j, t.Matches(t.load(i), 0), t.Matches(t.load(j), 0))
	if free == 0 {
		return false
	}
	t.flip(bit+t.lowest(free), fp)
	return true
}

// putLanes is Put for buckets of two words, or of sorted slots.
func (t *Table) putLanes(i, j, fp uint64) bool {
	t.Made()
	if t.wide {
		if t.countIn(i, 0) < t.countIn(j, 0) {
			i = j
		}
		return t.PutIn(i, fp)
	}
	v, w := t.Decode(t.Word(i)), t.Decode(t.Word(j))
	a, b := t.Matches(v, 0), t.Matches(w, 0)
	k, free := emptier(i, j, a, b)
	if free == 0 {
		return false
	}
	w, _ = emptier(v, w, a, b)
	t.encode(k*t.stride, w^fp<<(t.lowest(free)&63))
	return true
}

// emptier returns i and a, or j and b if b has more free slots: a and b have
// the top bits of the free ones. Slots fill from the lowest, so the fewer are
// taken, the larger is the number. A branch would be taken at random.
func emptier(i, j, a, b uint64) (bucket, free uint64) {
	_, less := bits.Sub64(a, b, 0)
	return either(i, j, less), either(a, b, less)
}

// either returns x, or y if second is 1.
func either(x, y, second uint64) uint64 { return x ^ (x^y)&-second }

// Take frees one slot of bucket i that holds fp, or of bucket j if there is
// none in i, and reports whether it did. It looks at both, as Has does.
func (t *Table) Take(i, j, fp uint64) bool {
	t.Made()
	if t.wide {
		return t.Remove(i, fp) || t.Remove(j, fp)
	}
	v, w := t.Word(i), t.Word(j)
	if t.sorted {
		v, w = t.Decode(v), t.Decode(w)
	}
	a, b := t.Matches(v, fp), t.Matches(w, fp)
	if a|b == 0 {
		return false
	}
	_, none := bits.Sub64(a, 1, 0) // 1 if none is in i
	bit, lane := either(i, j, none)*t.stride, t.lowest(a|b&-none)
	if t.sorted {
		t.encode(bit, either(v, w, none)^fp<<(lane&63))
	} else {
		t.flip(bit+lane, fp)
	}
	return true
}

// PutIn puts fp in a free slot of bucket i, and reports whether there was one.
func (t *Table) PutIn(i, fp uint64) bool { return t.exchange(i, 0, fp) }

// Remove frees one slot of bucket i that holds fp, and reports whether there
// was one.
func (t *Table) Remove(i, fp uint64) bool { return t.exchange(i, fp, 0) }

// exchange puts fp in one slot of bucket i that holds old, and reports whether
// there was one.
func (t *Table) exchange(i, old, fp uint64) bool {
	bit := i * t.stride
	var w, m uint64
	switch {
	case t.wide && t.sorted:
		return t.exchangeSorted(i, old, fp)
	case t.wide:
		if m = t.Matches(t.load64(bit), old); m == 0 {
			bit += 2 * t.width
			m = t.Matches(t.load64(bit), old)
		}
	case t.sorted:
		w = t.Decode(t.load(bit))
		m = t.Matches(w, old)
	default:
		m = t.Matches(t.load(bit), old)
	}
	if m == 0 {
		return false
	}
	if t.sorted {
		t.encode(bit, w^(old^fp)<<(t.lowest(m)&63))
	} else {
		t.flip(bit+t.lowest(m), old^fp)
	}
	return true
}

// Fingerprints returns what the slots of bucket i hold.
func (t *Table) Fingerprints(i uint64) (list [Slots]uint64) {
	a, b := t.Lanes(i)
	for s := range list {
		list[s] = t.Lane(a, b, s)
	}
	return list
}

// Free returns the number of free slots of buckets 0 to n-1.
func (t *Table) Free(n uint64) (free uint64) {
	for i := range n {
		free += uint64(t.countIn(i, 0))
	}
	return free
}

// InOrder reports whether bucket i is one that Put and Remove leave. In a
// sorted table it must begin with the number of some nibbles, and its
// fingerprints must ascend.
func (t *Table) InOrder(i uint64) bool {
	if !t.sorted {
		return true
	}
	v := t.Fingerprints(i)
	return t.Word(i)&codeMask < codes && v[0] <= v[1] && v[1] <= v[2] && v[2] <= v[3]
}

// Clone returns a copy that shares no memory with t.
func (t *Table) Clone() Table {
	c := *t
	c.bytes = slices.Clone(t.bytes)
	return c
}
