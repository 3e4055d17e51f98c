package tracker

import (
	"cmp"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A sweep frees 1/sweepShare of the log, or more. This is little enough to make
// good use of the memory, and enough to make sweeps rare.
const sweepShare = 16

// makeRoom makes room for a record of the given number of words and the count
// now. It returns false if there is no room, or if the next sweep would have
// evicted the record. A long record, with more words than a sweep frees, must
// fit in the room and have a higher count than all records that it displaces.
// If it does not, it is refused unless its count is near and the tail can be
// halved.
func (t *Tracker) makeRoom(words, now uint64) bool {
	for t.lacks(words) > 0 {
		long := words > t.room/sweepShare
		if (t.live < t.want || long && t.grows()) && t.enlarge(words) {
			continue
		}
		if words > t.room || t.refuses(words, now) {
			return false
		}
		bar := t.bar(words)
		reach := bar // the highest count that would be lost
		if long {
			reach = min(bar, now)
		}
		if t.near(reach, t.total) && t.enlarge(words) {
			continue
		}
		if long && bar >= now {
			t.refused = refusal{words, bar}
			return false
		}
		t.sweep(bar, t.need(words))
		if now <= t.floor {
			return false
		}
	}
	t.allocate(words)
	return true
}

// refuses reports whether makeRoom would refuse the record as it refused an
// earlier one. Until there is a sweep or more room, the number of records and
// their counts only grow, so the bar cannot have become lower.
func (t *Tracker) refuses(words, now uint64) bool {
	if words < t.refused.words || now > t.refused.bar {
		return false
	}
	return !t.canHalve(uint64(t.tail.size)) || !t.near(now, t.total)
}

// lacks returns the number of words that must be freed before a record of the
// given number of words fits.
func (t *Tracker) lacks(words uint64) uint64 {
	need := uint64(len(t.log)) + words
	return need - min(need, t.room)
}

// need returns the number of words that a sweep must free for a record of the
// given number of words. For a short record, this is at least 1/sweepShare of
// the log, so that the next sweep is not due at once.
func (t *Tracker) need(words uint64) uint64 {
	if share := t.room / sweepShare; words <= share {
		return max(t.lacks(words), share)
	}
	return t.lacks(words)
}

// bar returns the lowest count, but not below floor, up to which records must
// be evicted to make room for a record of the given number of words.
func (t *Tracker) bar(words uint64) uint64 { return t.log.countFreeing(t.need(words), t.floor) }

// sweep evicts every record with a count of no more than bar, except spared
// ones. It frees the needed number of words, unless memory grows.
func (t *Tracker) sweep(bar, need uint64) {
	t.floor = max(t.floor, bar)
	t.missed = max(t.missed, bar)
	spared := t.spared(bar, need)
	kept := t.log[:0]
	for r, end := range t.log.all() {
		count := t.log.count(r)
		spare := len(spared) > 0 && spared[0] == r
		if spare {
			spared = spared[1:]
		}
		if spare || count > bar {
			kept = append(kept, t.log[r:end]...)
		} else {
			t.raise(t.log.digest(r), count)
		}
	}
	t.log = kept
	t.live = t.index.relink(t.log, t.index.heads)
	t.refused = refusal{}
	if t.grows() {
		t.room = roomFor(uint64(len(t.log)))
	}
}

// spared returns the records that a sweep must not evict although their counts
// do not exceed bar, in the order of the log. Otherwise fewer than K records
// would remain when many counts are equal. The records with the highest counts
// are spared and, since the order of the stream should not matter, those with
// the lowest digests among equal counts. If memory does not grow, the number of
// spared records is limited so that the sweep frees the needed number of words.
func (t *Tracker) spared(bar, need uint64) []record {
	if t.K == 0 {
		return nil
	}
	low := 0
	words := uint64(0)
	for r, end := range t.log.all() {
		if t.log.count(r) <= bar {
			low++
			words += uint64(end - r)
		}
	}
	above := t.live - low
	if above >= t.K {
		return nil
	}
	spare := words - min(words, need)
	if t.grows() && 2*t.room <= maxLog {
		spare = words
	}
	ranked := make([]rank, 0, low)
	for r := range t.log.all() {
		if count := t.log.count(r); count <= bar {
			ranked = append(ranked, rank{count, t.log.digest(r), r})
		}
	}
	slices.SortFunc(ranked, rank.compare)
	var records []record
	for _, next := range ranked[:min(low, t.K-above)] {
		size := uint64(t.log.end(next.record) - next.record)
		if size > spare {
			break
		}
		spare -= size
		records = append(records, next.record)
	}
	slices.Sort(records)
	return records
}

// A rank is what determines whether a sweep spares a record.
type rank struct {
	count  uint64
	digest hashfam.Digest
	record record
}

// compare is negative if a is spared rather than b.
func (a rank) compare(b rank) int {
	if a.count != b.count {
		return cmp.Compare(b.count, a.count)
	}
	return cmp.Compare(a.digest, b.digest)
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
	t.room = t.logWords(uint64(t.tail.size))
	t.refused = refusal{}
	return true
}

// grow sets the room for a log of the given number of words. It returns false
// if a log must not be that large.
func (t *Tracker) grow(words uint64) bool {
	room := roomFor(words)
	if room > maxLog {
		return false
	}
	t.room = room
	t.refused = refusal{}
	return true
}

// allocate makes the log's array large enough for the given number of
// additional words, which must be within the room. The array doubles, so that
// its size is proportional to the keys that were admitted. With a budget, which
// limits the array anyway, it grows in fewer and larger steps, because every
// pane of a window repeats these steps.
func (t *Tracker) allocate(words uint64) {
	need := uint64(len(t.log)) + words
	if need <= uint64(cap(t.log)) {
		return
	}
	size := 2 * uint64(cap(t.log))
	if !t.grows() {
		size *= 2
	}
	size = min(t.room, max(need, size))
	t.log = append(make(log, 0, size), t.log...)
	if heads := t.headsFor(size); heads > len(t.index.heads) {
		t.index.relink(t.log, make([]uint32, heads))
	}
}

// headsFor returns the number of heads for a log of the given number of words.
// They use 1/7 of its bytes, as in a budget, which is enough for a head per
// record. A budget limits their number unless the log is too long and must be
// swept.
func (t *Tracker) headsFor(words uint64) int {
	heads := int(max(1, 2*words/7))
	if !t.grows() && words <= t.room {
		heads = min(heads, t.maxHeads())
	}
	return heads
}
