package tracker

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/internal/sizing"
)

// Merge adds the counts of the other trackers, which must have the same Goal.
// If memory allows, t will then track every key that any other tracker tracks.
// Otherwise a single sweep evicts keys, as in Observe.
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
		for sum.match(&theirs); !sum.tail.addTail(&theirs); sum.match(&theirs) {
			sum.widen(&sum.tail) // a sum did not fit
		}
		sum.total = sizing.SaturatingAdd(sum.total, side.total)
		sum.floor = max(sum.floor, side.floor)
		sum.missed = sizing.SaturatingAdd(sum.missed, side.missed)
		sum.room = max(sum.room, side.room)
	}
	sum.log = exactLog(sides)
	for r := range sum.log.all() {
		sum.settleCount(r, sides)
	}
	sum.fit()
	*t = sum
}

// exactLog returns a log of the keys that any side tracks. Their counts are the
// sums of the parts that were counted exactly. If such a part is unknown, the
// guess is maxGuess.
func exactLog(sides []*Tracker) log {
	words := 0
	records := 0
	for _, side := range sides {
		words += len(side.log)
		records += side.live
	}
	joint := make(log, 0, words)
	x := newIndex(max(1, records))
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
			joint.setCount(at, sizing.SaturatingAdd(joint.count(at), side.log.exact(r)), guess)
		}
	}
	return joint
}

// settleCount adds the estimated part to the exact count of r. Every side
// counted the key in its tail before tracking it, so this part is the key's
// count in the merged tail. It does not depend on the order of merges as long
// as the tail has the same number of counters.
//
// If a guess has reached maxGuess, the exact part is unknown, so the count is
// the sum of all sides' upper bounds.
func (t *Tracker) settleCount(r record, sides []*Tracker) {
	d := t.log.digest(r)
	if t.log.guess(r) == maxGuess {
		count := uint64(0)
		for _, side := range sides {
			count = sizing.SaturatingAdd(count, side.estimate(d).High)
		}
		t.log.setCount(r, count, count)
		return
	}
	guess := t.tail.count(d)
	count := min(sizing.SaturatingAdd(t.log.count(r), guess), t.total)
	t.log.setCount(r, count, min(guess, count))
}

// match gives the tail and l the same shape: the greater width and, with a
// budget, the smaller number of words. Without one, the width determines the
// number of words.
func (t *Tracker) match(l *tail) {
	for _, pair := range [][2]*tail{{&t.tail, l}, {l, &t.tail}} {
		for pair[0].shift < pair[1].shift {
			t.widen(pair[0])
		}
		for !t.grows() && pair[0].size > pair[1].size {
			pair[0].halve()
		}
	}
}

// fit settles a log that was built elsewhere, and sweeps it if it exceeds the
// room.
func (t *Tracker) fit() {
	t.settle()
	if t.lacks(0) > 0 {
		t.makeRoom(0, math.MaxUint64)
		t.settle()
	}
}

// settle completes a tracker whose log was built elsewhere. It links the
// records. The rest of the memory will be allocated when it is first needed.
func (t *Tracker) settle() {
	if !t.grows() {
		t.room = t.logWords(uint64(t.tail.size))
	}
	t.log = append(make(log, 0, len(t.log)), t.log...)
	t.live = t.index.relink(t.log, make([]uint32, t.headsFor(uint64(len(t.log)))))
	t.refused = refusal{}
}
