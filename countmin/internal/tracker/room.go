package tracker

import "math"

// A sweep frees 1/sweepShare of the log, or more. This is little enough to make
// good use of the memory, and enough to make sweeps rare.
const sweepShare = 16

// makeRoom makes room for a record of the given number of words and the count
// now. It returns false if there is no room, or if the next sweep would have
// evicted the record. A long record, with more words than a sweep frees, must
// also have a higher count than all records that it displaces.
func (t *Tracker) makeRoom(words, now uint64) bool {
	for t.lacks(words) > 0 {
		long := words > t.room/sweepShare
		if (t.live < t.want || long && t.grows()) && t.enlarge(words) {
			continue
		}
		if words >= t.refused.words && now <= t.refused.bar {
			return false
		}
		bar := t.bar(words)
		if t.near(bar, t.total) && t.enlarge(words) {
			continue
		}
		if long && words > t.room {
			bar = math.MaxUint64
		}
		if long && bar >= now {
			t.refused = refusal{words, bar}
			return false
		}
		if t.sweep(bar); now <= t.floor {
			return false
		}
	}
	t.allocate(words)
	return true
}

// lacks returns the number of words that must be freed before a record of the
// given number of words fits.
func (t *Tracker) lacks(words uint64) uint64 {
	need := uint64(len(t.log)) + words
	return need - min(need, t.room)
}

// bar returns the lowest count, but not below floor, up to which records must
// be evicted to make room for a record of the given number of words. A sweep
// for a short record frees 1/sweepShare of the log, so that the next sweep is
// not due at once.
func (t *Tracker) bar(words uint64) uint64 {
	need, share := t.lacks(words), t.room/sweepShare
	if words <= share {
		need = max(need, share)
	}
	return t.log.countFreeing(need, t.floor)
}

// sweep evicts every record with a count of no more than bar.
func (t *Tracker) sweep(bar uint64) {
	t.floor, t.missed = max(t.floor, bar), max(t.missed, bar)
	kept := t.log[:0]
	for r, end := range t.log.all() {
		if count := t.log.count(r); count <= bar {
			t.raise(t.log.digest(r), count)
		} else {
			kept = append(kept, t.log[r:end]...)
		}
	}
	t.log = kept
	t.live = t.index.relink(t.log, t.index.heads)
	t.refused = refusal{}
	if t.grows() {
		t.room = roomFor(uint64(len(t.log)))
	}
}

// widen doubles the width of the given tail's counters: in the same memory if
// there is a budget, otherwise in twice as much.
func (t *Tracker) widen(l *tail) {
	if t.grows() {
		l.widen()
	} else {
		l.pair(l.shift + 1)
	}
}

// enlarge makes more room for the log and reports whether this was possible. If
// memory grows, it doubles the room until a record of the given number of words
// fits. Otherwise it uses half of the tail's memory.
func (t *Tracker) enlarge(words uint64) bool {
	if t.grows() {
		return t.grow(uint64(len(t.log)) + words)
	}
	if !t.canHalve(uint64(t.tail.size)) {
		return false
	}
	t.tail.halve()
	t.room, t.refused = t.logWords(uint64(t.tail.size)), refusal{}
	return true
}

// grow sets the room for a log of the given number of words. It returns false
// if a log must not be that large.
func (t *Tracker) grow(words uint64) bool {
	room := roomFor(words)
	if room > maxLog {
		return false
	}
	t.room, t.refused = room, refusal{}
	return true
}

// allocate makes the log's array large enough for the given number of
// additional words, which must be within the room. The array doubles, so that
// it is proportional to the keys that were admitted.
func (t *Tracker) allocate(words uint64) {
	need := uint64(len(t.log)) + words
	if need <= uint64(cap(t.log)) {
		return
	}
	size := min(t.room, max(need, 2*uint64(cap(t.log))))
	t.log = append(make(log, 0, size), t.log...)
	if heads := t.headsFor(size); heads > len(t.index.heads) {
		t.index.relink(t.log, make([]uint32, heads))
	}
}

// headsFor returns the number of heads for a log of the given number of words.
// They use 1/7 of its bytes, as in a budget, which are enough for a head per
// record. A budget limits them unless the log is too long and must be swept.
func (t *Tracker) headsFor(words uint64) int {
	heads := int(max(1, 2*words/7))
	if !t.grows() && words <= t.room {
		heads = min(heads, t.maxHeads())
	}
	return heads
}
