// Package tracker finds the keys that occur most in a stream. It is the common
// part of countmin's HeavyHitters and TopK.
package tracker

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Tracker counts the keys that occur most exactly, from the moment it admits
// them, and all others in its tail.
//
// A key that is not tracked is counted in the tail, and admitted when the
// tail's estimate of it exceeds floor. When there is no room, a sweep evicts
// the records that count least, enough that the next sweep is far off, and
// writes their counts back to the tail; floor is then the most that any of them
// counted. So at every moment
//
//   - the count of a record is no less than the truth: it began as an estimate
//     and has been exact since;
//   - no key without a record counts more than missed, which is floor except
//     for keys too long to be admitted;
//   - the tail's estimate of a key without a record is no less than the truth.
//
// A Tracker with nothing but a Goal has counted nothing and has no memory yet.
type Tracker struct {
	// What an Observe changes, and then what it reads: two cache lines.
	total  uint64
	floor  uint64
	missed uint64
	tail   tail
	index  index
	log    log
	live   int // records in the log

	Goal
	want    int    // records that the log should hold, if memory allows
	room    uint64 // words that the log may fill
	refused refusal
	walks   int // over the log to find a bar
}

// A refusal remembers that a key of that many words was not admitted, because
// it did not count more than bar. Until a sweep, or more room, counts only rise
// and room only gets scarcer: a key of as many words that counts no more need
// not be looked into.
type refusal struct{ words, bar uint64 }

// sweepShare sets how much a sweep frees: 1/16 of the log at least. That is
// little enough that memory is well used, and enough that sweeps are rare.
const sweepShare = 16

// New returns an empty tracker. Its memory is allocated at once if there is a
// budget. O(Memory) time.
func New(g Goal) Tracker {
	tailWords := g.tailWords()
	t := Tracker{Goal: g, want: g.wanted(), tail: newTail(int(tailWords))}
	if g.grows() {
		t.room, t.index = minLog, newIndex(minLog/4)
		return t
	}
	t.room, t.index = g.logWords(tailWords), newIndex(g.maxHeads())
	t.log = make(log, 0, t.room)
	return t
}

// Observe counts key n times, at least once, in the last pane, or in a new one
// if that is full. n must not be more than the pane has room for. O(1) time,
// amortized; it allocates only if memory grows or a pane begins. key is not
// kept.
func Observe[K Key](p *Panes, d hashfam.Digest, key K, n uint64) {
	t := p.last
	if t == nil || t.total == p.full {
		observeFirst(p, d, key, n)
		return
	}
	t.total = AddSat(t.total, n)
	if r := t.index.find(t.log, d); r != none {
		t.log.add(r, n)
		return
	}
	before, added := t.tail.add(d, n, min(t.floor, t.tail.limit()))
	if added {
		return // the key is known to count no more than floor
	}
	now := AddSat(before, n)
	if now > t.floor && t.makeRoom(recordWords(len(key)), now) {
		r := record(len(t.log))
		t.log = appendRecord(t.log, now, before, d, key)
		t.enlist(r)
		return
	}
	t.missed = max(t.missed, now)
	t.raise(d, now)
}

// observeFirst is Observe for a last pane that is full or counts for the first
// time. It keeps the beginning of a pane out of the way of all other keys.
func observeFirst[K Key](p *Panes, d hashfam.Digest, key K, n uint64) {
	p.begin()
	Observe(p, d, key, n)
}

// blank reports whether t has no memory yet.
func (t *Tracker) blank() bool { return len(t.index.heads) == 0 }

// enlist enters r, the newest record, into the index.
func (t *Tracker) enlist(r record) {
	if t.live++; t.live > len(t.index.heads) && t.grows() {
		t.index.relink(t.log, make([]uint32, 2*t.live))
		return
	}
	t.index.link(t.log, r)
}

// raise makes the tail's counters of a key at least to.
func (t *Tracker) raise(d hashfam.Digest, to uint64) {
	for to > t.tail.limit() {
		t.widen(&t.tail)
	}
	t.tail.raise(d, to)
}

// widen makes the counters of a tail wider, as memory allows.
func (t *Tracker) widen(l *tail) {
	if t.grows() {
		l.widen()
	} else {
		l.widenInPlace()
	}
}

// makeRoom finds room for a record of that many words that counts now. It
// reports false if there is none, or if the record would have to go at once. A
// long record, of more words than a sweep frees, must also count more than all
// that it would displace.
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
		if long && (words > t.room || bar >= now) {
			t.refuse(words, bar)
			return false
		}
		if t.sweep(bar); now <= t.floor {
			return false
		}
	}
	t.allocate(words)
	return true
}

// lacks returns how many words must be freed before a record of that many fits.
func (t *Tracker) lacks(words uint64) uint64 {
	need := uint64(len(t.log)) + words
	return need - min(need, t.room)
}

// bar returns the least count from floor on such that a sweep up to it makes
// room for a record of that many words. A sweep for a short one frees a share
// of the log, so that the next is not due at once.
func (t *Tracker) bar(words uint64) uint64 {
	need, share := t.lacks(words), t.room/sweepShare
	if words <= share {
		need = max(need, share)
	}
	bar, walks := t.log.countFreeing(need, t.floor)
	t.walks += walks
	return bar
}

// refuse remembers that a key of that many words does not get past bar, or
// cannot fit at all.
func (t *Tracker) refuse(words, bar uint64) {
	if words > t.room {
		bar = math.MaxUint64
	}
	t.refused = refusal{words, bar}
}

// enlarge makes more room for the log, if there is a way: twice as much if
// memory grows, and as many more words as are needed; else half of the tail.
func (t *Tracker) enlarge(words uint64) bool {
	if t.grows() {
		return t.grow(uint64(len(t.log)) + words)
	}
	if !t.canHalve(uint64(len(t.tail.words))) {
		return false
	}
	t.tail.halve()
	t.room = t.logWords(uint64(len(t.tail.words)))
	t.refused = refusal{}
	return true
}

// grow makes the room what a log of that many words has, if it may be so large.
func (t *Tracker) grow(words uint64) bool {
	room := roomFor(words)
	if room > maxLog {
		return false
	}
	t.room, t.refused = room, refusal{}
	return true
}

// allocate makes the array of the log large enough for that many more words,
// which are within the room.
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

// heads returns the heads of the index, or new ones if a budget pays for more:
// a log that was built elsewhere has only one for each of its records.
func (t *Tracker) heads() []uint32 {
	if !t.grows() && t.maxHeads() > len(t.index.heads) {
		return make([]uint32, t.maxHeads())
	}
	return t.index.heads
}

// sweep evicts every record that counts at most bar.
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

// Total returns how much has been counted. O(1) time.
func (t *Tracker) Total() uint64 { return t.total }

// sizeBytes returns the memory that t holds, with the structure around it. O(1)
// time.
func (t *Tracker) sizeBytes() uint64 {
	return structBytes + 8*uint64(len(t.tail.words)) + 4*uint64(len(t.index.heads)) + 8*uint64(cap(t.log))
}

// clone returns a copy that shares no memory with t. O(memory) time.
func (t *Tracker) clone() Tracker {
	c := *t
	c.tail = t.tail.clone()
	c.index.heads = slices.Clone(t.index.heads)
	c.log = append(make(log, 0, cap(t.log)), t.log...)
	return c
}

// equal reports whether t and o have counted the same. The order of records in
// the log, in which keys were admitted, does not matter. O(memory) time.
func (t *Tracker) equal(o *Tracker) bool {
	if t.total != o.total || t.floor != o.floor || t.missed != o.missed ||
		t.tail.shift != o.tail.shift || !slices.Equal(t.tail.words, o.tail.words) ||
		t.live != o.live || len(t.log) != len(o.log) {
		return false
	}
	for r := range t.log.all() {
		q := o.index.find(o.log, t.log.digest(r))
		if q == none || t.log.count(r) != o.log.count(q) || t.log.guess(r) != o.log.guess(q) {
			return false
		}
	}
	return true
}
