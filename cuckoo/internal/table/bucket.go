package table

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A plain bucket stores four fingerprints of f bits without padding. If f and
// the bucket's number are odd, the bucket starts in the middle of a byte. For
// example, if f is 9:
//
//	bit 71         35       26       17       8        0
//	    | bucket 1 | slot 3 | slot 2 | slot 1 | slot 0 |
//
// A sorted bucket stores its fingerprints a <= b <= c <= d in ascending order.
// Their highest four bits, called nibbles, are then ascending, too. Since there
// are only 3,876 ascending sequences of four nibbles, the bucket stores the
// sequence's number, which needs 12 bits instead of 16. It is followed by the
// rest of each fingerprint, the lowest f-4 bits (Fan et al., section 5.2).
//
//	bit 4f-5                                    12 11      0
//	| rest of d | rest of c | rest of b | rest of a | number |
const (
	codeBits  = 12
	codeMask  = 1<<codeBits - 1
	codes     = 3876 // (16+4-1 choose 4)
	nibble    = 4
	nibbleMax = 1<<nibble - 1
)

// nibbles contains the four nibbles for each number, the first in the lowest
// bits. There are three additional elements at the end, because vector
// instructions read eight bytes at an element.
var nibbles = func() (list [1<<codeBits + 3]uint16) {
	for d := range uint16(16) {
		for c := range d + 1 {
			for b := range c + 1 {
				for a := range b + 1 {
					list[codeOf(uint64(a), uint64(b), uint64(c), uint64(d))] = a | b<<4 | c<<8 | d<<12
				}
			}
		}
	}
	return list
}()

// codeOf returns the number of the sequence a <= b <= c <= d, 0 to 3875, in the
// combinatorial number system for the set {a, b+1, c+2, d+3}.
func codeOf(a, b, c, d uint64) uint64 {
	return a + pairs[b&nibbleMax] + triples[c&nibbleMax] + quads[d&nibbleMax]
}

// The binomial coefficients (n+1 choose 2), (n+2 choose 3) and (n+3 choose 4).
var pairs, triples, quads = func() (p, t, q [nibbleMax + 1]uint64) {
	for n := range uint64(nibbleMax + 1) {
		p[n] = (n + 1) * n / 2
		t[n] = (n + 2) * (n + 1) * n / 6
		q[n] = (n + 3) * (n + 2) * (n + 1) * n / 24
	}
	return p, t, q
}()

// Lanes returns the lanes of bucket i.
func (t *Table) Lanes(i uint64) Lanes {
	switch {
	case !t.Narrow && t.Sorted:
		return t.decodeWide(i * t.stride)
	case !t.Narrow:
		return t.load16(i * t.stride)
	case t.Sorted:
		return Lanes{t.Decode(t.Word(i)), 0}
	}
	return Lanes{t.Word(i), 0}
}

// Word returns the word that starts at bucket i. It contains the whole bucket,
// as stored, if the table is narrow.
func (t *Table) Word(i uint64) uint64 { return t.load(i * t.stride) }

// load returns the word that starts at a bit of the table. All of its 64 bits
// are valid if this is the first bit of a byte, the lowest 60 if it is in the
// middle of a byte, and otherwise at least the lowest 57. A bucket of 64 bits
// starts at the first bit of a byte, and every other bucket starts there or in
// the middle. So if the table is narrow, the word contains the whole bucket.
func (t *Table) load(bit uint64) uint64 {
	i := bit >> 3
	return binary.LittleEndian.Uint64(t.Bytes[i:i+8]) >> (bit & 7)
}

// flip inverts the table's bits, beginning at a bit, for which change contains
// a 1. These must be valid bits of load.
func (t *Table) flip(bit, change uint64) {
	i := bit >> 3
	b := t.Bytes[i : i+8]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^change<<(bit&7))
}

// load16 is like load for 128 bits, of which the lowest 121 are always valid.
func (t *Table) load16(bit uint64) Lanes {
	i := bit >> 3
	b := t.Bytes[i : i+16]
	low := binary.LittleEndian.Uint64(b)
	high := binary.LittleEndian.Uint64(b[8:])
	s := bit & 7
	return Lanes{low>>s | high<<1<<(63-s), high >> s}
}

// flip16 is like flip for 128 bits.
func (t *Table) flip16(bit uint64, change Lanes) {
	i := bit >> 3
	b := t.Bytes[i : i+16]
	s := bit & 7
	low := change.Low << s
	high := change.High<<s | change.Low>>1>>(63-s)
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^low)
	binary.LittleEndian.PutUint64(b[8:], binary.LittleEndian.Uint64(b[8:])^high)
}

// Decode returns the lanes, 16 bits each, of a narrow sorted bucket w. The
// number in w determines the nibbles a to d of the four fingerprints, and is
// followed by their rests A to D. In two steps, Decode moves the nibbles and
// the rests to their lanes. Each step separates what is adjacent:
//
//	bit   48    32    16     0
//	  n    .     .     .  dcba
//	       .    dc     .    ba
//	       d     c     b     a
//	  w    .     .     .  DCBA
//	       .    DC     .    BA
//	       D     C     B     A
//	      dD    cC    bB    aA
//
// After the first step, w also has other bits, which the second step removes.
func (t *Table) Decode(w uint64) uint64 {
	n := uint64(nibbles[w&codeMask])
	n = (n | n<<24) & 0x000000ff_000000ff
	n = (n | n<<12) & 0x000f000f_000f000f
	w >>= codeBits
	w = w&0xffffffff | w<<((32-2*t.rest)&63)&^0xffffffff
	return w&t.restMask | w<<((16-t.rest)&63)&(t.restMask<<16) | n<<(t.rest&63)
}

// decodeWide returns the lanes, 32 bits each, of the sorted bucket that starts
// at a bit. Each half of the result consists of two rests and two nibbles.
func (t *Table) decodeWide(bit uint64) Lanes {
	n := uint64(nibbles[t.load(bit)&codeMask])
	first := t.load(bit + codeBits)
	second := t.load(bit + codeBits + 2*t.rest)
	return Lanes{t.decodePair(first, n), t.decodePair(second, n>>8)}
}

// decodePair returns two lanes. Their rests A and B are the lowest bits of w,
// and their nibbles a and b are the lowest bits of n:
//
//	bit   32     0
//	  n    .    ba
//	       b     a
//	  w    .    BA
//	       B     A
//	      bB    aA
func (t *Table) decodePair(w, n uint64) uint64 {
	n = (n | n<<28) & 0x0000000f_0000000f
	w = w&0xffffffff | w>>(t.rest&63)<<32
	return w&t.restMask | n<<(t.rest&63)
}

// hasFree reports whether sorted bucket w has a free slot: its smallest
// fingerprint, whose nibble and rest are in the lowest bits, is then zero.
func (t *Table) hasFree(w uint64) bool {
	rest := w >> codeBits & (t.Mask >> nibble)
	return uint64(nibbles[w&codeMask]&nibbleMax)|rest == 0
}

// encode stores fingerprints, which can be in any order, in sorted bucket i.
func (t *Table) encode(i uint64, v [Slots]uint64) {
	ascend(&v)
	r := t.rest & 63
	number := codeOf(v[0]>>r, v[1]>>r, v[2]>>r, v[3]>>r)
	low := t.Mask >> nibble
	first := v[0]&low | v[1]&low<<r // two rests
	second := v[2]&low | v[3]&low<<r
	bit := i * t.stride
	if t.Narrow {
		w := number | first<<codeBits | second<<((codeBits+2*r)&63)
		t.flip(bit, (t.load(bit)^w)&(1<<(t.stride&63)-1))
		return
	}
	w := shifted(first, codeBits).Xor(shifted(second, codeBits+2*r)).Xor(Lanes{number, 0})
	change := t.load16(bit).Xor(w)
	change.High &= 1<<(t.stride-64) - 1
	t.flip16(bit, change)
}

// ascend sorts four numbers with five comparisons (a sorting network).
func ascend(v *[Slots]uint64) {
	order(&v[0], &v[1])
	order(&v[2], &v[3])
	order(&v[0], &v[2])
	order(&v[1], &v[3])
	order(&v[1], &v[2])
}

func order(a, b *uint64) { *a, *b = min(*a, *b), max(*a, *b) }

// CheckOrder checks that sorted buckets 0 to n-1 start with a valid number and
// contain ascending fingerprints.
func (t *Table) CheckOrder(n uint64) error {
	if !t.Sorted {
		return nil
	}
	for i := range n {
		if code := t.Word(i) & codeMask; code >= codes {
			return Errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("code of bucket %d", i), code, fmt.Sprintf("below %d", codes))
		}
		v := t.Fingerprints(i)
		if !slices.IsSorted(v[:]) {
			return Errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("fingerprints of bucket %d", i), v, "in ascending order")
		}
	}
	return nil
}
