// Package table stores a cuckoo filter's fingerprints in buckets with four
// slots.
//
// To read the code, start with table.go, which adds and finds fingerprints. The
// other files are
//
//   - bucket.go: how buckets are stored
//   - lanes.go: comparing all slots of a bucket in parallel
//   - partners.go: the two buckets of a fingerprint
//   - path.go: moving fingerprints to make room
//   - vector_*.go and vector_*.s: on amd64, many fingerprints at once, using
//     AVX-512
package table

import (
	"fmt"
	"math/bits"

	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/fault"
)

// Errs creates the errors of package cuckoo and its internal packages.
var Errs = &fault.Maker{Package: "cuckoo"}

// The errors of Add are created once, so that a failed Add does not allocate.
var (
	ErrFull   = Errs.Errorf("filter is full")
	ErrCopies = fmt.Errorf("%w for this key: its two buckets hold eight copies", ErrFull)
)

// Slots is the number of slots in a bucket.
const Slots = 4

// maxNarrow is the largest width for which four fingerprints fit in a word.
const maxNarrow = 16

// A Shape describes a table. The caller must check its fields.
type Shape struct {
	Buckets uint64
	Bits    int   // f, the fingerprint width: 4 to 32
	Sorted  bool  // whether buckets are sorted, which saves a bit per slot
	Tail    uint8 // the number of low fingerprint bits that do not select the other bucket
}

// Saved returns the number of bits by which a slot is narrower than a
// fingerprint.
func Saved(sorted bool) int {
	if sorted {
		return 1
	}
	return 0
}

// BucketBits returns the bucket size in bits.
func (s Shape) BucketBits() uint64 { return Slots * uint64(s.Bits-Saved(s.Sorted)) }

// Bytes returns the table size: the words that contain the buckets, and another
// word.
func (s Shape) Bytes() uint64 {
	n := s.Buckets * s.BucketBits()
	return 8 * (n/64 + (n%64+63)/64 + 1)
}

// A Table is an array of buckets with four fingerprints of f bits each. A free
// slot contains a zero fingerprint. A narrow table, with fingerprints of up to
// 16 bits, reads a bucket as a single word, while a wide table reads it as
// [Lanes]. Both can store buckets plain or sorted.
type Table struct {
	Bytes  []byte // at least 8 bytes longer than the buckets; see load and load16
	stride uint64 // bits from one bucket to the next; 0 in the zero Table
	Narrow bool   // false in the zero Table, so that only wide tables must check for it
	Sorted bool
	tail   uint64 // see Shape
	format
	rest     uint64 // f-4: the length of a rest, see bucket.go
	restMask uint64 // the bits of a rest, in both halves of a word
}

// New returns a table that uses bytes, which must be s.Bytes() long.
func New(s Shape, bytes []byte) Table {
	f := uint64(s.Bits)
	lane := f
	if s.Sorted {
		lane = max(maxNarrow, uint64(1)<<bits.Len64(f-1))
	}
	rest := f - nibble
	return Table{
		Bytes:    bytes,
		stride:   s.BucketBits(),
		Narrow:   f <= maxNarrow,
		Sorted:   s.Sorted,
		tail:     uint64(s.Tail),
		format:   newFormat(f, lane),
		rest:     rest,
		restMask: (1<<rest - 1) * (1<<32 + 1),
	}
}

// zeroTable is the panic value if a Filter or View without a table is used.
var zeroTable = Errs.Zero("Filter or View", "New or NewView, or decode into it")

// Made returns t. It panics if t is zero: buckets have no bits.
func (t *Table) Made() *Table {
	if t.stride == 0 {
		panic(zeroTable)
	}
	return t
}

// Has reports whether bucket i or j contains fp. It always reads both buckets,
// because a branch that is often mispredicted would cost more.
func (t *Table) Has(i, j, fp uint64) bool {
	if !t.Narrow {
		t.Made()
		x := t.Spread(fp)
		return t.AnyZero(t.Lanes(i).Xor(x), t.Lanes(j).Xor(x))
	}
	v := t.Word(i)
	w := t.Word(j)
	if t.Sorted {
		v = t.Decode(v)
		w = t.Decode(w)
	}
	return t.Any(v, w, fp)
}

// Count returns the number of slots in buckets i and j that contain fp.
func (t *Table) Count(i, j, fp uint64) int {
	if !t.Narrow {
		t.Made()
		x := t.Spread(fp)
		return t.Zeros(t.Lanes(i).Xor(x)).Count() + t.Zeros(t.Lanes(j).Xor(x)).Count()
	}
	v := t.Word(i)
	w := t.Word(j)
	if t.Sorted {
		v = t.Decode(v)
		w = t.Decode(w)
	}
	return bits.OnesCount64(t.matches(v, fp)) + bits.OnesCount64(t.matches(w, fp))
}

// Put puts fp in a free slot of bucket i or j and reports whether there was
// one. It selects the bucket with more free slots.
//
// In a narrow table, Put computes a word for each bucket in which one bit is
// set for each free slot, and compares the two words as numbers. The greater
// one belongs to the bucket with more free slots, because a plain bucket is
// filled from the lowest slot, and a sorted bucket from the highest. After
// fingerprints have been removed from plain buckets, this can select the wrong
// one.
func (t *Table) Put(i, j, fp uint64) bool {
	switch {
	case !t.Narrow:
		return t.exchangeWide(i, j, 0, fp)
	case t.Sorted:
		return t.Exchange(i, j, 0, fp)
	}
	a := t.matches(t.Word(i), 0)
	b := t.matches(t.Word(j), 0)
	_, second := bits.Sub64(a, b, 0) // 1 if a < b
	free := either(a, b, second)
	if free == 0 {
		return false
	}
	t.flip(either(i, j, second)*t.stride+t.lowest(free), fp)
	return true
}

// Exchange puts fp in a slot of bucket i or j that contains old and reports
// whether there was one. If fp is zero, this removes old. In a narrow table,
// Exchange selects the bucket as Put does, without a branch, which would be
// mispredicted half the time.
func (t *Table) Exchange(i, j, old, fp uint64) bool {
	if !t.Narrow {
		return t.exchangeWide(i, j, old, fp)
	}
	v := t.Word(i)
	w := t.Word(j)
	if t.Sorted {
		v = t.Decode(v)
		w = t.Decode(w)
	}
	a := t.matches(v, old)
	b := t.matches(w, old)
	if a|b == 0 {
		return false
	}
	_, second := bits.Sub64(a, b, 0) // 1 if a < b
	i = either(i, j, second)
	lane := t.lowest(either(a, b, second))
	if t.Sorted {
		v = either(v, w, second) ^ (old^fp)<<(lane&63)
		t.encode(i, t.split(Lanes{v, 0}))
	} else {
		t.flip(i*t.stride+lane, old^fp)
	}
	return true
}

// either returns x, or y if second is 1.
func either(x, y, second uint64) uint64 { return x ^ (x^y)&-second }

// exchangeWide implements Exchange for wide tables. If old is zero, it reads
// both buckets and selects the one with more free slots. Otherwise it reads
// bucket j only if it does not find old in bucket i.
func (t *Table) exchangeWide(i, j, old, fp uint64) bool {
	t.Made()
	x := t.Spread(old)
	v := t.Lanes(i)
	matches := t.Zeros(v.Xor(x))
	if old == 0 || matches == (Lanes{}) {
		w := t.Lanes(j)
		others := t.Zeros(w.Xor(x))
		switch {
		case others.Count() > matches.Count():
			i = j
			v = w
			matches = others
		case matches == (Lanes{}):
			return false
		}
	}
	lane := matches.first() + 1 - t.width
	if t.Sorted {
		t.encode(i, t.split(v.Xor(shifted(old^fp, lane))))
	} else {
		t.flip(i*t.stride+lane, old^fp)
	}
	return true
}

// Fill puts fingerprints in bucket i, which must be empty.
func (t *Table) Fill(i uint64, list [Slots]uint64) {
	v := t.join(list)
	switch {
	case t.Sorted:
		t.encode(i, list)
	case t.Narrow:
		t.flip(i*t.stride, v.Low)
	default:
		t.flip16(i*t.stride, v)
	}
}

// Fingerprints returns the fingerprints in bucket i.
func (t *Table) Fingerprints(i uint64) [Slots]uint64 { return t.split(t.Lanes(i)) }

// Free returns the number of free slots in buckets 0 to n-1.
func (t *Table) Free(n uint64) (free uint64) {
	for i := range n {
		free += uint64(t.Zeros(t.Lanes(i)).Count())
	}
	return free
}

// A Place describes a key in a table: its two buckets and its fingerprint.
type Place struct{ I, J, FP uint64 }

// Touch reads a byte of buckets i and j, which brings them into the cache.
func (t *Table) Touch(i, j uint64) byte {
	return t.Bytes[i*t.stride>>3] | t.Bytes[j*t.stride>>3]
}

// TouchAll touches all places, so that their cache misses overlap.
func (t *Table) TouchAll(places []Place) {
	touched := byte(0)
	for k := range places {
		p := &places[k]
		touched |= t.Touch(p.I, p.J)
	}
	batch.Use(uint64(touched))
}

// HasAll appends to dst, for each place, whether its buckets contain its
// fingerprint. In a narrow table, it first replaces the bucket numbers in
// places by the words of these buckets, so that cache misses overlap.
func (t *Table) HasAll(dst []bool, places []Place) []bool {
	if !t.Narrow {
		t.TouchAll(places)
		for _, p := range places {
			dst = append(dst, t.Has(p.I, p.J, p.FP))
		}
		return dst
	}
	for k := range places {
		p := &places[k]
		p.I = t.Word(p.I)
		p.J = t.Word(p.J)
	}
	for k := range places {
		p := &places[k]
		if t.Sorted {
			p.I = t.Decode(p.I)
			p.J = t.Decode(p.J)
		}
		dst = append(dst, t.Any(p.I, p.J, p.FP))
	}
	return dst
}
