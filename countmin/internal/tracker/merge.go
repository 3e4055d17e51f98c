package tracker

import (
	"slices"

	"github.com/filterfam/filterfam/internal/sizing"
)

// Merge adds the counts of the other trackers, which must have the same Goal.
// If memory allows, t will then track every key that any of the trackers
// tracked. Otherwise keys are evicted as in Observe: once at the end or, if the
// logs together are longer than 2*maxLog, several times.
func (t *Tracker) Merge(others ...*Tracker) {
	sides := append([]*Tracker{t}, others...)
	sides = slices.DeleteFunc(sides, func(side *Tracker) bool { return side.total == 0 })
	size := uint64(0) // of all logs
	for _, side := range sides {
		size += uint64(len(side.log))
	}
	switch {
	case len(sides) == 0:
	case len(sides) == 1:
		*t = sides[0].clone()
	case len(others) > 1 && size > 2*maxLog:
		t.Merge(others[0])
		t.Merge(others[1:]...)
	default:
		sum := New(t.Goal)
		sum.addTails(sides)
		sum.resize(size)
		sum.addRecords(sides)
		sum.fit()
		*t = sum
	}
}

// addTails adds everything but the records.
func (t *Tracker) addTails(sides []*Tracker) {
	for _, side := range sides {
		t.tail.addTail(side.tail)
		t.total = sizing.SaturatingAdd(t.total, side.total)
		t.floor = max(t.floor, side.floor)
		t.missed = sizing.SaturatingAdd(t.missed, side.missed)
	}
}

// addRecords adds the records to t, whose log is empty. The exact part of a
// key's count is the sum of the exact parts in all sides. The rest, which the
// sides counted in their tails, is replaced by the key's count in the merged
// tail. This count does not depend on the order of merges as long as the tail
// has the same number of counters.
func (t *Tracker) addRecords(sides []*Tracker) {
	for _, side := range sides {
		for from := range side.log.all() {
			exact := side.log.exact(from)
			d := side.log.digest(from)
			if r := t.index.find(t.log, d); r != none {
				t.log.setCount(r, sizing.SaturatingAdd(t.log.count(r), exact))
			} else {
				admit(t, exact, 0, d, side.log.key(from))
			}
		}
	}
	for r := range t.log.all() {
		guess := t.tail.count(t.log.digest(r))
		count := min(sizing.SaturatingAdd(t.log.count(r), guess), t.total)
		t.log.setCount(r, count)
		t.log.setGuess(r, min(guess, count))
	}
}

// Join returns a tracker with the combined counts of a stream's shards, which
// must have the same Goal. Tracker i of n must have counted exactly the keys
// whose digests d have d.Shard(n) = i. Since no key is in two shards, only the
// totals are added. A counter of the joint tail is the maximum of the shards'
// counters, because a counter need not exceed the highest count of its keys.
// Join copies the records.
func Join(shards []*Tracker) Tracker {
	t := New(shards[0].Goal)
	for _, s := range shards {
		t.total = sizing.SaturatingAdd(t.total, s.total)
		t.floor = max(t.floor, s.floor)
		t.missed = max(t.missed, s.missed)
		t.live += s.live
		t.tail.cover(s.tail)
		t.log = append(t.log, s.log...)
		if uint64(len(t.log)) > maxLog {
			t.fit()
		}
	}
	t.fit()
	return t
}

// Stray reports whether t, the given one of n shards, tracks a key of another
// shard.
func (t *Tracker) Stray(shard, n int) bool {
	for r := range t.log.all() {
		if t.log.digest(r).Shard(n) != shard {
			return true
		}
	}
	return false
}

// fit completes a tracker after Merge or Join has built its log. If the log is
// longer than its room, the room grows or records are evicted, as in makeRoom.
// Afterwards, the log's array has no unused memory.
func (t *Tracker) fit() {
	length := uint64(len(t.log))
	t.resize(length)
	if t.live < t.want {
		t.grow(length)
	}
	if room := t.room(); length > room {
		need := max(length-room, room/evictShare)
		t.evict(t.log.countFreeing(need, t.floor), need)
		t.resize(uint64(len(t.log)))
	}
}
