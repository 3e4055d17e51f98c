package tracker

import "github.com/filterfam/filterfam/hashfam"

// Merge adds what the others counted, which have the same Goal. Keys that any
// of them tracks are tracked, as far as memory allows; beyond that t is swept
// once, as by an Observe. O(memory of all) time; it allocates.
func (t *Tracker) Merge(others ...*Tracker) {
	sides := counted(t, others)
	if len(sides) == 0 {
		return
	}
	if t.total == 0 {
		*t = sides[0].clone()
	}
	if len(sides) == 1 {
		return
	}
	mine := *t
	mine.tail = t.tail.clone()
	for i, side := range sides {
		if i == 0 || side == t {
			sides[i] = &mine
		}
	}
	for _, side := range sides[1:] {
		theirs := side.tail.clone()
		t.addTail(&theirs)
		t.total = AddSat(t.total, side.total)
		t.floor, t.missed = max(t.floor, side.floor), AddSat(t.missed, side.missed)
		t.room = max(t.room, side.room)
	}
	t.log = t.jointLog(sides)
	t.fit()
}

// counted returns those of t and others that have counted anything.
func counted(t *Tracker, others []*Tracker) []*Tracker {
	sides := make([]*Tracker, 0, 1+len(others))
	for _, side := range append([]*Tracker{t}, others...) {
		if side.total > 0 {
			sides = append(sides, side)
		}
	}
	return sides
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
			count = AddSat(count, side.most(d))
		}
		return count, count
	}
	guess = t.tail.count(d)
	count = min(AddSat(exact, guess), t.total)
	return count, min(guess, count)
}

// most returns the most that the key with digest d may count.
func (t *Tracker) most(d hashfam.Digest) uint64 {
	if r := t.index.find(t.log, d); r != none {
		return t.log.count(r)
	}
	return min(t.tail.count(d), t.missed)
}

// addTail adds the counters of l, which it may change, to the tail. A sum that
// does not fit widens both; at 64 bits it stops at the largest number.
func (t *Tracker) addTail(l *tail) {
	for t.match(l); !t.tail.addTail(l); t.match(l) {
		if t.tail.shift == tailMaxShift {
			t.tail.addSaturated(l)
			return
		}
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
