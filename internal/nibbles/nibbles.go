// Package nibbles implements arrays of four-bit counters.
package nibbles

import "math/bits"

// Counters are counters of four bits, sixteen to a word. Counter i is bits 4j
// to 4j+3 of word i/16, for j = i%16:
//
//	bits     63-60   59-56           11-8    7-4     3-0
//	       +-------+-------+-     -+-------+-------+-------+
//	word 0 |  15   |  14   |  ...  |   2   |   1   |   0   |
//	word 1 |  31   |  30   |  ...  |  18   |  17   |  16   |
//	       +-------+-------+-     -+-------+-------+-------+
type Counters []uint64

const (
	PerWord = 16 // number of counters in a word
	Stuck   = 15 // the value that a counter never leaves
)

const (
	lowest = 0x1111111111111111 // mask of the lowest bit of every counter
	even   = 0x0f0f0f0f0f0f0f0f // mask of the even-numbered counters
)

// At returns counter i. Because of the mask 15, the compiler knows that the
// shift is below 64 and needs no test.
func (n Counters) At(i uint64) uint64 { return n[i>>4] >> (i & 15 * 4) & 15 }

// Inc adds one to counter i unless it is stuck. It needs no branch: if c is the
// counter, bit 4 of c+1 is set only if c is 15, so the complement of this bit
// is the number to add.
func (n Counters) Inc(i uint64) {
	s := i & 15 * 4
	w := n[i>>4]
	n[i>>4] = w + ((w>>s&15+1)>>4^1)<<s
}

// Dec subtracts one from counter i unless it is stuck. The counter must not be
// zero. Dec subtracts the same number that Inc adds.
func (n Counters) Dec(i uint64) {
	s := i & 15 * 4
	w := n[i>>4]
	n[i>>4] = w - ((w>>s&15+1)>>4^1)<<s
}

// Nonzero tests all sixteen counters in w: the result contains the lowest bit
// of every counter that is not zero, and no other bit. The two shifts OR each
// counter's four bits into its lowest. Some bits also reach the next lower
// counter, but only its upper three bits, which the mask removes.
func Nonzero(w uint64) uint64 {
	w |= w >> 2
	return (w | w>>1) & lowest
}

// InUse counts the counters that are not zero.
func (n Counters) InUse() uint64 {
	used := 0
	for _, w := range n {
		used += bits.OnesCount64(Nonzero(w))
	}
	return uint64(used)
}

// sum adds the sixteen counters of two words. A sum above 15 becomes 15.
// Even-numbered and odd-numbered counters are added separately, so that each
// sum has room for a fifth bit.
func sum(a, b uint64) uint64 {
	return sumEven(a&even, b&even) | sumEven(a>>4&even, b>>4&even)<<4
}

// sumEven adds the even-numbered counters. A sum with a fifth bit becomes 15.
func sumEven(a, b uint64) uint64 {
	s := a + b
	over := s >> 4 & lowest
	return (s | over*Stuck) & even
}

// AddAll adds the counters of other, which must not be shorter, to n.
func (n Counters) AddAll(other Counters) {
	other = other[:len(n)]
	for i := range n {
		n[i] = sum(n[i], other[i])
	}
}

// Gather moves bits 0, 4, 8, ... 60 of w to bits 0 to 15. No other bit of w may
// be set. The steps close the gaps between groups of 1, 2, 4 and 8 bits.
func Gather(w uint64) uint64 {
	w = (w | w>>3) & 0x0303030303030303
	w = (w | w>>6) & 0x000f000f000f000f
	w = (w | w>>12) & 0x000000ff000000ff
	return (w | w>>24) & 0x000000000000ffff
}
