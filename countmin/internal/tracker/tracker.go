// Package tracker finds the most frequent keys of a stream. It is used by
// countmin's HeavyHitters, TopK and Window.
package tracker

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Tracker counts the most frequent keys exactly, from the moment it admits
// them. It counts all other keys in its tail.
//
// A key that is not tracked is counted in the tail, and is admitted when the
// tail's estimate exceeds floor. When there is no room, a sweep evicts the
// records with the lowest counts, enough to delay the next sweep, and writes
// their counts back to the tail. floor is then the highest count of these
// records. missed is the same number, but becomes higher when a key is too long
// to be admitted, or in a merge. The following is always true:
//
//   - A record's count, which began as an estimate, is not below the truth.
//   - A key without a record has a count of no more than missed.
//   - The tail's estimate of a key without a record is not below the truth.
//
// A Tracker that contains only a Goal is empty and has no memory yet.
type Tracker struct {
	// The fields that Observe changes, and then those that it reads, are in two
	// cache lines.
	total  uint64
	floor  uint64
	missed uint64
	tail   tail
	index  index
	log    log
	live   int // number of records in the log

	Goal
	want    int    // number of records that the log should hold if memory allows
	room    uint64 // number of words that the log may hold
	refused refusal
}

// A refusal remembers that a key with a record of this many words was not
// admitted because its count did not exceed bar. Until a sweep, or until there
// is more room, a key can be refused at once if it needs as many words or more
// and has no higher count.
type refusal struct{ words, bar uint64 }

// A sweep frees 1/sweepShare of the log, or more. This is little enough to make
// good use of the memory, and enough to make sweeps rare.
const sweepShare = 16

// New returns an empty tracker. If there is a budget, its memory is allocated
// at once.
func New(g Goal) Tracker {
	tailWords := g.tailWords()
	t := Tracker{Goal: g, want: g.wanted(), tail: tail{make([]uint64, tailWords), tailShift}}
	if g.grows() {
		t.room, t.index = minLog, newIndex(minLog/4)
		return t
	}
	t.room, t.index = g.logWords(tailWords), newIndex(g.maxHeads())
	t.log = make(log, 0, t.room)
	return t
}

// Observe counts key n > 0 times in the last pane, or in a new pane if the last
// one is full. The pane must have room for n keys. Observe runs in O(1) time,
// amortized. It allocates only if memory grows or a pane begins, and does not
// retain key.
func Observe[K Key](p *Panes, d hashfam.Digest, key K, n uint64) {
	t := p.Last
	if t == nil || t.total == p.full {
		p.begin()
		t = p.Last
	}
	t.total = sizing.AddSat(t.total, n)
	if r := t.index.find(t.log, d); r != none {
		t.log[r] = sizing.AddSat(t.log.count(r), n)
		return
	}
	before, added := t.tail.add(d, n, min(t.floor, t.tail.limit()))
	if added {
		return // the key's count does not exceed floor
	}
	now := sizing.AddSat(before, n)
	if now > t.floor && t.makeRoom(recordWords(len(key)), now) {
		r := record(len(t.log))
		t.log = appendRecord(t.log, now, before, d, key)
		t.enlist(r)
		return
	}
	t.missed = max(t.missed, now)
	t.raise(d, now)
}

// blank reports whether t has no memory yet.
func (t *Tracker) blank() bool { return len(t.tail.words) == 0 }

// enlist adds r, the newest record, to the index.
func (t *Tracker) enlist(r record) {
	if t.live++; t.live > len(t.index.heads) && t.grows() {
		t.index.relink(t.log, make([]uint32, 2*t.live))
		return
	}
	t.index.link(t.log, r)
}

// raise raises the key's counters in the tail to the given count if they are
// lower.
func (t *Tracker) raise(d hashfam.Digest, to uint64) {
	for to > t.tail.limit() {
		t.widen(&t.tail)
	}
	t.tail.raise(d, to)
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

// enlarge makes more room for the log and reports whether this was possible. If
// memory grows, it doubles the room until a record of the given number of words
// fits. Otherwise it uses half of the tail's memory.
func (t *Tracker) enlarge(words uint64) bool {
	if t.grows() {
		return t.grow(uint64(len(t.log)) + words)
	}
	if !t.canHalve(uint64(len(t.tail.words))) {
		return false
	}
	t.tail.halve()
	t.room, t.refused = t.logWords(uint64(len(t.tail.words))), refusal{}
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
// additional words, which must be within the room.
func (t *Tracker) allocate(words uint64) {
	need := uint64(len(t.log)) + words
	if need <= uint64(cap(t.log)) {
		return
	}
	size := t.room
	if t.grows() {
		size = min(size, max(need, 2*uint64(cap(t.log))))
	}
	t.log = append(make(log, 0, size), t.log...)
	if heads := t.heads(); len(heads) > len(t.index.heads) {
		t.index.relink(t.log, heads)
	}
}

// heads returns the heads of the index, or new heads if the budget allows more.
// After settle, there is only one head for each record.
func (t *Tracker) heads() []uint32 {
	if !t.grows() && t.maxHeads() > len(t.index.heads) {
		return make([]uint32, t.maxHeads())
	}
	return t.index.heads
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
	t.live = t.index.relink(t.log, t.heads())
	t.refused = refusal{}
	if t.grows() {
		t.room = roomFor(uint64(len(t.log)))
	}
}

// Total returns the sum of all counts.
func (t *Tracker) Total() uint64 { return t.total }

// sizeBytes returns the memory that t and the structure around it hold.
func (t *Tracker) sizeBytes() uint64 {
	return structBytes + 8*uint64(len(t.tail.words)) + 4*uint64(len(t.index.heads)) + 8*uint64(cap(t.log))
}

// clone returns a deep copy of t.
func (t *Tracker) clone() Tracker {
	c := *t
	c.tail = t.tail.clone()
	c.index.heads = slices.Clone(t.index.heads)
	c.log = append(make(log, 0, cap(t.log)), t.log...)
	return c
}

// equal reports whether t and o have the same goal and have counted the same.
// The order of the records in the log does not matter.
func (t *Tracker) equal(o *Tracker) bool {
	return t.Goal == o.Goal && t.total == o.total && t.PayloadWords() == o.PayloadWords() &&
		slices.Equal(slices.Collect(t.Payload()), slices.Collect(o.Payload()))
}
