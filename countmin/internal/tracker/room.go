package tracker

import "slices"

// An eviction frees 1/evictShare of the log, or more. This is little enough to
// make good use of the memory, and enough to make evictions rare.
const evictShare = 16

// makeRoom reports whether a record with the given size and count should be
// admitted, and makes room for it if the log is full. While the log has fewer
// than t.want records, its room grows if possible. Otherwise other records are
// evicted; see replace.
func (t *Tracker) makeRoom(size, count uint64) bool {
	length := uint64(len(t.log)) + size
	return length <= t.room() || t.live < t.want && t.grow(length) || t.replace(size, count)
}

// replace evicts the records with the lowest counts to make room for a record
// with the given size and count. It reports whether the record should be
// admitted: there must be room, and its count must be higher than those of the
// evicted records. If a key that must be kept would be lost otherwise, the
// log's room grows and nothing is evicted.
//
// A long record, with more than 1/evictShare of the log's room, would displace
// many others. If its count is not higher than theirs, it is refused and they
// stay.
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

// roomFor returns the room of a log with the given length. With a budget, it is
// the memory that the tail leaves. Without a budget, it is the length rounded
// up to a power of two from minLog to maxLog, so a longer log has more room.
// The room depends on nothing else, so a decoded tracker behaves like the
// original.
func (t *Tracker) roomFor(length uint64) uint64 {
	if t.grows() {
		return min(powerOfTwo(length, minLog), maxLog)
	}
	return t.logBytes(t.tail.size)
}

// grow makes room for a log of the given length if possible, and reports
// whether there is enough. With a budget, it halves the tail's memory for this,
// as often as necessary and possible.
func (t *Tracker) grow(length uint64) bool {
	for length > t.roomFor(length) && t.canHalve(t.tail.size) {
		t.tail.halve()
	}
	return length <= t.roomFor(length)
}

// evict removes the records whose count is bar or lower, and writes their
// counts to the tail. If the goal is K keys, evict may keep some of these
// records, so that enough remain: see lastBeforeK, which also uses size, the
// number of bytes to free.
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

// lastBeforeK returns the rank of the last record to evict. Only records with a
// count of at most bar are evicted, in the order that rank determines. Since
// many records can have the same count, evicting all of them could leave far
// fewer than K. So lastBeforeK stops when only K records remain and the given
// number of bytes is freed.
//
// If the log can grow, no bytes need to be freed. lastBeforeK then stops when K
// records or half of the records remain, whichever is more.
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
	freed := uint64(0)
	last := rank{}
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
