// Package table stores the fingerprints of a cuckoo filter in buckets of four
// slots (table.go): how a bucket is stored (bucket.go), how its lanes are
// compared (lanes.go), which two buckets a fingerprint has (partners.go), and
// how fingerprints move to make room (path.go).
package table

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
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
// fingerprint is a free slot. A narrow table, with fingerprints of at most 16
// bits, reads a bucket as one word. A wide table reads it as [Lanes]. Both
// store buckets either plain or sorted.
type Table struct {
	bytes  []byte // at least 8 bytes more than the buckets: see load and load16
	stride uint64 // bits from one bucket to the next
	Narrow bool   // false in the zero Table, so that only the paths of wide tables look for it
	Sorted bool   // buckets are sorted
	layout        // lookups need what stands up to here and the first fields of this
	rest   uint64 // f-4
	low    uint64 // the lowest f-4 bits of both halves of a word
	tail   uint64
}

// New returns the table of a shape over s.Bytes() bytes.
func New(s Shape, bytes []byte) Table {
	f := uint64(s.Bits)
	width, mask := f, uint64(1)<<f-1
	if s.Sorted {
		width = max(maxNarrow, uint64(1)<<bits.Len64(f-1))
	}
	return Table{
		layout: newLayout(width, mask), bytes: bytes, stride: s.BucketBits(),
		rest: f - nibble, low: mask >> nibble * (1<<32 + 1),
		Narrow: f <= maxNarrow, Sorted: s.Sorted, tail: uint64(s.Tail),
	}
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

// Has reports whether bucket i or j holds fp. It reads both buckets in any
// case: a branch that half the keys mispredict costs more than the second look.
func (t *Table) Has(i, j, fp uint64) bool {
	switch {
	case !t.Narrow:
		t.Made()
		x := t.Spread(fp)
		return t.AnyZero(t.Lanes(i).Xor(x), t.Lanes(j).Xor(x))
	case t.Sorted:
		return t.Any(t.Decode(t.Word(i)), t.Decode(t.Word(j)), fp)
	}
	return t.Any(t.Word(i), t.Word(j), fp)
}

// Count returns the number of slots of buckets i and j that hold fp.
func (t *Table) Count(i, j, fp uint64) int {
	var v, w uint64
	switch {
	case !t.Narrow:
		t.Made()
		x := t.Spread(fp)
		return t.Zeros(t.Lanes(i).Xor(x)).Count() + t.Zeros(t.Lanes(j).Xor(x)).Count()
	case t.Sorted:
		v, w = t.Decode(t.Word(i)), t.Decode(t.Word(j))
	default:
		v, w = t.Word(i), t.Word(j)
	}
	return bits.OnesCount64(t.matches(v, fp)) + bits.OnesCount64(t.matches(w, fp))
}

// Put puts fp in a free slot of bucket i or j, and reports whether there was
// one. It uses the bucket with more free slots, unless a removal has freed a
// slot below one that is taken.
func (t *Table) Put(i, j, fp uint64) bool {
	switch {
	case !t.Narrow:
		t.Made()
		return t.exchangeWide(i, j, 0, fp)
	case t.Sorted:
		return t.Exchange(i, j, 0, fp)
	}
	a, b := t.matches(t.Word(i), 0), t.matches(t.Word(j), 0)
	_, second := bits.Sub64(a, b, 0)
	free := either(a, b, second)
	if free == 0 {
		return false
	}
	t.flip(either(i, j, second)*t.stride+t.lowest(free), fp)
	return true
}

// Exchange puts fp in a slot of bucket i or j that holds old, and reports
// whether there was one. As a zero is a free slot, Exchange also removes a
// fingerprint.
func (t *Table) Exchange(i, j, old, fp uint64) bool {
	var v, w uint64
	switch {
	case !t.Narrow:
		t.Made()
		return t.exchangeWide(i, j, old, fp)
	case t.Sorted:
		v, w = t.Decode(t.Word(i)), t.Decode(t.Word(j))
	default:
		v, w = t.Word(i), t.Word(j)
	}
	a, b := t.matches(v, old), t.matches(w, old)
	if a|b == 0 {
		return false
	}
	// Slots fill from the lowest, so the bucket with more free slots has the
	// larger matches. A branch would be mispredicted half the time.
	_, second := bits.Sub64(a, b, 0)
	i, lane := either(i, j, second), t.lowest(either(a, b, second))
	if t.Sorted {
		t.encode(i, quarters(either(v, w, second)^(old^fp)<<(lane&63)))
	} else {
		t.flip(i*t.stride+lane, old^fp)
	}
	return true
}

// either returns x, or y if second is 1.
func either(x, y, second uint64) uint64 { return x ^ (x^y)&-second }

// exchangeWide is Exchange for wide tables. It compares the buckets only to put
// a fingerprint in a free slot. Otherwise it reads bucket j only if bucket i
// does not hold old.
func (t *Table) exchangeWide(i, j, old, fp uint64) bool {
	v, x := t.Lanes(i), t.Spread(old)
	matches := t.Zeros(v.Xor(x))
	if old == 0 || matches == (Lanes{}) {
		w := t.Lanes(j)
		others := t.Zeros(w.Xor(x))
		if others.Count() > matches.Count() {
			i, v, matches = j, w, others
		} else if matches == (Lanes{}) {
			return false
		}
	}
	lane := matches.first() + 1 - t.width
	if t.Sorted {
		t.encode(i, halves(v.Xor(shifted(old^fp, lane))))
	} else {
		t.flip(i*t.stride+lane, old^fp)
	}
	return true
}

// Fill puts fingerprints in bucket i, which is empty.
func (t *Table) Fill(i uint64, list [Slots]uint64) {
	v := t.join(list[0], list[1], list[2], list[3])
	switch {
	case t.Sorted:
		t.encode(i, list)
	case t.Narrow:
		t.flip(i*t.stride, v.Low)
	default:
		t.flip16(i*t.stride, v)
	}
}

// Fingerprints returns the fingerprints in the slots of bucket i.
func (t *Table) Fingerprints(i uint64) [Slots]uint64 {
	a, b, c, d := t.List(t.Lanes(i))
	return [Slots]uint64{a, b, c, d}
}

// Free returns the number of free slots of buckets 0 to n-1.
func (t *Table) Free(n uint64) (free uint64) {
	for i := range n {
		free += uint64(t.Zeros(t.Lanes(i)).Count())
	}
	return free
}

// CheckOrder checks that each of buckets 0 to n-1 is one that Exchange and Fill
// can create. A sorted bucket must begin with a valid number, and its
// fingerprints must be in ascending order.
func (t *Table) CheckOrder(n uint64) error {
	if !t.Sorted {
		return nil
	}
	for i := range n {
		if v := t.Fingerprints(i); t.Word(i)&codeMask >= codes || !slices.IsSorted(v[:]) {
			return Errs.Field(hashfam.ErrCorrupt, "bucket", i, "four fingerprints in ascending order")
		}
	}
	return nil
}

// Clone returns a copy that shares no memory with t.
func (t *Table) Clone() Table {
	c := *t
	c.bytes = slices.Clone(t.bytes)
	return c
}
