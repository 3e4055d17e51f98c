package tracker

import "slices"

// Records that make room free 1/evictShare of the log, or more. This is little
// enough to make good use of the memory, and enough to make sweeps rare.
const evictShare = 16

// makeRoom reports whether a record with the given size and count should be
// admitted, and makes room for it.
//
// If the log is full, the records with the lowest counts are evicted: as few as
// free the record's bytes and, so that this is rare, 1/evictShare of the log.
// The record must have a higher count than these. If it has not, and is so long
// that it alone needs more than 1/evictShare, they stay.
//
// If the log has fewer records than it should, it grows instead, or takes half of
// the tail's memory. Without a budget, it also grows if a key that must be
// reported would be lost.
func (t *Tracker) makeRoom(size, count uint64) bool {
	length := uint64(len(t.log)) + size
	grows := t.grows() && length <= maxLog
	if grows && uint64(t.live) < t.want {
		return true
	}
	for length > t.roomFor(uint64(len(t.log))) && uint64(t.live) < t.want && t.canHalve() {
		t.halve(&t.tail)
	}
	room := t.roomFor(uint64(len(t.log)))
	if length <= room {
		return true
	}
	share := room / evictShare
	low, bar := t.lowest(max(length-room, share))
	defer t.relink()
	long := size > share
	lost := bar // the highest count of a key that would be lost
	if long {
		lost = min(bar, count)
	}
	switch {
	case grows && (t.near(lost, t.total) || t.live-len(low) < t.K):
		return true
	case long && (size > room || count <= bar):
		return false
	}
	t.evict(low, bar)
	return count > bar
}

// roomFor returns the number of bytes that a log of the given length may have
// before records make room for others or, without a budget, the log grows. It
// depends on nothing else but the tail's size, so that a decoded tracker behaves
// like the original. Go's allocator may round each array up by as much as an
// eighth.
func (t *Tracker) roomFor(length uint64) uint64 {
	if !t.grows() {
		return (t.Memory - structBytes - 8*uint64(t.tail.size)) * headShare / (headShare + 4) &^ 63
	}
	step := max(minLog, powerOfTwo(length, 1)/4) // 1/4 to 1/2 of the length
	return min(maxLog, (max(length, 1)+step-1)/step*step)
}

// canHalve reports whether half of the tail's memory may be used for the log.
// The tail must use more than 1/8 of the budget.
func (t *Tracker) canHalve() bool {
	return !t.grows() && 8*uint64(t.tail.size) > t.Memory/8 && t.tail.size%4 == 0
}

// halve halves the number of the given tail's counters, and its memory.
func (t *Tracker) halve(l *tail) { l.reshape(uint64(l.size)/2, l.shift) }

// widen doubles the width of the given tail's counters: in the same memory if
// there is a budget, otherwise in twice as much.
func (t *Tracker) widen(l *tail) {
	words := uint64(l.size)
	if t.grows() {
		words *= 2
	}
	l.reshape(words, l.shift+1)
}

// lowest returns the records that make room first and have the given number of
// bytes or more, and bar, the highest of their counts. If these are so many that
// fewer than K would remain, since many counts are equal, it returns as few as
// necessary. lowest uses the memory of the index, which must be relinked.
func (t *Tracker) lowest(size uint64) (low []record, bar uint64) {
	most := t.log.countFreeing(size, t.floor)
	low = t.index.heads[:0]
	for r := range t.log.all() {
		if count := t.log.count(r); count <= most {
			low = append(low, r)
			bar = max(bar, count)
		}
	}
	if t.live-len(low) < t.K {
		slices.SortFunc(low, t.log.compare)
		for i, r := range low {
			if size -= min(size, t.log.size(r)); size == 0 {
				return low[:i+1], t.log.count(r)
			}
		}
	}
	return low, bar
}

// evict moves the counts of the given records, which are no higher than bar, to
// the tail.
func (t *Tracker) evict(low []record, bar uint64) {
	t.floor, t.missed = max(t.floor, bar), max(t.missed, bar)
	for _, r := range low {
		t.raise(t.log.digest(r), t.log.count(r))
		t.log.setCount(r, 0)
	}
	kept := t.log[:0]
	for r := range t.log.all() {
		if t.log.count(r) > 0 {
			kept = append(kept, t.log[r-linkBytes:][:t.log.size(r)]...)
		}
	}
	t.log = kept
	t.live -= len(low)
}

// resize allocates the log's array and, in proportion, the index.
func (t *Tracker) resize(size uint64) {
	t.log = append(make(log, 0, size), t.log...)
	t.index.heads = make([]record, max(1, size/headShare))
	t.relink()
}
