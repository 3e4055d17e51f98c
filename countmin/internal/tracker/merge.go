package tracker

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// Merge adds what o counted, which has the same Goal. Keys that either tracks
// are tracked, as far as memory allows; beyond that t is swept as by an
// Observe. O(memory of both) time; it allocates.
func (t *Tracker) Merge(o *Tracker) {
	switch {
	case o.total == 0:
		return
	case o == t:
		c := t.Clone()
		o = &c
	case t.total == 0:
		*t = o.Clone()
		return
	}
	mine, theirs := *t, o.tail.clone()
	mine.tail = t.tail.clone()
	t.addTail(&theirs)
	t.total = addSat(t.total, o.total)
	joint := make(log, 0, len(t.log)+len(o.log))
	for _, side := range []*Tracker{&mine, o} {
		for r := range side.log.all() {
			d := side.log.digest(r)
			if side == o && mine.index.find(mine.log, d) != none {
				continue // has been merged already
			}
			count, guess := t.joint(d, &mine, o)
			joint = append(joint.appendHead(count, guess, d), side.log.key(r)...)
		}
	}
	t.floor, t.missed = max(t.floor, o.floor), addSat(t.missed, o.missed)
	t.log, t.room = joint, max(t.room, o.room)
	t.fit()
}

// joint returns the count of a key that a or b tracks, or both, and how much of
// that is estimate. What the key counted before it was tracked is in the tail,
// on either side; so the merged tail of t is asked, and all that was counted
// exactly is added to it. That does not depend on the order of merges.
//
// If a guess has reached maxGuess, how much of a count is exact is not known,
// and the upper bounds of both sides are added instead.
func (t *Tracker) joint(d hashfam.Digest, a, b *Tracker) (count, guess uint64) {
	exact, known := uint64(0), true
	for _, side := range []*Tracker{a, b} {
		if r := side.index.find(side.log, d); r != none {
			exact = addSat(exact, side.log.exact(r))
			known = known && side.log.guess(r) != maxGuess
		}
	}
	if !known {
		count = addSat(a.Estimate(d).High, b.Estimate(d).High)
		return count, count
	}
	guess = t.tail.count(d)
	count = min(addSat(exact, guess), t.total)
	return count, min(guess, count)
}

// addTail adds the counters of l, which it may change, to the tail. Both are
// brought to the same shape first: the wider counter width and the smaller
// counter count.
func (t *Tracker) addTail(l *tail) {
	for {
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
		if t.tail.addTail(l) {
			return
		}
		if t.tail.shift == tailMaxShift {
			t.tail.addSaturated(l)
			return
		}
		t.widen(&t.tail)
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
		heads = min(heads, t.maxHeads())
	}
	t.log = append(make(log, 0, len(t.log)), t.log...)
	t.live = t.index.relink(t.log, make([]uint32, heads))
	t.refused = refusal{}
}

// Fresh returns an empty tracker of the same goal. O(Memory) time; it
// allocates.
func (t *Tracker) Fresh() Tracker {
	if t.blank() {
		return Tracker{}
	}
	return New(t.Goal)
}

// Clone returns a copy that shares nothing with t. O(memory) time.
func (t *Tracker) Clone() Tracker {
	c := *t
	c.tail = t.tail.clone()
	c.index.heads = slices.Clone(t.index.heads)
	c.log = append(make(log, 0, cap(t.log)), t.log...)
	return c
}
