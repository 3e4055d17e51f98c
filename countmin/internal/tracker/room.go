package tracker

import "slices"

// An eviction frees 1/evictShare of the log, or more. This is little enough to
// make good use of the memory, and enough to make evictions rare.
const evictShare = 16

// makeRoom reports whether a record with the given size and count should be
// admitted, and makes room for it if the log is full: while the log has fewer
// records than it should, it grows, and otherwise others are evicted.
func (t *Tracker) makeRoom(size, count uint64) bool {
	length := uint64(len(t.log)) + size
	return length <= t.room() || t.live < t.want && t.grow(length) || t.replace(size, count)
}

// replace evicts the records with the lowest counts to make room for a record
// with the given size and count, and reports whether there is room and it has a
// higher count than these. If a key that must be kept would be lost, nothing is
// evicted, but the log grows.
//
// A long record, with more than 1/evictShare of the log, would displace many
// others. If it does not have a higher count, they stay.
func (t *Tracker) replace(size, count uint64) bool {
	if size > t.roomFor(size) {
		return false // too long even for an empty log
	}
	length := uint64(len(t.log)) + size
	room := t.room()
	long := size > room/evictShare
	need := max(length-room, room/evictShare)
	bar := t.log.countFreeing(need, t.floor)
	lost := bar // the highest count that would be lost
	if long {
		lost = count
	}
	if t.mustKeep(lost, t.total) && t.grow(length) {
		return true
	}
	if long && count <= bar {
		return false
	}
	t.evict(bar, need)
	return count > t.floor
}

// room returns the number of bytes that the log can have before it is full.
func (t *Tracker) room() uint64 { return t.roomFor(uint64(len(t.log))) }

// roomFor is like room for a log of the given length. Without a budget, the log
// may become longer than its present room, which then follows from the new
// length. Since the room depends on nothing else, a decoded tracker behaves like
// the original.
func (t *Tracker) roomFor(length uint64) uint64 {
	if t.grows() {
		return min(powerOfTwo(length, minLog), maxLog)
	}
	return t.logBytes(t.tail.size)
}

// grow makes room for a log of the given length if possible, and reports whether
// there is enough. With a budget, the log gets half of the tail's memory, or
// more.
func (t *Tracker) grow(length uint64) bool {
	for length > t.roomFor(length) && t.canHalve(t.tail.size) {
		t.tail.halve()
	}
	return length <= t.roomFor(length)
}

// evict moves the counts of the records with no higher count than bar, which
// have the given number of bytes or more, to the tail. If too few of K records
// would remain, fewer are evicted.
func (t *Tracker) evict(bar, size uint64) {
	last := rank{count: bar}
	if t.K > 0 {
		last = t.lastBeforeK(bar, size)
	}
	t.floor = max(t.floor, last.count)
	t.missed = max(t.missed, last.count)
	kept := t.log[:0]
	for r := range t.log.all() {
		if t.log.after(r, last) {
			kept = append(kept, t.log.bytes(r)...)
		} else {
			t.tail.raise(t.log.digest(r), t.log.count(r))
			t.live--
		}
	}
	t.log = kept
	t.relink()
}

// lastBeforeK returns the last rank that evict may evict, with a count of at
// most bar, if K records should remain, even if many have the same count. It
// starts with the lowest rank, until the given number of bytes is freed and no
// more than keep records remain. If the log can grow, nothing must be freed, and
// keep is at least half of the records.
func (t *Tracker) lastBeforeK(bar, size uint64) rank {
	low := t.index.heads[:0] // evict will rebuild the index, so use its memory
	for r := range t.log.all() {
		if t.log.count(r) <= bar {
			low = append(low, r)
		}
	}
	keep := t.K
	canGrow := t.grows() && uint64(len(t.log)) <= maxLog/2
	if canGrow {
		keep = max(keep, t.live/2)
	}
	if t.live-len(low) >= keep {
		return rank{count: bar}
	}
	slices.SortFunc(low, t.log.compare)
	freed, last := uint64(0), rank{}
	for i, r := range low {
		if t.live-i <= keep && (freed >= size || canGrow) {
			break
		}
		freed += t.log.size(r)
		last = t.log.rank(r)
	}
	return last
}

// resize allocates the log's array and, in proportion, the index.
func (t *Tracker) resize(size uint64) {
	t.log = append(make(log, 0, size), t.log...)
	t.index.heads = make([]record, max(1, size/headShare))
	t.relink()
}
