package tracker

import (
	"iter"
	"math"
	"math/bits"
)

// Shards are trackers that share the keys of a stream: the key with digest d is
// counted by the tracker d.Shard(n) of n. Each has a Goal of n Shards. A key is
// frequent by the count of the whole stream, of which a shard must be told.

// Elsewhere tells t that the other shards have counted n, or more. With what t
// has counted itself that is what a share Phi is of. A number that is too low
// costs memory and nothing else. O(1) time.
func (t *Tracker) Elsewhere(n uint64) { t.elsewhere = n }

// RankedOf is Ranked for the keys of all shards.
func RankedOf(shards iter.Seq[*Tracker], least uint64, few int) iter.Seq2[string, Estimate] {
	var items []item
	for t := range shards {
		items = t.appendItems(items, least)
	}
	return ranked(items, few)
}

// Join returns a tracker of goal g that has counted what the shards have. No
// key is known to two of them, so nothing is added up but the totals: a counter
// of the joint tail has to be no less than the count of any single key, which
// the largest of the shards' counters is. Records stay as they are. O(memory)
// time; it allocates.
func Join(g Goal, shards iter.Seq[*Tracker]) Tracker {
	t := newTracker(g, g.tailWords())
	t.log = t.log[:0]
	for s := range shards {
		t.total = addSat(t.total, s.total)
		t.floor, t.missed = max(t.floor, s.floor), max(t.missed, s.missed)
		t.cover(&s.tail)
		t.log = append(t.log, s.log...)
	}
	t.hold()
	return t
}

// Stray reports whether t tracks a key that another one of n shards should. t
// is the shard with the given number. O(records) time.
func (t *Tracker) Stray(shard, n int) bool {
	for r := range t.log.all() {
		if t.log.digest(r).Shard(n) != shard {
			return true
		}
	}
	return false
}

// Split returns the trackers of goal g, of g.Shards shards, that together have
// counted what t has. The first one has the total. Counters of their tails
// stand for several of the tail of t, so estimates of rare keys are higher.
// O(memory) time; it allocates.
func (t *Tracker) Split(g Goal) []Tracker {
	shards := make([]Tracker, g.Shards)
	for i := range shards {
		s := newTracker(g, g.tailWords())
		s.floor, s.missed, s.elsewhere = t.floor, t.missed, t.total
		s.cover(&t.tail)
		shards[i] = s
	}
	shards[0].total, shards[0].elsewhere = t.total, 0
	for r, end := range t.log.all() {
		s := &shards[t.log.digest(r).Shard(g.Shards)]
		s.log = append(s.log, t.log[r:end]...)
	}
	for i := range shards {
		shards[i].hold()
	}
	return shards
}

// hold settles a log that was built elsewhere. All of it has room if memory
// grows.
func (t *Tracker) hold() {
	if t.grows() && t.lacks(0) > 0 {
		t.grow(uint64(len(t.log)))
	}
	t.fit()
}

// fit settles a log that was built elsewhere, and sweeps it if there is no room
// for all of it.
func (t *Tracker) fit() {
	t.settle()
	if t.lacks(0) > 0 {
		t.makeRoom(0, math.MaxUint64)
		t.settle()
	}
}

// cover raises the tail's counters to those of o, for every key, whatever the
// shape of either.
func (t *Tracker) cover(o *tail) {
	for most := o.max(); most > t.tail.limit(); {
		t.widen(&t.tail)
	}
	t.tail.cover(o)
}

// cover makes every counter at least as large as each counter of o that has a
// key in common with it. In a row of w counters a key is in the one that
// contains its point of the unit interval, so these are the counters of o whose
// intervals overlap. All counts of o must fit.
func (t *tail) cover(o *tail) {
	w, v := t.cells()/tailRows, o.cells()/tailRows
	for i := range w {
		first, last := overlap(i, w, v)
		for row := range uint64(tailRows) {
			most := uint64(0)
			for j := first; j <= last; j++ {
				most = max(most, o.get(row*v+j))
			}
			t.lift(row*w+i, most)
		}
	}
}

// overlap returns the first and the last of v equal intervals that overlap
// interval i of w.
func overlap(i, w, v uint64) (first, last uint64) {
	hi, lo := bits.Mul64(i, v)
	first, _ = bits.Div64(hi, lo, w)
	hi, lo = bits.Mul64(i+1, v)
	last, rest := bits.Div64(hi, lo, w)
	if rest == 0 {
		last--
	}
	return first, last
}
