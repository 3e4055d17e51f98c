package tracker

import (
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// An index is used to find a log's records by their digests. Records with the
// same head form a chain through the log.
type index struct {
	heads   []uint32 // the first record of each chain, as index+1, or 0
	scatter uint64   // odd and random
}

// newIndex returns an index with the given number of chains. Anyone can choose
// digests of the public family, but since the index has a random multiplier, no
// choice leads to many long chains (Dietzfelbinger et al., Journal of
// Algorithms 25, 1997).
func newIndex(chains int) index {
	return index{heads: make([]uint32, chains), scatter: rand.Uint64() | 1}
}

// head returns the head of d's chain.
func (x *index) head(d hashfam.Digest) *uint32 {
	return &x.heads[hashfam.Reduce(uint64(d)*x.scatter, uint64(len(x.heads)))]
}

// find returns the record in l for the key with digest d, or none, in O(1) time
// on average.
func (x *index) find(l log, d hashfam.Digest) record {
	r := record(*x.head(d)) - 1
	for r >= 0 && l.digest(r) != d {
		r = l.next(r)
	}
	return r
}

// link appends r, which must not be in a chain yet, to its chain. Keys that
// were admitted early are therefore found first, and they are the most likely
// to come again.
func (x *index) link(l log, r record) {
	l.setNext(r, none)
	head := x.head(l.digest(r))
	if *head == 0 {
		*head = uint32(r + 1)
		return
	}
	last := record(*head) - 1
	for next := l.next(last); next != none; next = l.next(last) {
		last = next
	}
	l.setNext(last, r)
}

// relink rebuilds all chains with the given heads. It returns the number of
// records.
func (x *index) relink(l log, heads []uint32) (live int) {
	clear(heads)
	x.heads = heads
	for r := range l.all() {
		x.link(l, r)
		live++
	}
	return live
}
