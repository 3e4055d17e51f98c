package tracker

import "slices"

// An eviction frees 1/evictShare of the log, or more. This is little enough to
// make good use of the memory, and enough to make evictions rare.
const evictShare = 16

// makeRoom reports whether a record with the given size and count should be
// admitted, and makes room for it if the log is full. While the log has fewer
// records than it should, or if a key that must be kept would be lost, it grows.
// Otherwise the records with the lowest counts are evicted, and the new record
// must have a higher count than these.
//
// A long record, with more than 1/evictShare of the log, would displace many
// others. If it does not have a higher count, they stay.
func (t *Tracker) makeRoom(size, count uint64) bool {
	length := uint64(len(t.log)) + size
	if length <= t.room() {
		return true
	}
	if t.live < t.want && t.grow(length) {
		return true
	}
	if size > t.roomFor(size) {
		return false // too long even for an empty log
	}
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

// lastBeforeK returns the last rank that evict may evict if K records should
// remain, even if many have the same count. With a budget, fewer remain if this
// is necessary to free the given number of bytes. Otherwise the log can grow, so
// at least half of the records remain.
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
