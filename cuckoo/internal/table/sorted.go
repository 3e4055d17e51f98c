package table

import (
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A plain bucket stores its lanes without padding, so it may start within a
// byte. If f is 10, for example:
//
//	bit 79         39       29       19       9       0
//	    | bucket 1 | slot 3 | slot 2 | slot 1 | slot 0 |
//
// A sorted bucket stores its fingerprints a <= b <= c <= d in ascending order,
// so their highest four bits, or nibbles, are also ascending. Since there are
// only 3,876 ascending sequences of four nibbles, the bucket stores the
// sequence's number in 12 bits instead of the nibbles' 16 bits. (Fan et al.,
// section 5.2, use the lowest bits; with the highest, fingerprints are sorted
// as numbers.) The rest of a fingerprint is its lowest f-4 bits.
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
// bits. Vector instructions read eight bytes from each element, so there are
// three additional ones.
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
