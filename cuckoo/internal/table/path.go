package table

import "math/bits"

// A search visits a limited number of buckets: the key's two buckets, and then
// four for each bucket from which it tries to move a fingerprint. The queue of
// these buckets is on the stack and first has the length near, which is enough
// for more than 90% of all searches. The next length, Middle, is enough for
// more than 99.9%, so few searches need to clear the 64 KiB of stack for Far.
// Tables that can grow instead should only use Middle. In a small table, the
// limit is patience times the number of buckets.
//
// BenchmarkFailedAdd in package cuckoo measures failed searches with Far.
const (
	near     = 2 + Slots*16
	Middle   = 2 + Slots*127 // within patience in the smallest table, with two buckets
	Far      = 2 + Slots*2048
	patience = 256
)

// Evict puts fp in bucket i or j, which are full, after moving other
// fingerprints along a shortest path to a free slot. The parameter reach, which
// is Middle or Far, limits the search for this path. If there is no such path,
// Evict returns false and the table is unchanged.
func (t *Table) Evict(p *Partners, i, j, fp uint64, reach int) bool {
	var queue [near]uint64
	queue[0] = i
	queue[1] = j
	return t.move(p, queue[:], 2, fp) || t.evictMiddle(p, queue[:], fp, reach)
}

// evictMiddle continues Evict with a longer queue in another stack frame.
//
//go:noinline
func (t *Table) evictMiddle(p *Partners, shorter []uint64, fp uint64, reach int) bool {
	var queue [Middle]uint64
	if t.move(p, queue[:], copy(queue[:], shorter), fp) {
		return true
	}
	return reach > Middle && t.evictFar(p, queue[:], fp)
}

//go:noinline
func (t *Table) evictFar(p *Partners, shorter []uint64, fp uint64) bool {
	var queue [Far]uint64
	visits := min(Far, patience*p.buckets)
	return t.move(p, queue[:visits], copy(queue[:], shorter), fp)
}

// move is a breadth-first search. It visits the buckets to which fingerprints
// in the key's two buckets could move, then the buckets that are one move
// further away, and so on, until it finds a free slot or the queue is full.
// When it finds a free slot, it moves the fingerprints along the path, puts fp
// in the slot that becomes free in the path's first bucket, and returns true.
//
// When move is called, elements 0 to known-1 of the queue are already set.
// Elements 0 and 1 are the key's buckets. Element k > 1 is the bucket to which
// one fingerprint could move: the one in slot (k-2) mod 4 of the bucket that is
// element (k-2)/4.
//
// The search finds a shortest path, which does not contain a bucket twice: the
// part between both occurrences could be left out.
func (t *Table) move(p *Partners, queue []uint64, known int, fp uint64) bool {
	for to := known; to+Slots <= len(queue); to += Slots {
		i := queue[(to-2)/Slots]
		next := (*[Slots]uint64)(queue[to:])
		a, b, c, d := t.unpack(t.Lanes(i))
		next[0] = p.Other(i, p.Hash(a>>(t.tail&63)))
		next[1] = p.Other(i, p.Hash(b>>(t.tail&63)))
		next[2] = p.Other(i, p.Hash(c>>(t.tail&63)))
		next[3] = p.Other(i, p.Hash(d>>(t.tail&63)))
		if s := t.firstFree(next); s < Slots {
			t.shift(queue, to+s, fp)
			return true
		}
	}
	return false
}

// firstFree returns the index of the first of four buckets that has a free
// slot, or four. It reads all four, so that their cache misses overlap.
func (t *Table) firstFree(list *[Slots]uint64) int {
	free := uint64(1 << Slots)
	for s, i := range list {
		found := false
		switch {
		case t.Sorted:
			found = t.hasFree(t.Word(i))
		case t.Narrow:
			found = t.matches(t.Word(i), 0) != 0
		default:
			found = t.Zeros(t.load16(i*t.stride)) != (Lanes{})
		}
		if found {
			free |= 1 << s
		}
	}
	return bits.TrailingZeros64(free)
}

// shift moves each fingerprint on the path by one step, starting at the end,
// and puts fp in the slot that becomes free in the path's first bucket.
func (t *Table) shift(queue []uint64, last int, fp uint64) {
	free := uint64(0) // the fingerprint that the next one replaces
	for last >= 2 {
		from := (last - 2) / Slots
		moved := t.Fingerprints(queue[from])[(last-2)%Slots]
		t.Exchange(queue[last], queue[last], free, moved)
		last = from
		free = moved
	}
	t.Exchange(queue[last], queue[last], free, fp)
}
