package tracker

import (
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// An index finds the records of a log by their digests. The records whose
// digests fall on the same head form a chain through the log.
type index struct {
	heads   []uint32 // the first record of each chain, as index+1, or 0
	scatter uint64   // odd and random
}

// newIndex returns an index of that many chains. Its multiplier is random, so
// that no one can choose keys that share a chain: a random odd multiple leaves
// few of any set of digests in one (Dietzfelbinger et al., Journal of
// Algorithms 25, 1997), and the digests of the public family can be chosen.
func newIndex(chains int) index {
	return index{heads: make([]uint32, chains), scatter: rand.Uint64() | 1}
}

// head returns the head of the chain of d.
func (x *index) head(d hashfam.Digest) *uint32 {
	return &x.heads[hashfam.Reduce(uint64(d)*x.scatter, uint64(len(x.heads)))]
}

// find returns the record in l of the key with digest d, or none. O(1) time on
// average.
func (x *index) find(l log, d hashfam.Digest) record {
	r := record(*x.head(d)) - 1
	for r >= 0 && l.digest(r) != d {
		r = l.next(r)
	}
	return r
}

// link puts r, which is in no chain, at the end of its chain: a key that was
// admitted long ago is likely to come again, and is found at once.
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

// relink builds all chains again, from these heads, and returns how many
// records there are. O(len(l)) time.
func (x *index) relink(l log, heads []uint32) (live int) {
	clear(heads)
	x.heads = heads
	for r := range l.all() {
		x.link(l, r)
		live++
	}
	return live
}
