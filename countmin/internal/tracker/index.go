package tracker

import (
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// An index is used to find a log's records by their digests. Records with the
// same head form a chain through the log.
type index struct {
	heads   []record // the first record of each chain, or none
	scatter uint64   // odd and random
}

// newIndex returns an index with the given number of chains. Anyone can choose
// digests of the public family, but since the index has a random multiplier, no
// choice is likely to lead to many long chains (Dietzfelbinger et al., Journal
// of Algorithms 25, 1997).
func newIndex(chains int) index {
	return index{heads: make([]record, chains), scatter: rand.Uint64() | 1}
}

// head returns the head of d's chain.
func (x *index) head(d hashfam.Digest) *record {
	return &x.heads[hashfam.Reduce(uint64(d)*x.scatter, uint64(len(x.heads)))]
}

// find returns the record in l for the key with digest d, or none, in O(1) time
// on average.
func (x *index) find(l log, d hashfam.Digest) record {
	r := *x.head(d)
	for r != none && l.digest(r) != d {
		r = l.next(r)
	}
	return r
}

// link appends r, which must not be in a chain yet, to the chain of its digest.
// Keys that were admitted early are therefore found first, which saves time
// because they are usually the most frequent ones.
func (x *index) link(l log, r record) {
	l.setNext(r, none)
	head := x.head(l.digest(r))
	if *head == none {
		*head = r
		return
	}
	last := *head
	for next := l.next(last); next != none; next = l.next(last) {
		last = next
	}
	l.setNext(last, r)
}

// relink rebuilds all chains.
func (t *Tracker) relink() {
	clear(t.index.heads)
	for r := range t.log.all() {
		t.index.link(t.log, r)
	}
}
