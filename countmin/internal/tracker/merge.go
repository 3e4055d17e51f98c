package tracker

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// Merge adds what the others counted, which have the same Goal. Keys that any
// of them tracks are tracked, as far as memory allows; beyond that t is swept
// once, as by an Observe. O(memory of all) time; it allocates.
func (t *Tracker) Merge(others ...*Tracker) {
	sides := append([]*Tracker{t}, others...)
	sides = slices.DeleteFunc(sides, func(side *Tracker) bool { return side.total == 0 })
	if len(sides) < 2 {
		if len(sides) == 1 && sides[0] != t {
			*t = sides[0].clone()
		}
		return
	}
	sum := *sides[0]
	sum.tail = sum.tail.clone()
	for _, side := range sides[1:] {
		theirs := side.tail.clone()
		sum.addTail(&theirs)
		sum.total = AddSat(sum.total, side.total)
		sum.floor, sum.missed = max(sum.floor, side.floor), AddSat(sum.missed, side.missed)
		sum.room = max(sum.room, side.room)
	}
	sum.log = sum.jointLog(sides)
	sum.fit()
	*t = sum
}

// jointLog returns a log of the keys that any side tracks. The tail of t is the
// merged one.
func (t *Tracker) jointLog(sides []*Tracker) log {
	joint := exactLog(sides)
	for r := range joint.all() {
		count, guess := t.joint(joint.digest(r), joint.count(r), joint.guess(r) != maxGuess, sides)
		joint.setCount(r, count, guess)
	}
	return joint
}

// exactLog returns a log of the keys that any side tracks, with what was
// counted exactly, and a guess of maxGuess if that is not known. O(memory of
// all) time: a key is looked for once for each record.
func exactLog(sides []*Tracker) log {
	words, records := 0, 0
	for _, side := range sides {
		words, records = words+len(side.log), records+side.live
	}
	joint, x := make(log, 0, words), newIndex(max(1, records))
	for _, side := range sides {
		for r := range side.log.all() {
			d := side.log.digest(r)
			at := x.find(joint, d)
			if at == none {
				at = record(len(joint))
				joint = append(joint.appendHead(0, 0, d), side.log.key(r)...)
				x.link(joint, at)
			}
			guess := joint.guess(at)
			if side.log.guess(r) == maxGuess {
				guess = maxGuess
			}
			joint.setCount(at, AddSat(joint.count(at), side.log.exact(r)), guess)
		}
	}
	return joint
}

// joint returns the count of a key that some of the sides track, and how much
// of that is estimate. What the key counted before it was tracked is in the
// tail, on every side; so the merged tail of t is asked, and all that was
// counted exactly is added to it. That does not depend on the order of merges
// while the tail keeps its number of counters.
//
// If a guess has reached maxGuess, how much of a count is exact is not known,
// and the upper bounds of all sides are added instead.
func (t *Tracker) joint(d hashfam.Digest, exact uint64, known bool, sides []*Tracker) (count, guess uint64) {
	if !known {
		for _, side := range sides {
			count = AddSat(count, side.estimate(d).High)
		}
		return count, count
	}
	guess = t.tail.count(d)
	count = min(AddSat(exact, guess), t.total)
	return count, min(guess, count)
}

// addTail adds the counters of l, which it may change, to the tail. A sum that
// does not fit widens both.
func (t *Tracker) addTail(l *tail) {
	for t.match(l); !t.tail.addTail(l); t.match(l) {
		t.widen(&t.tail)
	}
}

// match brings the tail and l to the same shape: the wider counter width and
// the smaller counter count.
func (t *Tracker) match(l *tail) {
	for _, pair := range [][2]*tail{{&t.tail, l}, {l, &t.tail}} {
		for pair[0].shift < pair[1].shift {
			t.widen(pair[0])
		}
	}
	for _, pair := range [][2]*tail{{&t.tail, l}, {l, &t.tail}} {
		for len(pair[0].words) > len(pair[1].words) {
			pair[0].halve()
		}
	}
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

// settle brings a log that was built elsewhere into the tracker: it links the
// records, and leaves what else memory allows to be allocated when it is first
// needed.
func (t *Tracker) settle() {
	live := 0
	for range t.log.all() {
		live++
	}
	heads := max(1, live)
	if !t.grows() {
		t.room = t.logWords(uint64(len(t.tail.words)))
		if t.lacks(0) <= t.room { // else chains would be long, and a sweep is due
			heads = min(heads, t.maxHeads())
		}
	}
	t.log = append(make(log, 0, len(t.log)), t.log...)
	t.live = t.index.relink(t.log, make([]uint32, heads))
	t.refused = refusal{}
}

// Shards are trackers that share the keys of a stream: the key with digest d is
// counted by the tracker d.Shard(n) of n.

// Join returns a tracker that has counted what the shards have, which have the
// same Goal. No key is known to two of them, so nothing is added up but the
// totals: a counter of the joint tail has to be no less than the count of any
// single key, which the largest of the shards' counters is. Records stay as
// they are. O(memory) time; it allocates.
func Join(shards []*Tracker) Tracker {
	t := New(shards[0].Goal)
	for _, s := range shards {
		t.total = AddSat(t.total, s.total)
		t.floor, t.missed = max(t.floor, s.floor), max(t.missed, s.missed)
		theirs := s.tail.clone()
		t.match(&theirs)
		t.tail.cover(&theirs)
		t.log = append(t.log, s.log...)
	}
	if t.grows() {
		t.grow(uint64(len(t.log)))
	}
	t.fit()
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
